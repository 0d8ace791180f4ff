import type { ReactNode } from "react";
import type { Change } from "~/api/model";
import { Exact } from "../time";
import { changeKind, changeKinds } from "./changeKind";
import "./Timeline.css";

interface Props {
  change: Change;
  /** Content after the cause. */
  facts: ReactNode;
  children: ReactNode;
}

/** A change on a timeline: its time, kind, cause and reason. */
export function TimelineEntry({ change, facts, children }: Props) {
  const kind = changeKind(change);
  const { mark, word, tone } = changeKinds[kind];
  return (
    <li className="dp-moment" data-kind={kind}>
      <div className="dp-moment-when">
        <Exact at={change.at} />
      </div>
      <div className="dp-moment-line">
        <span className={`dp-moment-dot dp-tone-${tone}`} title={word} aria-hidden="true">
          {mark}
        </span>
      </div>
      <div className="dp-moment-body">
        <div className="dp-moment-title">
          <span className="pf-v6-screen-reader">{word}</span>
          <code>{change.cause}</code>
          {kind === "refused" && <code className="dp-tone-bad">{change.outcome}</code>}
          {facts}
        </div>
        {change.reason && <p className="dp-reason">{change.reason}</p>}
        {children}
      </div>
    </li>
  );
}
