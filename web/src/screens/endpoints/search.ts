import { epStates, type EPState } from "~/api/model";
import type { ListQuery } from "~/api/queries";

/** The state of the grid, as its address holds it. */
export interface EndpointsSearch {
  name?: string;
  state?: EPState[];
  ia?: string[];
  node?: string[];
  pz?: string;
  evd?: string;
  srq?: string;
  label?: string[];
  remote_ia_address?: string;
  sort?: string;
  columns?: string[];
}

const texts = (value: unknown): string[] | undefined => {
  const all = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const words = all.filter((item) => typeof item === "string" && item !== "").map(String);
  return words.length > 0 ? words : undefined;
};

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

/** Reads an address; what it cannot mean is left out rather than refused. */
export function readSearch(raw: Record<string, unknown>): EndpointsSearch {
  return {
    name: text(raw.name),
    state: texts(raw.state)?.filter((word): word is EPState => (epStates as readonly string[]).includes(word)),
    ia: texts(raw.ia),
    node: texts(raw.node),
    pz: text(raw.pz),
    evd: text(raw.evd),
    srq: text(raw.srq),
    label: texts(raw.label),
    remote_ia_address: text(raw.remote_ia_address),
    sort: text(raw.sort),
    columns: texts(raw.columns),
  };
}

/** The filters that the service is asked for. */
export function filtersOf(search: EndpointsSearch): ListQuery {
  const { name, state, ia, node, pz, evd, srq, label, remote_ia_address } = search;
  const query: ListQuery = { name: named(name), state, ia, node, pz, evd, srq, label, remote_ia_address };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

/** A name without a star finds every name that holds it. */
export const named = (name: string | undefined): string | undefined =>
  name === undefined || name.includes("*") ? name : `*${name}*`;

/** Whether anything narrows the list. */
export const isFiltered = (search: EndpointsSearch): boolean => Object.keys(filtersOf(search)).length > 0;
