import { Skeleton } from "@patternfly/react-core";
import { columnVisibilityFeature, tableFeatures, useTable, type ColumnDef } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { Collection, ListQuery } from "~/api/queries";
import { ProblemNote } from "../ProblemNote";
import { ariaSort, nextSort, shownColumns, type GridColumn } from "./columns";
import type { Selection } from "./selection";
import { useRows } from "./useRows";

const rowHeight = 38;
const features = tableFeatures({ columnVisibilityFeature });

export interface ObjectGridProps<T extends { id: string }> {
  label: string;
  collection: Collection;
  columns: readonly GridColumn<T>[];
  /** The ids of the columns to show; undefined shows the usual ones. */
  chosen?: readonly string[];
  query: ListQuery;
  sort?: string;
  onSort: (sort: string | undefined) => void;
  selection?: Selection<T>;
  onOpen?: (row: T) => void;
  /** Shown instead of rows where there are none. */
  empty: ReactNode;
  nameOf: (row: T) => string;
  /** Hears the ids of the rows in sight, for live cells. */
  onVisible?: (ids: string[]) => void;
  onTotal?: (total: number | undefined) => void;
}

/**
 * A list of any length: rows in sight are in the document, the pages they lie in are asked for, sorting and filtering
 * are the service's. Arrow keys move between rows, Enter opens, Space selects.
 */
