import type { ListQuery } from "~/api/queries";

/** The filters of the log, as its address holds them. */
export interface ChangesSearch {
  object?: string;
  type?: string[];
  node?: string;
  ia?: string;
  cause?: string;
  actor?: string;
  outcome?: string;
  since?: string;
  until?: string;
  /** Only what did not succeed; the service filters by one outcome, so this one is the page's own. */
  refused?: boolean;
}

const words = ["object", "node", "ia", "cause", "actor", "outcome", "since", "until"] as const;

/** Reads an address; what it cannot mean is left out. */
export function readChangesSearch(raw: Record<string, unknown>): ChangesSearch {
  const search: ChangesSearch = {};
  for (const word of words) {
    const value = raw[word];
    if (typeof value === "string" && value !== "") search[word] = value;
  }
  const types = [raw.type ?? []].flat().filter((type): type is string => typeof type === "string");
  if (types.length > 0) search.type = types;
  if (raw.refused === true) search.refused = true;
  return search;
}

/** The returns that a refused call can have; asked for together, they are every refusal. */
export const refusals = [
  "DAT_INVALID_STATE",
  "DAT_INVALID_PARAMETER",
  "DAT_INVALID_HANDLE",
  "DAT_INSUFFICIENT_RESOURCES",
  "DAT_MODEL_NOT_SUPPORTED",
  "DAT_CONN_QUAL_IN_USE",
  "DAT_CONN_QUAL_UNAVAILABLE",
  "DAT_PRIVILEGES_VIOLATION",
  "DAT_PROTECTION_VIOLATION",
  "DAT_INVALID_ADDRESS",
  "DAT_QUEUE_FULL",
  "DAT_LENGTH_ERROR",
  "DAT_INTERNAL_ERROR",
] as const;

/** The filters that the service is asked for. */
export function changesQuery(search: ChangesSearch): ListQuery {
  const { refused, ...rest } = search;
  return refused && !rest.outcome ? { ...rest, outcome: [...refusals] } : { ...rest };
}
