import type { Call } from "~/api/call";
import type { Stream } from "~/api/model";
import type { Problem } from "~/api/problem";

/** How an endpoint comes to a PZ or an EVD: one that is there, a new one, or none. */
export type Choice = { how: "existing"; id: string } | { how: "new"; name: string } | { how: "none" };

export type EVDRole = "recv_evd" | "request_evd" | "connect_evd";

/** What the wizard has asked so far. */
export interface Draft {
  ia: string;
  name: string;
  labels: Record<string, string>;
  pz: Choice;
  /** Whether one new EVD serves all three roles. */
  events: "one-new" | "each" | "none";
  eventName: string;
  qlen: number;
  evds: Record<EVDRole, string>;
  srq: string;
  /** Attributes that differ from the provider's defaults, by name. */
  attributes: Record<string, unknown>;
}

export const emptyDraft: Draft = {
  ia: "",
  name: "",
  labels: {},
  pz: { how: "new", name: "" },
  events: "one-new",
  eventName: "",
  qlen: 256,
  evds: { recv_evd: "", request_evd: "", connect_evd: "" },
  srq: "",
  attributes: {},
};

const allStreams: Stream[] = ["DTO", "RMR_BIND", "CONNECTION"];

interface Operation {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

const named = (name: string) => (name.trim() === "" ? {} : { name: name.trim() });

/**
 * One atomic batch that makes the PZ, the EVD and the endpoint, so that a refusal of the last leaves nothing behind.
 * `"$0.id"` stands for the id that operation 0 made. Null while something that is needed is missing.
 */
export function batchOf(draft: Draft): Call | null {
  if (draft.ia === "") return null;
  const operations: Operation[] = [];
  const make = (path: string, body: Record<string, unknown>): string => {
    operations.push({ method: "POST", path, body: { ia: draft.ia, ...body } });
    return `$${operations.length - 1}.id`;
  };

  const members: Record<string, unknown> = {};
  if (draft.pz.how === "existing") {
    if (draft.pz.id === "") return null;
    members.pz = draft.pz.id;
  } else if (draft.pz.how === "new") members.pz = make("/pzs", named(draft.pz.name));

  if (draft.events === "one-new") {
    const evd = make("/evds", { qlen: draft.qlen, streams: allStreams, ...named(draft.eventName) });
    Object.assign(members, { recv_evd: evd, request_evd: evd, connect_evd: evd });
  } else if (draft.events === "each") {
    for (const [role, id] of Object.entries(draft.evds)) if (id !== "") members[role] = id;
  }
  if (draft.srq !== "") members.srq = draft.srq;
  if (Object.keys(draft.attributes).length > 0) members.attributes = draft.attributes;
  if (Object.keys(draft.labels).length > 0) members.labels = draft.labels;
  make("/endpoints", { ...members, ...named(draft.name) });
  return { method: "POST", path: "/batch", body: { atomic: true, operations } };
}

const partNames: Record<string, string> = { "/pzs": "The protection zone", "/evds": "The EVD", "/endpoints": "The endpoint" };

/** What of a batch was refused, in words, where the problem names the operation. */
export function refusedPart(call: Call | null, problem: Problem): string | null {
  const match = /operations\[(\d+)\]/.exec(problem.errors?.[0]?.location ?? "");
  const operation = match ? (call?.body as { operations: Operation[] } | undefined)?.operations[Number(match[1])] : undefined;
  const part = operation ? partNames[operation.path] : undefined;
  return part ? `${part} was refused, so nothing was made` : null;
}
