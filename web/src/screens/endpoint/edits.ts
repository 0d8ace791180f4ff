import type { Endpoint } from "~/api/model";
import { valueOf } from "./parameters";

/** Edited values by the name of the parameter; they are sent together as one modify. */
export type Edits = Readonly<Record<string, unknown>>;

/** Reports whether two values of a parameter are equal. */
export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The edits with one more; an edit back to the present value is removed. */
export function withEdit(edits: Edits, endpoint: Endpoint, field: string, value: unknown): Edits {
  const next: Record<string, unknown> = { ...edits };
  if (same(value, valueOf(endpoint, field))) delete next[field];
  else next[field] = value;
  return next;
}

/** The body of the PATCH with all edits. */
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

/** The merge patch of named attributes: changed ones with their value, removed ones with null. */
function named(value: unknown, before: unknown): unknown {
  if (!isRecord(value) || !isRecord(before)) return value;
  const changed = Object.entries(value).filter(([name, text]) => before[name] !== text);
  const removed = Object.keys(before).filter((name) => !(name in value));
  return Object.fromEntries([...changed, ...removed.map((name) => [name, null])]);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A parameter that somebody else changed during the editing. */
export interface Conflict {
  field: string;
  base: unknown;
  theirs: unknown;
  mine: unknown;
  /** Whether it was edited here too, to another value. */
  clash: boolean;
}

/** The parameters that others changed between the edited version and the latest one. */
export function conflicts(edits: Edits, base: Endpoint, latest: Endpoint, fields: readonly string[]): Conflict[] {
  return fields.flatMap((field) => {
    const before = valueOf(base, field);
    const theirs = valueOf(latest, field);
    const mine = field in edits ? edits[field] : before;
    if (same(before, theirs)) return [];
    return [{ field, base: before, theirs, mine, clash: field in edits && !same(mine, theirs) }];
  });
}

/** The edits without those of the fields. */
export function takeTheirs(edits: Edits, fields: readonly string[]): Edits {
  return Object.fromEntries(Object.entries(edits).filter(([field]) => !fields.includes(field)));
}
