import type { ReactNode } from "react";

/** One column of a grid. */
export interface GridColumn<T> {
  id: string;
  title: string;
  /** The least width in pixels; `grow` is the share of the space that is left. */
  width: number;
  grow?: number;
  /** The value of `?sort=`, if the service can sort by this column. */
  sort?: string;
  /** Whether it is hidden until somebody chooses it. */
  optional?: boolean;
  align?: "end";
  cell: (row: T, tabIndex: number) => ReactNode;
  /** The value in an export; without it the column is not exported. */
  value?: (row: T) => string | number | boolean | null | undefined;
}

/** The columns to show: the chosen ones, else those that are not optional. */
export function shownColumns<T>(columns: readonly GridColumn<T>[], chosen: readonly string[] | undefined): GridColumn<T>[] {
  if (!chosen || chosen.length === 0) return columns.filter((column) => !column.optional);
  return columns.filter((column) => chosen.includes(column.id));
}

/** The sort after a click on a heading: ascending, then descending, then none. */
export function nextSort(sort: string | undefined, by: string): string | undefined {
  if (sort === by) return `-${by}`;
  if (sort === `-${by}`) return undefined;
  return by;
}

/** The value of `aria-sort` for a column. */
export function ariaSort(sort: string | undefined, by: string | undefined): "ascending" | "descending" | "none" | undefined {
  if (!by) return undefined;
  if (sort === by) return "ascending";
  return sort === `-${by}` ? "descending" : "none";
}

/** Rows as CSV with a heading line; a text that a spreadsheet would run as a formula gets a leading quote. */
export function toCSV<T>(columns: readonly Pick<GridColumn<T>, "id" | "value">[], rows: readonly T[]): string {
  const shown = columns.filter((column) => column.value);
  const lines = [shown.map((column) => csvCell(column.id)), ...rows.map((row) => shown.map((c) => csvCell(c.value?.(row))))];
  return lines.map((cells) => cells.join(",")).join("\r\n") + "\r\n";
}

function csvCell(value: unknown): string {
  let text = value === null || value === undefined ? "" : String(value);
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
