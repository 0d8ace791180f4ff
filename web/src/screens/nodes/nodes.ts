import type { Node } from "~/api/model";
import { plural } from "~/components/format";
import { ago } from "~/components/time";

/** The milliseconds between two heartbeats of a node that lives, and those that one may take. */
const regular = 7000;

/**
 * How long ago a node was heard, where it was read some milliseconds ago. The age is by the clock of the database, so
 * that that of the browser may be wrong; as long as it is a regular one it does not count up.
 */
export function heartbeat(node: Node, sinceRead: number): string {
  const age = node.heartbeat_age_ms + Math.max(0, sinceRead);
  if (node.state === "UP" && node.heartbeat_age_ms <= regular) return "regular";
  return ago(0, age);
}

/** How far a node that lives was behind the log at its last heartbeat. */
export function logLag(node: Node): string {
  if (node.state !== "UP") return "–";
  return node.changes_behind === 0 ? "up to date" : `${plural(node.changes_behind, "change")} behind`;
}

/** Reports whether a node can be retired: it is not alive as far as anybody knows. */
export const mayRetire = (node: Node): boolean => node.state === "DOWN" || node.state === "LEFT";
