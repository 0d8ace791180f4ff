import type { Change } from "~/api/model";
import { DiffTable } from "../DiffTable";
import { Exact } from "../time";
import { kindMarks, kindOf, kindTones, kindWords, touched } from "./words";

/** A short log of changes of one object. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="dp-subtle">Nothing is recorded.</p>;
  return (
    <ol className="dp-timeline">
      {changes.map((change) => {
        const kind = kindOf(change);
        return (
          <li key={change.id} className="dp-moment">
            <div className="dp-moment-when">
              <Exact at={change.at} />
            </div>
            <div className="dp-moment-line">
              <span className={`dp-moment-dot dp-tone-${kindTones[kind]}`} aria-hidden="true">
                {kindMarks[kind]}
              </span>
            </div>
            <div className="dp-moment-body">
              <div className="dp-moment-title">
                <span className="pf-v6-screen-reader">{kindWords[kind]}</span>
                <code>{change.cause}</code>
                {kind === "refused" && <code className="dp-tone-bad">{change.outcome}</code>}
                <span className="dp-subtle">
                  version {change.version} · by {change.actor}
                </span>
              </div>
              {change.reason && <p className="dp-reason">{change.reason}</p>}
              {change.before && change.after ? (
                <DiffTable before={change.before} after={change.after} label={`What change ${change.id} did`} />
              ) : (
                <p className="dp-subtle">{touched(change)}</p>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