export function ObjectGrid<T extends { id: string }>(props: ObjectGridProps<T>) {
  const { label, collection, columns, chosen, query, sort, onSort, selection, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const [span, setSpan] = useState({ first: 0, last: 40 });
  const full = useMemo(() => (sort ? { ...query, sort } : query), [query, sort]);
  const rows = useRows<T>(collection, full, span.first, span.last);
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
  const inSight = virtual.getVirtualItems();
  const table = useColumns(columns, chosen);
  // The table may hand out a new array each time; rows compare by identity, so this one stays while its ids do.
  const visible = table.getVisibleLeafColumns().map((column) => column.id).join();
  const shown = useMemo(() => columns.filter((column) => visible.split(",").includes(column.id)), [columns, visible]);
  const template = [...(selection ? ["22px"] : []), ...shown.map((c) => `minmax(${c.width}px, ${c.grow ?? 1}fr)`)].join(" ");
  const least = shown.reduce((sum, c) => sum + c.width + 12, selection ? 46 : 12);

  useReport(props, rows.total, inSight.map((item) => rows.at(item.index)));

  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(total - 1, index));
    setActive(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus());
  };

  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 2);
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: total - 1,
    };
    const row = rows.at(active);
    const move = moves[event.key];
    if (move !== undefined) focusRow(move);
    else if (event.key === "Enter" && row && event.target instanceof HTMLElement && event.target.role === "row") props.onOpen?.(row);
    else if (event.key === " " && row && selection && event.target instanceof HTMLElement && event.target.role === "row") selection.toggle(row);
    else return;
    event.preventDefault();
  };

  if (rows.error && !rows.total) return <ProblemNote error={rows.error} what="This list could not be read" />;
  if (rows.total === 0) return <div className="dp-grid-empty">{empty}</div>;

  return (
    <div className="dp-grid" ref={scroller} onKeyDown={onKey}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={total + 1}
        aria-colcount={shown.length + (selection ? 1 : 0)}
        aria-busy={rows.isFetching}
        aria-multiselectable={selection ? true : undefined}
        className="dp-grid-body"
        style={{ minWidth: `${least}px` }}
      >
        <div role="row" aria-rowindex={1} className="dp-grid-head" style={{ gridTemplateColumns: template }}>
          {selection && (
            <span role="columnheader" className="dp-cell">
              <span className="pf-v6-screen-reader">Selected</span>
            </span>
          )}
          {shown.map((column) => (
            <GridHeading key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
        <div role="rowgroup" className="dp-grid-rows" style={{ height: `${virtual.getTotalSize()}px` }}>
          {inSight.map((item) => {
            const row = rows.at(item.index);
            const selected = row ? (selection?.rows.has(row.id) ?? false) : false;
            const tabIndex = item.index === Math.min(active, total - 1) ? 0 : -1;
            return (
              <GridRow<T>
                key={item.key}
                index={item.index}
                start={item.start}
                row={row}
                columns={shown}
                template={template}
                tabIndex={tabIndex}
                selected={selected}
                onFocus={setActive}
                onSelect={selection?.toggle}
                nameOf={props.nameOf}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps<T> {
  index: number;
  /** Pixels from the top of all rows. */
  start: number;
  /** Undefined while its page is on the way. */
  row: T | undefined;
  columns: readonly GridColumn<T>[];
  template: string;
  tabIndex: number;
  selected: boolean;
  onFocus: (index: number) => void;
  onSelect?: (row: T, on?: boolean) => void;
  nameOf: (row: T) => string;
}

/** One row; it is drawn anew only when something about it differs, so that scrolling costs the new rows alone. */
const GridRow = memo(function GridRow<T extends { id: string }>(props: RowProps<T>) {
  const { index, start, row, columns, template, tabIndex, selected, onFocus, onSelect, nameOf } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={onSelect ? selected : undefined}
      data-index={index}
      tabIndex={tabIndex}
      onFocus={() => onFocus(index)}
      className={`dp-row${selected ? " dp-selected" : ""}`}
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
    >
      {onSelect && (
        <span role="gridcell" className="dp-cell">
          {row && (
            <input
              type="checkbox"
              aria-label={`Select ${nameOf(row)}`}
              checked={selected}
              tabIndex={tabIndex}
              onChange={(event) => onSelect(row, event.target.checked)}
            />
          )}
        </span>
      )}
      {columns.map((column) => (
        <span key={column.id} role="gridcell" className={`dp-cell${column.align ? " dp-end" : ""}`}>
          {row ? column.cell(row, tabIndex) : <Skeleton width="70%" />}
        </span>
      ))}
    </div>
  );
}) as <T extends { id: string }>(props: RowProps<T>) => ReactNode;

interface HeadingProps<T> {
  column: GridColumn<T>;
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
}

function GridHeading<T>({ column, sort, onSort }: HeadingProps<T>) {
  const by = column.sort;
  const order = ariaSort(sort, by);
  const mark = order === "ascending" ? "↑" : order === "descending" ? "↓" : "";
  return (
    <span role="columnheader" aria-sort={order} className={`dp-cell${column.align ? " dp-end" : ""}`}>
      {by ? (
        <button type="button" className="dp-sort" onClick={() => onSort(nextSort(sort, by))}>
          {column.title} <span aria-hidden="true">{mark}</span>
        </button>
      ) : (
        column.title
      )}
    </span>
  );
}

/** The table's model of which columns are there and which are shown. */
function useColumns<T extends { id: string }>(columns: readonly GridColumn<T>[], chosen: readonly string[] | undefined) {
  const definitions = useMemo(
    () => columns.map((column): ColumnDef<typeof features, T> => ({ id: column.id, header: column.title, meta: column })),
    [columns],
  );
  const columnVisibility = useMemo(() => {
    const shown = new Set(shownColumns(columns, chosen).map((column) => column.id));
    return Object.fromEntries(columns.map((column) => [column.id, shown.has(column.id)]));
  }, [columns, chosen]);
  return useTable({ features, columns: definitions, data: noRows, state: { columnVisibility } });
}

const noRows: never[] = [];

const restTime = 150;

/** Tells the screen what is in sight, once the scrolling rests: live cells are asked for what is looked at only. */
function useReport<T extends { id: string }>(props: ObjectGridProps<T>, total: number | undefined, rows: (T | undefined)[]) {
  const { onVisible, onTotal } = props;
  const ids = rows.flatMap((row) => (row ? [row.id] : [])).join();
  useEffect(() => {
    const timer = setTimeout(() => onVisible?.(ids === "" ? [] : ids.split(",")), restTime);
    return () => clearTimeout(timer);
  }, [ids, onVisible]);
  useEffect(() => onTotal?.(total), [total, onTotal]);
}
