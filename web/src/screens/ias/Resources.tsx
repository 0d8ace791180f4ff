import { Button, ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, read } from "~/api/client";
import type { Page, Resource, ResourceKind } from "~/api/model";
import { Card } from "~/components/Card";
import { count } from "~/components/format";
import { LoadingLines } from "~/components/Notes";
import { HandleLink } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Table } from "~/components/Table";

/** The kinds of what there is on a device, with their names in the plural. */
const kinds: Record<ResourceKind, string> = {
  qp: "Queue pairs",
  cm_id: "Connection ids",
  cq: "Completion queues",
  mr: "Memory regions",
  pd: "Protection domains",
  ctx: "Contexts",
  srq: "Shared receive queues",
};
const kindNames = Object.keys(kinds) as ResourceKind[];

/** Rows that are shown at first, and the most that one read answers. */
const firstRows = 50;
const mostRows = 1000;

const resources = (ia: string, kind: ResourceKind) =>
  queryOptions({
    queryKey: ["ias", "resources", ia, kind],
    queryFn: ({ signal }) =>
      read<Page<Resource>>(
        client.GET("/ias/{ia}/resources", { params: { path: { ia }, query: { kind: [kind], limit: mostRows, total: true } }, signal }),
      ),
    refetchInterval: 5000,
    retry: false,
  });

/** Everything on the device of an IA, whoever made it, one kind at a time. */
export function Resources({ ia }: { ia: string }) {
  const [kind, setKind] = useState<ResourceKind>("qp");
  const found = useQuery(resources(ia, kind));
  return (
    <Card title="On the device" aside={<span className="dp-subtle">of every process</span>}>
      <ToggleGroup aria-label="Kind">
        {kindNames.map((name) => (
          <ToggleGroupItem key={name} text={kinds[name]} isSelected={name === kind} onChange={() => setKind(name)} />
        ))}
      </ToggleGroup>
      {found.error ? (
        <ProblemNote error={found.error} what="What is on the device could not be read" />
      ) : !found.data ? (
        <LoadingLines lines={3} label="Reading" />
      ) : (
        <Rows key={kind} kind={kind} page={found.data} />
      )}
    </Card>
  );
}

function Rows({ kind, page: { items, total } }: { kind: ResourceKind; page: Page<Resource> }) {
  const [all, setAll] = useState(false);
  if (items.length === 0) return <p className="dp-none">none</p>;
  const shown = all ? items : items.slice(0, firstRows);
  const addresses = kind === "cm_id";
  return (
    <>
      <Table
        label={kinds[kind]}
        columns={["Number", "Type", "State", addresses ? "From, to" : "Peer", "Made by", "Process", "Endpoint"]}
        className="dp-resources"
      >
        {shown.map((resource) => (
          <tr key={resource.number}>
            <th scope="row">{resource.number}</th>
            <td>{resource.type ?? "–"}</td>
            <td>{resource.state ?? "–"}</td>
            <td>{addresses ? `${resource.source ?? "–"} → ${resource.destination ?? "–"}` : (resource.remote_number ?? "–")}</td>
            <td>{resource.owner === "orphan" ? <strong className="dp-tone-bad">▲ orphan</strong> : resource.owner}</td>
            <td>
              {resource.comm ?? "–"} {resource.pid !== null && <span className="dp-subtle">{resource.pid}</span>}
            </td>
            <td>{resource.endpoint ? <HandleLink type="endpoint" id={resource.endpoint} /> : "–"}</td>
          </tr>
        ))}
      </Table>
      {shown.length < items.length && (
        <Button variant="link" isInline onClick={() => setAll(true)}>
          Show {count(items.length)}
        </Button>
      )}
      {total !== undefined && total > items.length && (
        <p className="dp-subtle">
          These are the first {count(items.length)} of {count(total)}; <code>datapi ia resources</code> lists them all.
        </p>
      )}
    </>
  );
}
