import type { Change, EVD, Endpoint, IA, Node } from "~/api/model";
import { count } from "~/components/format";
import { callIt, pathOf } from "~/components/object/ObjectLink";
import { peerText } from "../endpoints/columns";

/** Something that needs eyes, and where to look. */
export interface Concern {
  key: string;
  tone: "bad" | "closing";
  /** A drawing of its own, so that colour is never the only sign. */
  mark: string;
  what: string;
  detail: string;
  to: string;
  search?: Record<string, unknown>;
  at?: string;
}

const full = 0.9;

/** The limits of an IA by the member of `usage` that they bound. */
export const limits = {
  endpoints: "max_eps",
  pzs: "max_pzs",
  evds: "max_evds",
  srqs: "max_srqs",
  lmrs: "max_lmrs",
  rmrs: "max_rmrs",
} as const;

/** Endpoints whose connection did not end because somebody here wanted it to. */
export function brokenConnections(endpoints: readonly Endpoint[], endings: readonly Change[] = []): Concern[] {
  const expected = new Set(["DAT_CONNECTION_EVENT_DISCONNECTED", "DAT_CONNECTION_EVENT_ESTABLISHED"]);
  return endpoints.flatMap((endpoint) => {
    const last = endpoint.last_event;
    if (endpoint.state !== "DISCONNECTED" || !last?.event || expected.has(last.event)) return [];
    const peer = peerText(endpoint) || peerBefore(endings.find((change) => change.object.id === endpoint.id));
    return [
      {
        key: `broken ${endpoint.id}`,
        tone: "bad",
        mark: "✕",
        what: `${callIt(endpoint)} lost ${peer ? `its connection to ${peer}` : "its connection"}`,
        detail: [last.event, last.reason, last.detail].filter(Boolean).join(", "),
        to: pathOf("endpoint", endpoint.id),
        at: last.at,
      } satisfies Concern,
    ];
  });
}

/** The events that end a connection which nobody here meant to end. */
export const endingEvents = [
  "DAT_CONNECTION_EVENT_BROKEN",
  "DAT_CONNECTION_EVENT_TIMED_OUT",
  "DAT_CONNECTION_EVENT_UNREACHABLE",
  "DAT_CONNECTION_EVENT_PEER_REJECTED",
  "DAT_CONNECTION_EVENT_NON_PEER_REJECTED",
  "DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR",
];

/** Who was at the other end before a change: an ended connection has no peer any more. */
function peerBefore(change: Change | undefined): string {
  const before = change?.before as Partial<Endpoint> | null | undefined;
  return before?.peer?.name ?? before?.peer?.ia_address ?? before?.remote_ia_address ?? "";
}

/** Soft watermarks that fired, from the changes that recorded it, each endpoint once. */
export function firedWatermarks(changes: readonly Change[]): Concern[] {
  const seen = new Set<string>();
  return changes.flatMap((change) => {
    if (change.object.type !== "endpoint" || seen.has(change.object.id)) return [];
    seen.add(change.object.id);
    return [
      {
        key: `watermark ${change.object.id}`,
        tone: "closing",
        mark: "▲",
        what: `${callIt(change.object)} crossed its soft high watermark`,
        detail: "It fires once for each setting; set it again to be told again.",
        to: pathOf("endpoint", change.object.id),
        at: change.at,
      } satisfies Concern,
    ];
  });
}

/** EVDs that dropped events. */
export const overflowedEvds = (evds: readonly EVD[]): Concern[] =>
  evds
    .filter((evd) => evd.dropped > 0)
    .map((evd) => ({
      key: `evd ${evd.id}`,
      tone: "bad",
      mark: "✕",
      what: `EVD ${callIt(evd)} dropped ${count(evd.dropped)} events`,
      detail: `Its queue of ${count(evd.qlen)} was full; ${count(evd.depth)} wait in it now.`,
      to: pathOf("evd", evd.id),
    }));

/** IAs that are not up or have little room left. */
export function troubledIas(ias: readonly IA[]): Concern[] {
  return ias.flatMap((ia) => {
    const concerns: Concern[] = [];
    const at = pathOf("ia", ia.id);
    if (ia.state !== "UP") {
      concerns.push({ key: `ia ${ia.id}`, tone: "bad", mark: "✕", what: `IA ${ia.id} is ${ia.state}`, detail: ia.detail ?? "Its endpoints cannot transfer.", to: at });
    }
    for (const [kind, limit] of Object.entries(limits) as [keyof typeof limits, string][]) {
      const most = ia.ia_attributes?.[limit];
      const used = ia.usage?.[kind] ?? 0;
      if (typeof most === "number" && most > 0 && used >= most * full) {
        concerns.push({
          key: `limit ${ia.id} ${kind}`,
          tone: used >= most ? "bad" : "closing",
          mark: used >= most ? "✕" : "▲",
          what: `IA ${ia.id} has ${count(most - used)} ${kind} left`,
          detail: `${count(used)} of ${count(most)} (${limit}) are used.`,
          to: at,
        });
      }
    }
    return concerns;
  });
}

/** Nodes that share the database and are not heard of. */
export const silentNodes = (nodes: readonly Node[]): Concern[] =>
  nodes
    .filter((node) => node.state !== "UP")
    .map((node) => ({
      key: `node ${node.name}`,
      tone: "bad",
      mark: "✕",
      what: `Node ${node.name} is not heard of`,
      detail: `Its endpoints can be read, not changed. ${node.address ?? ""}`.trim(),
      to: "/endpoints",
      search: { node: [node.name] },
      at: node.last_seen,
    }));
