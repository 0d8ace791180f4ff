import { kinds, objectPath, objectTypes } from "~/api/kinds";
import { limitOn } from "~/api/limits";
import type { Matrix } from "~/api/matrix";
import type { Change, EVD, Endpoint, IA, Node } from "~/api/model";
import { count } from "~/components/format";
import { displayName } from "~/components/object/ObjectLink";
import { peerText } from "~/components/object/peer";

/** Something that an operator should look at. */
export interface Concern {
  key: string;
  tone: "bad" | "closing";
  what: string;
  detail: string;
  href: string;
  at?: string;
}

/** The drawing of each tone, so that it is not shown by colour alone. */
export const concernMarks: Record<Concern["tone"], string> = { bad: "✕", closing: "▲" };

/** The share of a limit from which on it is a concern. */
const nearlyFull = 0.9;

/** The endpoints whose connection ended by a failure. The changes that ended it give the name of the peer. */
export function brokenConnections(matrix: Matrix, endpoints: readonly Endpoint[], endings: readonly Change[] = []): Concern[] {
  return endpoints.flatMap((endpoint) => {
    const last = endpoint.last_event;
    if (endpoint.state !== "DISCONNECTED" || !last?.event || !matrix.failures.includes(last.event)) return [];
    const peer = peerText(endpoint) || peerBefore(endings.find((change) => change.object.id === endpoint.id));
    return [
      {
        key: `broken ${endpoint.id}`,
        tone: "bad",
        what: `${displayName(endpoint)} lost ${peer ? `its connection to ${peer}` : "its connection"}`,
        detail: [last.event, last.reason, last.detail].filter(Boolean).join(", "),
        href: objectPath("endpoint", endpoint.id),
        at: last.at,
      } satisfies Concern,
    ];
  });
}

/** The peer before a change, which an endpoint loses with its connection. */
function peerBefore(change: Change | undefined): string {
  const before = change?.before as Partial<Endpoint> | null | undefined;
  return before?.peer?.name ?? before?.peer?.ia_address ?? before?.remote_ia_address ?? "";
}

/** The soft watermarks that fired, from the changes that recorded it, newest first and one for each endpoint. */
export function firedWatermarks(changes: readonly Change[]): Concern[] {
  const seen = new Set<string>();
  const newest = changes.filter(({ object }) => !seen.has(object.id) && seen.add(object.id));
  return newest.map(({ object, at }) => ({
    key: `watermark ${object.id}`,
    tone: "closing",
    what: `${displayName(object)} crossed its soft high watermark`,
    detail: "It fires once for each setting; set it again to be told again.",
    href: objectPath("endpoint", object.id),
    at,
  }));
}

/** The EVDs that dropped events. */
export const overflowedEVDs = (evds: readonly EVD[]): Concern[] =>
  evds
    .filter((evd) => (evd.dropped ?? 0) > 0)
    .map((evd) => ({
      key: `evd ${evd.id}`,
      tone: "bad",
      what: `EVD ${displayName(evd)} dropped ${count(evd.dropped)} events`,
      detail: `Its queue of ${count(evd.qlen)} was full; ${count(evd.depth)} wait in it now.`,
      href: objectPath("evd", evd.id),
    }));

/** The IAs that are not up, and the limits that are nearly reached. */
export const troubledIAs = (matrix: Matrix, ias: readonly IA[]): Concern[] =>
  ias.flatMap((ia) => [...(ia.state === "UP" ? [] : [notUp(ia)]), ...nearLimits(matrix, ia)]);

const notUp = (ia: IA): Concern => ({
  key: `ia ${ia.id}`,
  tone: "bad",
  what: `IA ${ia.id} is ${ia.state}`,
  detail: ia.detail ?? "Its endpoints cannot transfer.",
  href: objectPath("ia", ia.id),
});

function nearLimits(matrix: Matrix, ia: IA): Concern[] {
  const usage: Partial<Record<string, number>> = ia.usage ?? {};
  return objectTypes.flatMap((type) => {
    const { collection } = kinds[type];
    const attribute = matrix.limitOf(type);
    const limit = limitOn(ia, attribute);
    const used = usage[collection] ?? 0;
    if (limit === undefined || limit <= 0 || used < limit * nearlyFull) return [];
    return [
      {
        key: `limit ${ia.id} ${collection}`,
        tone: used >= limit ? "bad" : "closing",
        what: `IA ${ia.id} has ${count(limit - used)} ${collection} left`,
        detail: `${count(used)} of ${count(limit)} (${attribute}) are used.`,
        href: objectPath("ia", ia.id),
      } satisfies Concern,
    ];
  });
}

/** The nodes that are not up. */
export const silentNodes = (nodes: readonly Node[]): Concern[] =>
  nodes
    .filter((node) => node.state !== "UP")
    .map((node) => ({
      key: `node ${node.name}`,
      tone: "bad",
      what: `Node ${node.name} ${node.state === "LEFT" ? "has stopped" : node.state === "DOWN" ? "is down" : "is not heard"}`,
      detail: `Its endpoints can be read, not changed. ${node.address ?? ""}`.trim(),
      href: objectPath("node", node.id),
      at: node.last_seen,
    }));
