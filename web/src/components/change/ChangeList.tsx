import type { Change } from "~/api/model";
import { DiffTable } from "../DiffTable";
import { changeSummary } from "./changeKind";
import { TimelineEntry } from "./TimelineEntry";

/** A short log of changes of one object. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="dp-subtle">Nothing is recorded.</p>;
  return (
    <ol className="dp-timeline">
      {changes.map((change) => (
        <TimelineEntry
          key={change.id}
          change={change}
          facts={
            <span className="dp-subtle">
              version {change.version} · by {change.actor}
            </span>
          }
        >
          {change.before && change.after ? (
            <DiffTable before={change.before} after={change.after} label={`What change ${change.id} did`} />
          ) : (
            <p className="dp-subtle">{changeSummary(change)}</p>
          )}
        </TimelineEntry>
      ))}
    </ol>
  );
}
