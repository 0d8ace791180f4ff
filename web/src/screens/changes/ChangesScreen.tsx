import { Button, Switch } from "@patternfly/react-core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { loggedTypes, namesOf } from "~/api/kinds";
import type { Change, LoggedType } from "~/api/model";
import { readChanges } from "~/api/queries";
import { useChanges } from "~/api/stream/useFeed";
import { useMatrix } from "~/api/useMatrix";
import { ExportMenu } from "~/components/grid/ExportMenu";
import { FilterMenu } from "~/components/grid/GridToolbar";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { PartBoundary } from "~/components/PartBoundary";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { ChangeTable, exportColumns } from "./ChangeTable";
import { TextFilter, TimeFilter } from "~/components/filters";
import { changesQuery, passes, type ChangesSearch } from "./search";
import "./ChangesScreen.css";

const pageRows = 100;
const route = getRouteApi("/changes");

/** The change log: calls, refused calls, events. */
export function ChangesScreen() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const matrix = useMatrix();
  const [live, setLive] = useState(true);
  const change = (next: Partial<ChangesSearch>) => void navigate({ to: "/changes", search: { ...search, ...next }, replace: true });
  const query = changesQuery(search, matrix);
  const found = useInfiniteQuery({
    queryKey: ["changes", "log", query],
    queryFn: ({ signal, pageParam }) => readChanges({ ...query, limit: pageRows, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const recorded = found.data?.pages.flatMap((page) => page.items) ?? [];
  const tail = useLiveTail(search, live, recorded[0]?.id ?? null);
  const rows = [...tail, ...recorded];
  const filtered = Object.keys(search).length > 0;

  return (
    <Screen title="Changes" about="Everything that was done and that happened, newest first. Refused calls are here too; they changed nothing.">
      <div className="dp-toolbar" role="search" aria-label="Filter the log">
        <Filters search={search} onChange={change} />
        {filtered && (
          <Button variant="link" onClick={() => void navigate({ to: "/changes", search: {} })}>
            Clear filters
          </Button>
        )}
        <span className="dp-toolbar-end">
          <Switch id="tail" label="Live tail" isChecked={live} onChange={(_event, on) => setLive(on)} />
          <ExportMenu
            name="changes"
            columns={exportColumns}
            readPage={(position, signal) => readChanges({ ...query, ...position }, signal)}
            total={undefined}
          />
        </span>
      </div>
      <PartBoundary name="The log">
        {found.error ? (
          <ProblemNote error={found.error} what="The log could not be read" />
        ) : !found.data ? (
          <LoadingLines lines={10} />
        ) : rows.length === 0 ? (
          <EmptyNote title="Nothing is recorded">{filtered ? "The filters leave nothing over." : "Create something, and it appears here."}</EmptyNote>
        ) : (
          <>
            <ChangeTable changes={rows} fresh={new Set(tail.map((row) => row.id))} />
            {found.hasNextPage && (
              <Button variant="link" isLoading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                Show older
              </Button>
            )}
          </>
        )}
      </PartBoundary>
    </Screen>
  );
}

function Filters({ search, onChange }: { search: ChangesSearch; onChange: (next: Partial<ChangesSearch>) => void }) {
  return (
    <>
      <FilterMenu
        label="Type"
        value={search.type ?? []}
        choices={loggedTypes.map((type) => ({ value: type, label: namesOf(type)?.many ?? type }))}
        onChange={(types) => onChange({ type: types.length > 0 ? (types as LoggedType[]) : undefined })}
      />
      <TextFilter label="Cause" value={search.cause} onChange={(cause) => onChange({ cause })} />
      <TextFilter label="Actor" value={search.actor} onChange={(actor) => onChange({ actor })} />
      <TextFilter label="Outcome" value={search.outcome} onChange={(outcome) => onChange({ outcome })} />
      <TextFilter label="Object id" value={search.object} onChange={(object) => onChange({ object })} />
      <TimeFilter label="From" value={search.since} onChange={(since) => onChange({ since })} />
      <TimeFilter label="Until" value={search.until} onChange={(until) => onChange({ until })} />
      <Switch id="refused" label="Refused only" isChecked={search.refused ?? false} onChange={(_event, on) => onChange({ refused: on || undefined })} />
    </>
  );
}

const longestTail = 500;

/** The changes that arrived since the log was read, newest first. */
function useLiveTail(search: ChangesSearch, on: boolean, newest: number | null): Change[] {
  const [tail, setTail] = useState<readonly Change[]>([]);
  const onChange = useCallback(
    (change: Change) => {
      if (on) setTail((before) => [change, ...before].slice(0, longestTail));
    },
    [on],
  );
  useChanges(onChange);
  return tail.filter((change) => (newest === null || change.id > newest) && passes(change, search));
}
