/** The search parameters of a list. */
export interface ListSearch {
  name?: string;
  ia?: string;
  node?: string;
  sort?: string;
  columns?: string[];
}

/** Reads the search parameters of a list; invalid ones are dropped. */
export function readListSearch(raw: Record<string, unknown>): ListSearch {
  const word = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const columns = Array.isArray(raw.columns) ? raw.columns.filter((id) => typeof id === "string") : undefined;
  return { name: word(raw.name), ia: word(raw.ia), node: word(raw.node), sort: word(raw.sort), columns: columns?.length ? columns : undefined };
}
