/** What the address of a list holds. */
export interface ListSearch {
  name?: string;
  ia?: string;
  sort?: string;
  columns?: string[];
}

/** Reads the address of a list; what it cannot mean is left out. */
export function readListSearch(raw: Record<string, unknown>): ListSearch {
  const word = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const columns = Array.isArray(raw.columns) ? raw.columns.filter((id) => typeof id === "string") : undefined;
  return { name: word(raw.name), ia: word(raw.ia), sort: word(raw.sort), columns: columns?.length ? columns : undefined };
}
