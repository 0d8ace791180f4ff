import { useCallback, useState } from "react";
import type { Change } from "~/api/model";
import { useChanges } from "~/api/stream/useFeed";
import { refusals, type ChangesSearch } from "./search";

const longest = 500;

/** Whether a change passes the filters of the log. */
export function passes(change: Change, search: ChangesSearch): boolean {
  const { object, type, node, ia, cause, actor, outcome, since, until, refused } = search;
  return (
    (!object || change.object.id === object) &&
    (!type || type.includes(change.object.type)) &&
    (!node || change.node === node) &&
    (!ia || change.ia === ia) &&
    (!cause || change.cause === cause) &&
    (!actor || change.actor === actor) &&
    (!outcome || change.outcome === outcome) &&
    (!refused || (refusals as readonly string[]).includes(change.outcome)) &&
    (!since || change.at >= since) &&
    (!until || change.at < until)
  );
}

/** The changes that arrived after the log was read, newest first. */
export function useLiveTail(search: ChangesSearch, on: boolean, newest: number | null): Change[] {
  const [tail, setTail] = useState<readonly Change[]>([]);
  const hear = useCallback(
    (change: Change) => {
      if (on) setTail((before) => [change, ...before].slice(0, longest));
    },
    [on],
  );
  useChanges(hear);
  return tail.filter((change) => (newest === null || change.id > newest) && passes(change, search));
}
