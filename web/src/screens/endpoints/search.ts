import type { EPState } from "~/api/model";
import { nameFilter, type ListQuery } from "~/api/queries";
import { epStates } from "~/components/state/shapes";

/** The search parameters of the list of endpoints. */
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

/** Reads the search parameters; invalid ones are dropped. */
export function readEndpointsSearch(raw: Record<string, unknown>): EndpointsSearch {
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

/** Search parameters that clear all filters. */
export const noFilters: EndpointsSearch = {
  name: undefined,
  state: undefined,
  ia: undefined,
  node: undefined,
  pz: undefined,
  evd: undefined,
  srq: undefined,
  label: undefined,
  remote_ia_address: undefined,
};

/** The query for the service. */
export function filtersOf(search: EndpointsSearch): ListQuery<"endpoints"> {
  const { name, state, ia, node, pz, evd, srq, label, remote_ia_address } = search;
  return {
    ...(name ? { name: [nameFilter(name)] } : {}),
    ...(state ? { state } : {}),
    ...(ia ? { ia } : {}),
    ...(node ? { node } : {}),
    ...(pz ? { pz: [pz] } : {}),
    ...(evd ? { evd: [evd] } : {}),
    ...(srq ? { srq: [srq] } : {}),
    ...(label ? { label } : {}),
    ...(remote_ia_address ? { remote_ia_address: [remote_ia_address] } : {}),
  };
}

/** Reports whether any filter is set. */
export const isFiltered = (search: EndpointsSearch): boolean => Object.keys(filtersOf(search)).length > 0;
