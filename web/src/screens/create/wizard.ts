import type { Call } from "~/api/call";
import { kinds, objectTypes } from "~/api/kinds";
import type { Matrix, Parameter } from "~/api/matrix";
import type { Problem } from "~/api/problem";

/** How an endpoint comes to a PZ or an EVD: one that is there, a new one, or none. */
export type Choice = { how: "existing"; id: string } | { how: "new"; name: string } | { how: "none" };

/** What the wizard has asked so far. */
export interface Draft {
  ia: string;
  name: string;
  labels: Record<string, string>;
  pz: Choice;
  /** Whether one new EVD serves every parameter that names an EVD. */
  events: "one-new" | "each" | "none";
  eventName: string;
  qlen: number;
  /** The EVDs that were chosen, by the name of the parameter. */
  evds: Record<string, string>;
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
  evds: {},
  srq: "",
  attributes: {},
};

/** The parameters that name an EVD. */
export const evdParameters = (matrix: Matrix): Parameter[] => [...matrix.parameters.values()].filter(({ type }) => type === "evd");

interface BatchOperation {
  method: "POST";
  path: string;
  body: Record<string, unknown>;
}

const named = (name: string) => (name.trim() === "" ? {} : { name: name.trim() });

/**
 * One atomic batch that makes the PZ, the EVD and the endpoint, so that a refusal of the last leaves nothing behind.
 * `"$0.id"` stands for the id that operation 0 made. Null while something that is needed is missing.
 */
export function batchOf(draft: Draft, matrix: Matrix): Call | null {
  if (draft.ia === "") return null;
  const operations: BatchOperation[] = [];
  const make = (type: "pz" | "evd" | "endpoint", body: Record<string, unknown>): string => {
    operations.push({ method: "POST", path: `/${kinds[type].collection}`, body: { ia: draft.ia, ...body } });
    return `$${operations.length - 1}.id`;
  };

  const members: Record<string, unknown> = {};
  if (draft.pz.how === "existing") {
    if (draft.pz.id === "") return null;
    members.pz = draft.pz.id;
  } else if (draft.pz.how === "new") members.pz = make("pz", named(draft.pz.name));

  if (draft.events === "one-new") {
    const evd = make("evd", { qlen: draft.qlen, streams: matrix.streamsFedBy("ENDPOINT"), ...named(draft.eventName) });
    for (const { name } of evdParameters(matrix)) members[name] = evd;
  } else if (draft.events === "each") {
    for (const [name, id] of Object.entries(draft.evds)) if (id !== "") members[name] = id;
  }
  if (draft.srq !== "") members.srq = draft.srq;
  if (Object.keys(draft.attributes).length > 0) members.attributes = draft.attributes;
  if (Object.keys(draft.labels).length > 0) members.labels = draft.labels;
  make("endpoint", { ...members, ...named(draft.name) });
  return { method: "POST", path: "/batch", body: { atomic: true, operations } };
}

/** What of a batch was refused, in words, where the problem names the operation. */
export function refusedPart(call: Call | null, problem: Problem): string | null {
  const match = /operations\[(\d+)\]/.exec(problem.errors?.[0]?.location ?? "");
  const operation = match ? (call?.body as { operations: BatchOperation[] } | undefined)?.operations[Number(match[1])] : undefined;
  const type = objectTypes.find((each) => operation?.path === `/${kinds[each].collection}`);
  if (!type) return null;
  const { one, long } = kinds[type];
  return `The ${type === "evd" ? one : long} was refused, so nothing was made`;
}
