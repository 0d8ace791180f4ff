import { defaultStringifySearch } from "@tanstack/react-router";
import { kinds, objectPath, objectTypes } from "~/api/kinds";
import { limitOn } from "~/api/limits";
import type { Matrix } from "~/api/matrix";
import type { Change, EVD, Endpoint, IA, Node } from "~/api/model";
import { count } from "~/components/format";
import { displayName } from "~/components/object/ObjectLink";
import { peerText } from "~/components/object/peer";

/** Something that needs eyes, and where to look. */
export interface Concern {
  key: string;
  tone: "bad" | "closing";
  what: string;
  detail: string;
  href: string;
  at?: string;
}

/** A drawing of its own for each tone, so that colour is never the only sign. */
export const concernMarks: Record<Concern["tone"], string> = { bad: "✕", closing: "▲" };

/** The part of a limit from which on little is left. */
const nearlyFull = 0.9;

/** Endpoints whose connection ended by a failure; the changes that ended it tell who the peer was. */
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

/** Who was at the other end before a change: an ended connection has no peer any more. */
function peerBefore(change: Change | undefined): string {
  const before = change?.before as Partial<Endpoint> | null | undefined;
  return before?.peer?.name ?? before?.peer?.ia_address ?? before?.remote_ia_address ?? "";
}

/** Soft watermarks that fired, from the changes that recorded it, newest first; each endpoint once. */
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

/** EVDs that dropped events. */
export const overflowedEVDs = (evds: readonly EVD[]): Concern[] =>
  evds
    .filter((evd) => evd.dropped > 0)
    .map((evd) => ({
      key: `evd ${evd.id}`,
      tone: "bad",
      what: `EVD ${displayName(evd)} dropped ${count(evd.dropped)} events`,
      detail: `Its queue of ${count(evd.qlen)} was full; ${count(evd.depth)} wait in it now.`,
      href: objectPath("evd", evd.id),
    }));

/** IAs that are not up or have little room left. */
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

/** Nodes that share the database and are not heard of. */
export const silentNodes = (nodes: readonly Node[]): Concern[] =>
  nodes
    .filter((node) => node.state !== "UP")
    .map((node) => ({
      key: `node ${node.name}`,
      tone: "bad",
      what: `Node ${node.name} is not heard of`,
      detail: `Its endpoints can be read, not changed. ${node.address ?? ""}`.trim(),
      href: `/endpoints${defaultStringifySearch({ node: [node.name] })}`,
      at: node.last_seen,
    }));
