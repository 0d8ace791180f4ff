import { Button, ExpandableSection } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Change, Endpoint } from "~/api/model";
import { history } from "~/api/queries";
import { kindMarks, kindOf, kindTones, kindWords, stateMove, touched } from "~/components/change/words";
import { DiffTable } from "~/components/DiffTable";
import { EmptyNote, LoadingLines } from "~/components/Notes";
import { ProblemNote } from "~/components/ProblemNote";
import { StateLabel } from "~/components/state/StateLabel";
import type { EPState } from "~/api/model";
import { Exact } from "~/components/time";
import { RevertDialog } from "./RevertDialog";

const step = 100;

/** Everything that was done to the endpoint and that happened to it, on one axis, newest first. */
export function Timeline({ id, endpoint }: { id: string; endpoint: Endpoint | undefined }) {
  const [limit, setLimit] = useState(step);
  const [revert, setRevert] = useState<number | null>(null);
  const found = useQuery(history(id, limit));
  if (found.error) return <ProblemNote error={found.error} what="The history could not be read" />;
  if (!found.data) return <LoadingLines lines={8} label="Reading the history" />;
  if (found.data.items.length === 0) {
    return <EmptyNote title="No history">Nothing is kept from this endpoint any more.</EmptyNote>;
  }
  const revertible = new Set(firstOfVersion(found.data.items).map((change) => change.id));
  return (
    <>
      <ol className="dp-timeline" aria-label="History, newest first">
        {found.data.items.map((change) => (
          <Moment
            key={change.id}
            change={change}
            onRevert={
              endpoint && change.version < endpoint.version && revertible.has(change.id) ? () => setRevert(change.version) : undefined
            }
          />
        ))}
      </ol>
      {found.data.next_cursor && (
        <Button variant="link" isLoading={found.isFetching} onClick={() => setLimit(Math.min(1000, limit + step))}>
          Show older
        </Button>
      )}
      {revert !== null && endpoint && <RevertDialog endpoint={endpoint} to={revert} onClose={() => setRevert(null)} />}
    </>
  );
}

/** The change that made each version; refusals carry the version they met. */
function firstOfVersion(changes: readonly Change[]): Change[] {
  return changes.filter((change) => change.outcome === "DAT_SUCCESS" && change.after !== null);
}

function Moment({ change, onRevert }: { change: Change; onRevert?: () => void }) {
  const [open, setOpen] = useState(false);
  const kind = kindOf(change);
  const move = stateMove(change);
  const hasDifference = change.before !== null && change.after !== null;
  return (
    <li className="dp-moment" data-kind={kind}>
      <div className="dp-moment-when">
        <Exact at={change.at} />
      </div>
      <div className="dp-moment-line">
        <span className={`dp-moment-dot dp-tone-${kindTones[kind]}`} title={kindWords[kind]} aria-hidden="true">
          {kindMarks[kind]}
        </span>
      </div>
      <div className="dp-moment-body">
        <div className="dp-moment-title">
          <span className="pf-v6-screen-reader">{kindWords[kind]}</span>
          <code>{change.cause}</code>
          {kind === "refused" && <code className="dp-tone-bad">{change.outcome}</code>}
          {move && kind !== "refused" && (
            <span className="dp-move">
              → <StateLabel state={move.to as EPState} />
            </span>
          )}
          <span className="dp-subtle">
            version {change.version} · by {change.actor}
            {change.node ? ` on ${change.node}` : ""}
            {change.reverted_to ? ` · back to version ${change.reverted_to}` : ""}
          </span>
        </div>
        {change.reason && <p className="dp-reason">{change.reason}</p>}
        {touched(change) !== "" && !hasDifference && <p className="dp-subtle">{touched(change)}</p>}
        {hasDifference && (
          <ExpandableSection toggleText={touched(change) || "Details"} isExpanded={open} onToggle={(_event, next) => setOpen(next)} isIndented>
            <DiffTable before={change.before} after={change.after} label={`What change ${change.id} did`} />
          </ExpandableSection>
        )}
        {onRevert && (
          <Button variant="link" isInline size="sm" onClick={onRevert}>
            Go back to version {change.version}
          </Button>
        )}
      </div>
    </li>
  );
}
