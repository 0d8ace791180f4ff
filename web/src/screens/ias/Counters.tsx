import { queryOptions, useQuery } from "@tanstack/react-query";
import { client, read } from "~/api/client";
import type { IACounters } from "~/api/model";
import { Card } from "~/components/Card";
import { LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { Table } from "~/components/Table";

const counters = (ia: string) =>
  queryOptions({
    queryKey: ["ias", "counters", ia],
    queryFn: ({ signal }) => read<IACounters>(client.GET("/ias/{ia}/counters", { params: { path: { ia } }, signal })),
    refetchInterval: 5000,
    retry: false,
  });

/** A decimal string with groups of three digits: it may be beyond what a number holds. */
const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ",");

/** The counters of the port and device of an IA, by the kernel's names. */
export function Counters({ ia }: { ia: string }) {
  const found = useQuery(counters(ia));
  const rows = Object.entries(found.data?.counters ?? {}).sort(([a], [b]) => a.localeCompare(b));
  return (
    <Card title="Counters" aside={<span className="dp-subtle">of the port and the device</span>}>
      {found.error ? (
        <ProblemNote error={found.error} what="The counters could not be read" />
      ) : !found.data ? (
        <LoadingLines lines={3} label="Reading" />
      ) : rows.length === 0 ? (
        <p className="dp-none">This device counts nothing.</p>
      ) : (
        <Table label="Counters" className="dp-attributes">
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{grouped(value)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}
