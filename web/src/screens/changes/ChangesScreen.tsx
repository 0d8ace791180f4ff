import { Button, Switch, TextInput } from "@patternfly/react-core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { client, read } from "~/api/client";
import type { Change, ObjectType, Page } from "~/api/model";
import { ExportMenu } from "~/components/grid/ExportMenu";
import { FilterMenu } from "~/components/grid/GridToolbar";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { typeWords } from "~/components/object/ObjectLink";
import { ProblemNote } from "~/components/ProblemNote";
import { Screen } from "~/components/Screen";
import { ChangeTable, exportColumns } from "./ChangeTable";
import { changesQuery, type ChangesSearch } from "./search";
import { useLiveTail } from "./useLiveTail";

const pageRows = 100;
const types = Object.keys(typeWords) as ObjectType[];

/** The log of everything: who did what, what happened by itself, what was refused. */
export function ChangesScreen() {
  const search = useSearch({ strict: false }) as ChangesSearch;
  const navigate = useNavigate();
  const [live, setLive] = useState(true);
  const change = (next: Partial<ChangesSearch>) => void navigate({ to: "/changes", search: { ...search, ...next }, replace: true });
  const query = changesQuery(search);
  const found = useInfiniteQuery({
    queryKey: ["changes", "log", query],
    queryFn: ({ signal, pageParam }) =>
      read<Page<Change>>(
        client.GET("/changes", { params: { query: { ...query, limit: pageRows, ...(pageParam ? { cursor: pageParam } : {}) } as never }, signal }),
      ),
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
        <FilterMenu
          label="Type"
          value={search.type ?? []}
          choices={types.map((type) => ({ value: type, label: typeWords[type].many }))}
          onChange={(type) => change({ type: type.length > 0 ? type : undefined })}
        />
        <Filter label="Cause" value={search.cause} onChange={(cause) => change({ cause })} />
        <Filter label="Actor" value={search.actor} onChange={(actor) => change({ actor })} />
        <Filter label="Outcome" value={search.outcome} onChange={(outcome) => change({ outcome })} />
        <Filter label="Object id" value={search.object} onChange={(object) => change({ object })} />
        <Moment label="From" value={search.since} onChange={(since) => change({ since })} />
        <Moment label="Until" value={search.until} onChange={(until) => change({ until })} />
        <Switch id="refused" label="Refused only" isChecked={search.refused ?? false} onChange={(_event, on) => change({ refused: on || undefined })} />
        {filtered && (
          <Button variant="link" onClick={() => void navigate({ to: "/changes", search: {} })}>
            Clear filters
          </Button>
        )}
        <span className="dp-toolbar-end">
          <Switch id="tail" label="Live tail" isChecked={live} onChange={(_event, on) => setLive(on)} />
          <ExportMenu<Change> collection="changes" columns={exportColumns} query={query} total={undefined} />
        </span>
      </div>
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
    </Screen>
  );
}

interface FilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

const pause = 350;

/** A filter that is applied when the typing stops. */
function Filter({ label, value, onChange }: FilterProps) {
  const [text, setText] = useState(value ?? "");
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    setText(value ?? "");
  }
  useEffect(() => {
    if (text === (value ?? "")) return;
    const timer = setTimeout(() => onChange(text.trim() || undefined), pause);
    return () => clearTimeout(timer);
  });
  return <TextInput className="dp-filter" aria-label={label} placeholder={label} value={text} onChange={(_event, next) => setText(next)} />;
}

/** A moment in the reader's zone; the address holds it in UTC. */
function Moment({ label, value, onChange }: FilterProps) {
  const local = value ? toLocal(value) : "";
  return (
    <label className="dp-moment-filter">
      {label}
      <input
        type="datetime-local"
        step="1"
        value={local}
        onChange={(event) => onChange(event.target.value ? new Date(event.target.value).toISOString() : undefined)}
      />
    </label>
  );
}

function toLocal(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
