import { create } from "jsondiffpatch";

/** A member that differs, by its dotted name. */
export interface Difference {
  field: string;
  before: unknown;
  after: unknown;
  kind: "changed" | "added" | "removed";
}

const differ = create({ omitRemovedValues: false });

/** Members that change with every version and say nothing by themselves. */
const uninteresting = new Set(["version", "updated_at", "operations", "modifiable"]);

/** The differences between two versions of an object, one for each member, sorted by name. */
export function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  walk(differ.diff(before ?? {}, after ?? {}), [], found);
  return found.filter((difference) => !uninteresting.has(difference.field)).sort((a, b) => a.field.localeCompare(b.field));
}

function walk(delta: unknown, path: string[], found: Difference[]): void {
  if (delta === undefined || delta === null) return;
  const field = path.join(".");
  if (Array.isArray(delta)) {
    if (delta.length === 1) found.push({ field, before: undefined, after: delta[0] as unknown, kind: "added" });
    else if (delta.length === 2) found.push({ field, before: delta[0] as unknown, after: delta[1] as unknown, kind: "changed" });
    else if (delta[2] === 0) found.push({ field, before: delta[0] as unknown, after: undefined, kind: "removed" });
    return;
  }
  if (typeof delta !== "object") return;
  const members = delta as Record<string, unknown>;
  for (const [name, inner] of Object.entries(members)) {
    if (name === "_t") continue;
    walk(inner, [...path, members._t === "a" ? `[${name.replace("_", "")}]` : name], found);
  }
}

/** A value as text: null, a missing value and the text "null" look different. */
export function valueText(value: unknown): string {
  if (value === undefined) return "–";
  if (value === null) return "null";
  return typeof value === "string" ? value : JSON.stringify(value);
}
