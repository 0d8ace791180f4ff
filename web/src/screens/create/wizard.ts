import type { Call } from "~/api/call";
import { kinds, objectTypes } from "~/api/kinds";
import type { Matrix, Parameter } from "~/api/matrix";
import type { Problem } from "~/api/problem";

/** The choice of a protection zone: an existing one, a new one, or none. */
export type PZChoice = { how: "existing"; id: string } | { how: "new"; name: string } | { how: "none" };

/** The answers given in the wizard. */
export interface Draft {
  ia: string;
  name: string;
  labels: Record<string, string>;
  pz: PZChoice;
  /** One new EVD for all parameters that name one, an existing EVD for each, or none. */
  events: "one-new" | "each" | "none";
  eventName: string;
  qlen: number;
  /** The chosen EVDs by the name of the parameter. */
  evds: Record<string, string>;
  srq: string;
  /** The attributes that are not left at their defaults, by name. */
  attributes: Record<string, unknown>;
}

/** The draft at the start of the wizard. */
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
 * The atomic batch that creates the PZ, the EVD and the endpoint. `"$0.id"` stands for the id of the object that
 * operation 0 creates. Null while a required choice is missing.
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

/** A sentence on which object of the batch was refused; null if the problem names none. */
export function refusedPart(call: Call | null, problem: Problem): string | null {
  const match = /operations\[(\d+)\]/.exec(problem.errors?.[0]?.location ?? "");
  const operation = match ? (call?.body as { operations: BatchOperation[] } | undefined)?.operations[Number(match[1])] : undefined;
  const type = objectTypes.find((each) => operation?.path === `/${kinds[each].collection}`);
  if (!type) return null;
  const { one, long } = kinds[type];
  return `The ${type === "evd" ? one : long} was refused, so nothing was made`;
}
