import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { Table } from "~/components/Table";

interface Props<T> {
  found: UseQueryResult<T[]>;
  label: string;
  columns: readonly string[];
  /** What is said where there is none. */
  empty: { title: string; next: string };
  children: (item: T) => ReactNode;
}

/** A table of what was found, or why there is none. */
export function Rows<T>({ found, label, columns, empty, children }: Props<T>) {
  if (found.error) return <ProblemNote error={found.error} what={`${label} could not be read`} />;
  if (!found.data) return <LoadingLines lines={2} />;
  if (found.data.length === 0) return <EmptyNote title={empty.title}>{empty.next}</EmptyNote>;
  return (
    <Table label={label} columns={columns} className="dp-access">
      {found.data.map(children)}
    </Table>
  );
}
