import { columnVisibilityFeature, tableFeatures, useTable, type ColumnDef } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { Collection, Items } from "~/api/model";
import type { ListQuery } from "~/api/queries";
import { ProblemNote } from "../ProblemNote";
import { shownColumns, type GridColumn } from "./columns";
import { GridHead, GridRow } from "./GridRow";
import type { Selection } from "./selection";
import { useRows } from "./useRows";
import "./ObjectGrid.css";

const rowHeight = 38;

interface Props<C extends Collection> {
  label: string;
  collection: C;
  columns: readonly GridColumn<Items[C]>[];
  /** The ids of the columns to show; undefined shows the usual ones. */
  chosen?: readonly string[];
  query: ListQuery<C>;
  sort?: string;
  onSort: (sort: string | undefined) => void;
  selection?: Selection<Items[C]>;
  onOpen?: (row: Items[C]) => void;
  /** Shown if there are no rows. */
  empty: ReactNode;
  nameOf: (row: Items[C]) => string;
  /** Called with the ids of the visible rows, for cells with live values. */
  onVisible?: (ids: string[]) => void;
  onTotal?: (total: number | undefined) => void;
}

/**
 * A virtualised grid for a list of any length: only the visible rows are in the document, and only the pages that hold
 * them are requested. The service sorts and filters. Arrow keys move between rows, Enter opens a row, Space selects it.
 */
export function ObjectGrid<C extends Collection>(props: Props<C>) {
  const { label, collection, query, sort, onSort, selection, nameOf, onOpen, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [span, setSpan] = useState({ first: 0, last: 40 });
  const sortedQuery = useMemo(() => (sort ? { ...query, sort } : query), [query, sort]);
  const rows = useRows(collection, sortedQuery, span.first, span.last);
  const total = rows.total ?? 0;

  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    onChange: (instance) => {
      const items = instance.getVirtualItems();
      const first = items[0]?.index ?? 0;
      const last = items.at(-1)?.index ?? 40;
      setSpan((before) => (before.first === first && before.last === last ? before : { first, last }));
    },
  });
  const visibleItems = virtual.getVirtualItems();
  const columns = useShownColumns(props.columns, props.chosen);
  const template = [...(selection ? ["22px"] : []), ...columns.map((c) => `minmax(${c.width}px, ${c.grow ?? 1}fr)`)].join(" ");
  const minWidth = columns.reduce((sum, c) => sum + c.width + 12, selection ? 46 : 12);
  useVisibleRows(props, rows.total, visibleItems.map((item) => rows.at(item.index)));
  const { active, setActive, onKeyDown } = useActiveRow({
    scroller: () => scroller.current,
    total,
    scrollTo: (index) => virtual.scrollToIndex(index),
    onEnter: (index) => ifThere(rows.at(index), onOpen),
    onSpace: (index) => ifThere(rows.at(index), selection?.toggle),
  });

  if (rows.error && !rows.total) return <ProblemNote error={rows.error} what="This list could not be read" />;
  if (rows.total === 0) return <div className="dp-grid-empty">{empty}</div>;

  return (
    <div className="dp-grid" ref={scroller} onKeyDown={onKeyDown}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={total + 1}
        aria-colcount={columns.length + (selection ? 1 : 0)}
        aria-busy={rows.isFetching}
        aria-multiselectable={selection ? true : undefined}
        className="dp-grid-body"
        style={{ minWidth: `${minWidth}px` }}
      >
        <GridHead columns={columns} template={template} selectable={selection !== undefined} sort={sort} onSort={onSort} />
        <div role="rowgroup" className="dp-grid-rows" style={{ height: `${virtual.getTotalSize()}px` }}>
          {visibleItems.map((item) => {
            const row = rows.at(item.index);
            return (
              <GridRow<Items[C]>
                key={item.key}
                index={item.index}
                start={item.start}
                row={row}
                columns={columns}
                template={template}
                tabIndex={item.index === active ? 0 : -1}
                selected={row ? (selection?.rows.has(row.id) ?? false) : false}
                onFocus={setActive}
                onSelect={selection?.toggle}
                nameOf={nameOf}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Calls act with the row if both are defined, and reports whether it did. */
function ifThere<T>(row: T | undefined, act: ((row: T) => void) | undefined): boolean {
  if (row === undefined || !act) return false;
  act(row);
  return true;
}

interface ActiveRow {
  scroller: () => HTMLElement | null;
  total: number;
  scrollTo: (index: number) => void;
  /** Both report whether they did something. */
  onEnter: (index: number) => boolean;
  onSpace: (index: number) => boolean;
}

/** The row that has the keyboard focus; only this row is in the tab order. */
function useActiveRow({ scroller, total, scrollTo, onEnter, onSpace }: ActiveRow) {
  const [wanted, setActive] = useState(0);
  const active = Math.max(0, Math.min(wanted, total - 1));

  const focusRow = (index: number): true => {
    const next = Math.max(0, Math.min(total - 1, index));
    setActive(next);
    scrollTo(next);
    requestAnimationFrame(() => scroller()?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus());
    return true;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((scroller()?.clientHeight ?? 400) / rowHeight) - 2);
    const onRow = event.target instanceof HTMLElement && event.target.getAttribute("role") === "row";
    const keys: Record<string, () => boolean> = {
      ArrowDown: () => focusRow(active + 1),
      ArrowUp: () => focusRow(active - 1),
      PageDown: () => focusRow(active + page),
      PageUp: () => focusRow(active - page),
      Home: () => focusRow(0),
      End: () => focusRow(total - 1),
      Enter: () => onRow && onEnter(active),
      " ": () => onRow && onSpace(active),
    };
    if (keys[event.key]?.()) event.preventDefault();
  };
  return { active, setActive, onKeyDown };
}

const features = tableFeatures({ columnVisibilityFeature });
const noRows: never[] = [];

/** The visible columns; the array is the same until another column is shown or hidden. */
function useShownColumns<T extends { id: string }>(columns: readonly GridColumn<T>[], chosen: readonly string[] | undefined): GridColumn<T>[] {
  const definitions = useMemo(
    () => columns.map((column): ColumnDef<typeof features, T> => ({ id: column.id, header: column.title, meta: column })),
    [columns],
  );
  const columnVisibility = useMemo(() => {
    const shown = new Set(shownColumns(columns, chosen).map((column) => column.id));
    return Object.fromEntries(columns.map((column) => [column.id, shown.has(column.id)]));
  }, [columns, chosen]);
  const table = useTable({ features, columns: definitions, data: noRows, state: { columnVisibility } });
  // The table may return a new array each time, and rows compare their columns by identity.
  const ids = table.getVisibleLeafColumns().map((column) => column.id).join();
  return useMemo(() => columns.filter((column) => ids.split(",").includes(column.id)), [columns, ids]);
}

/** Milliseconds without scrolling before the visible rows are reported. */
const scrollRest = 150;

/** Reports the visible rows when scrolling stops, and the total when it changes. */
function useVisibleRows<C extends Collection>(props: Props<C>, total: number | undefined, rows: (Items[C] | undefined)[]) {
  const { onVisible, onTotal } = props;
  const ids = rows.flatMap((row) => (row ? [row.id] : [])).join();
  useEffect(() => {
    const timer = setTimeout(() => onVisible?.(ids === "" ? [] : ids.split(",")), scrollRest);
    return () => clearTimeout(timer);
  }, [ids, onVisible]);
  useEffect(() => {
    onTotal?.(total);
  }, [total, onTotal]);
}
