import type { ReactNode } from "react";
import { ScrollArea } from "./ScrollArea";
import "./Table.css";

interface Props {
  /** The table's name. */
  label: string;
  /** The name of the scroll area if it differs from the label. */
  scrollLabel?: string;
  /** The headings; an empty one is a cell without heading. */
  columns?: readonly (string | { title: string; align: "end" })[];
  /** Whether the headings are for screen readers only. */
  headHidden?: boolean;
  className?: string;
  children: ReactNode;
}

/** A table of a few rows; a long list uses ObjectGrid. */
export function Table({ label, scrollLabel = label, columns = [], headHidden, className, children }: Props) {
  return (
    <ScrollArea label={scrollLabel}>
      <table className={className ? `dp-table ${className}` : "dp-table"} aria-label={label}>
        {columns.length > 0 && (
          <thead className={headHidden ? "pf-v6-screen-reader" : undefined}>
            <tr>
              {columns.map((column) => {
                const { title, align } = typeof column === "string" ? { title: column, align: undefined } : column;
                if (title === "") return <td key={title} />;
                return (
                  <th key={title} scope="col" className={align && "dp-end"}>
                    {title}
                  </th>
                );
              })}
            </tr>
          </thead>
        )}
        <tbody>{children}</tbody>
      </table>
    </ScrollArea>
  );
}
