import { Button, ExpandableSection } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Change, Endpoint } from "~/api/model";
import { history } from "~/api/queries";
import { changeSummary, isRefused } from "~/components/change/changeKind";
import { TimelineEntry } from "~/components/change/TimelineEntry";
import { DiffTable } from "~/components/DiffTable";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { StateLabel } from "~/components/state/StateLabel";
import { RevertDialog } from "./RevertDialog";

const step = 100;
const most = 1000;

/** The calls and events of an endpoint on one timeline, newest first. */
export function TimelineTab({ id, endpoint }: { id: string; endpoint: Endpoint | undefined }) {
  const [limit, setLimit] = useState(step);
  const [revert, setRevert] = useState<number | null>(null);
  const found = useQuery(history(id, limit));
  if (found.error) return <ProblemNote error={found.error} what="The history could not be read" />;
  if (!found.data) return <LoadingLines lines={8} label="Reading the history" />;
  if (found.data.items.length === 0) {
    return <EmptyNote title="No history">Nothing is kept from this endpoint any more.</EmptyNote>;
  }
  return (
    <>
      <ol className="dp-timeline" aria-label="History, newest first">
        {found.data.items.map((change) => (
          <Entry
            key={change.id}
            change={change}
            onRevert={endpoint && makesVersion(change) && change.version < endpoint.version ? () => setRevert(change.version) : undefined}
          />
        ))}
      </ol>
      {found.data.next_cursor && (
        <Button variant="link" isLoading={found.isFetching} onClick={() => setLimit(Math.min(most, limit + step))}>
          Show older
        </Button>
      )}
      {revert !== null && endpoint && <RevertDialog endpoint={endpoint} to={revert} onClose={() => setRevert(null)} />}
    </>
  );
}

/** Reports whether a change made its version; a refused call has the version that it met. */
const makesVersion = (change: Change): boolean => !isRefused(change) && change.after !== null;

function Entry({ change, onRevert }: { change: Change; onRevert?: () => void }) {
  const [open, setOpen] = useState(false);
  const summary = changeSummary(change);
  const hasDifference = change.before !== null && change.after !== null;
  const newState = (change.after as Partial<Endpoint> | null)?.state;
  return (
    <TimelineEntry
      change={change}
      facts={
        <>
          {newState && !isRefused(change) && (
            <span>
              → <StateLabel state={newState} />
            </span>
          )}
          <span className="dp-subtle">
            version {change.version} · by {change.actor}
            {change.node ? ` on ${change.node}` : ""}
            {change.reverted_to ? ` · back to version ${change.reverted_to}` : ""}
          </span>
        </>
      }
    >
      {hasDifference ? (
        <ExpandableSection toggleText={summary || "Details"} isExpanded={open} onToggle={(_event, next) => setOpen(next)} isIndented>
          <DiffTable before={change.before} after={change.after} label={`What change ${change.id} did`} />
        </ExpandableSection>
      ) : (
        summary !== "" && <p className="dp-subtle">{summary}</p>
      )}
      {onRevert && (
        <Button variant="link" isInline size="sm" onClick={onRevert}>
          Go back to version {change.version}
        </Button>
      )}
    </TimelineEntry>
  );
}
