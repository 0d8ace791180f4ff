import type { Endpoint } from "~/api/model";
import { valueOf } from "./parameters";

/** Edited values by the parameter's dotted name; nothing is sent until all of them are. */
export type Edits = Readonly<Record<string, unknown>>;

/** Whether two values of a parameter are the same. */
export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Edits with one more; an edit back to the present value is none. */
export function withEdit(edits: Edits, endpoint: Endpoint, field: string, value: unknown): Edits {
  const next: Record<string, unknown> = { ...edits };
  if (same(value, valueOf(endpoint, field))) delete next[field];
  else next[field] = value;
  return next;
}

/** The body of the one modify that carries all edits. */
export function patchOf(edits: Edits, endpoint: Endpoint): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  const attributes: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(edits)) {
    const [head, name] = field.split(".");
    if (head === "attributes" && name) attributes[name] = named(value, valueOf(endpoint, field));
    else body[field] = value;
  }
  return Object.keys(attributes).length > 0 ? { ...body, attributes } : body;
}

/** Named attributes merge by name: what is gone from an edited set is sent as null, which removes it. */
function named(value: unknown, before: unknown): unknown {
  if (!isRecord(value) || !isRecord(before)) return value;
  const changed = Object.entries(value).filter(([name, text]) => before[name] !== text);
  const removed = Object.keys(before).filter((name) => !(name in value));
  return Object.fromEntries([...changed, ...removed.map((name) => [name, null])]);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A parameter that somebody else has changed since the editing began. */
export interface Conflict {
  field: string;
  base: unknown;
  theirs: unknown;
  mine: unknown;
  /** Whether both changed it, so that one must give way. */
  clash: boolean;
}

/** What others changed between the version that was edited and the latest one. */
export function conflicts(edits: Edits, base: Endpoint, latest: Endpoint, fields: readonly string[]): Conflict[] {
  return fields.flatMap((field) => {
    const before = valueOf(base, field);
    const theirs = valueOf(latest, field);
    const mine = field in edits ? edits[field] : before;
    if (same(before, theirs)) return [];
    return [{ field, base: before, theirs, mine, clash: field in edits && !same(mine, theirs) }];
  });
}

/** The edits that are left when theirs are taken for the fields named. */
export function takeTheirs(edits: Edits, fields: readonly string[]): Edits {
  return Object.fromEntries(Object.entries(edits).filter(([field]) => !fields.includes(field)));
}
