import type { ReactNode } from "react";

/** One column of a grid. */
export interface GridColumn<T> {
  id: string;
  title: string;
  /** Pixels at the least; what is left over is shared by `grow`. */
  width: number;
  grow?: number;
  /** The word for `?sort=`, where the service can sort by it. */
  sort?: string;
  /** Whether it is shown before anybody has chosen columns. */
  optional?: boolean;
  align?: "end";
  cell: (row: T, tabIndex: number) => ReactNode;
  /** The value for an export. */
  value?: (row: T) => string | number | boolean | null | undefined;
}

/** Which columns to show: those that the address names, else those that are not optional. */
export function shownColumns<T>(columns: readonly GridColumn<T>[], chosen: readonly string[] | undefined): GridColumn<T>[] {
  if (!chosen || chosen.length === 0) return columns.filter((column) => !column.optional);
  return columns.filter((column) => chosen.includes(column.id));
}

/** The next sort when a heading is pressed: ascending, descending, the list's own order. */
export function nextSort(sort: string | undefined, by: string): string | undefined {
  if (sort === by) return `-${by}`;
  if (sort === `-${by}`) return undefined;
  return by;
}

/** What `aria-sort` says of a column. */
export function ariaSort(sort: string | undefined, by: string | undefined): "ascending" | "descending" | "none" | undefined {
  if (!by) return undefined;
  if (sort === by) return "ascending";
  return sort === `-${by}` ? "descending" : "none";
}

/** Rows as CSV with a heading; texts that a spreadsheet would take for a formula are defused. */
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
