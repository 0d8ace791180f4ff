import { Skeleton } from "@patternfly/react-core";
import { memo, type ReactNode } from "react";
import { ariaSort, nextSort, type GridColumn } from "./columns";

interface RowProps<T> {
  index: number;
  /** Pixels from the top of all rows. */
  start: number;
  /** Undefined until its page has been read. */
  row: T | undefined;
  columns: readonly GridColumn<T>[];
  template: string;
  tabIndex: number;
  selected: boolean;
  onFocus: (index: number) => void;
  onSelect?: (row: T, on?: boolean) => void;
  nameOf: (row: T) => string;
}

/** One row; memoised, so that scrolling draws only the rows that come into view. */
export const GridRow = memo(function GridRow<T extends { id: string }>(props: RowProps<T>) {
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

interface HeadProps<T> {
  columns: readonly GridColumn<T>[];
  template: string;
  selectable: boolean;
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
}

/** The headings; a column that the service can sort by is a button. */
export function GridHead<T>({ columns, template, selectable, sort, onSort }: HeadProps<T>) {
  return (
    <div role="row" aria-rowindex={1} className="dp-grid-head" style={{ gridTemplateColumns: template }}>
      {selectable && (
        <span role="columnheader" className="dp-cell">
          <span className="pf-v6-screen-reader">Selected</span>
        </span>
      )}
      {columns.map((column) => (
        <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
      ))}
    </div>
  );
}

function Heading<T>({ column, sort, onSort }: { column: GridColumn<T> } & Pick<HeadProps<T>, "sort" | "onSort">) {
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
