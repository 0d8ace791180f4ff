import { Button, Switch } from "@patternfly/react-core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { AuditEntry } from "~/api/model";
import { readAudit, type AuditQuery } from "~/api/queries";
import { TextFilter } from "~/components/filters";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { Table } from "~/components/Table";
import { Exact } from "~/components/time";
import type { AccessSearch } from "./search";

const route = getRouteApi("/access");
const columns = ["When", "Who", "From", "What", "To what", "Outcome", "Why"];

/** Sign-ins, tokens, users, sessions, and what was refused for want of rights, newest first. */
export function Audit() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const change = (next: Partial<AccessSearch>) => void navigate({ to: "/access", search: { ...search, ...next }, replace: true });
  const query: AuditQuery = {
    ...(search.actor ? { actor: [search.actor] } : {}),
    ...(search.action ? { action: [search.action] } : {}),
    ...(search.refused ? { outcome: ["refused"] } : {}),
  };
  const found = useInfiniteQuery({
    queryKey: ["audit", query],
    queryFn: ({ signal, pageParam }) => readAudit({ ...query, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const lines = found.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <div className="dp-toolbar" role="search" aria-label="Filter the audit">
        <TextFilter label="Who" value={search.actor} onChange={(actor) => change({ actor })} />
        <TextFilter label="What, as create-token" value={search.action} onChange={(action) => change({ action })} />
        <Switch id="audit-refused" label="Refused only" isChecked={search.refused === true} onChange={(_event, on) => change({ refused: on || undefined })} />
      </div>
      {found.error ? (
        <ProblemNote error={found.error} what="The audit could not be read" />
      ) : !found.data ? (
        <LoadingLines lines={3} />
      ) : lines.length === 0 ? (
        <EmptyNote title="No line fits">What changes objects is not here but in the log of changes, with who did it.</EmptyNote>
      ) : (
        <Table label="Audit" columns={columns} className="dp-access">
          {lines.map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </Table>
      )}
      {found.hasNextPage && (
        <Button variant="link" isLoading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          Show older ones
        </Button>
      )}
    </>
  );
}

function Line({ line }: { line: AuditEntry }) {
  return (
    <tr>
      <td>
        <Exact at={line.at} />
      </td>
      <td>{line.actor === "" ? <span className="dp-none">nobody known</span> : line.actor}</td>
      <td>
        <code>{line.address}</code>
      </td>
      <td>{line.action}</td>
      <td>{line.object ?? "–"}</td>
      <td>
        {line.outcome}
        {line.detail && <span className="dp-subtle dp-here">{line.detail}</span>}
      </td>
      <td>{line.reason ?? ""}</td>
    </tr>
  );
}
