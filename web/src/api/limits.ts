import type { IA } from "./model";

/** A limit of an IA by the name of its attribute; undefined if the IA has none. */
export function limitOn(ia: IA | undefined, attribute: string | null): number | undefined {
  const limit = attribute === null ? undefined : ia?.ia_attributes?.[attribute];
  if (typeof limit === "number") return limit;
  return typeof limit === "string" && /^\d+$/.test(limit) ? Number(limit) : undefined;
}
