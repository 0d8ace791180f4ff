import type { Collection, LoggedType, ObjectType } from "./model";

/** A tab of the connections screen. */
export type ConnectionsTab = "requests" | "psps" | "rsps" | "peers";

/** The names of a type of object, and its place in the API and on the page. */
export interface Kind {
  /** The name of the collection: its path in the API and on the page, and the first word of its query keys. */
  collection: Collection;
  one: string;
  many: string;
  /** The long name in the singular. */
  long: string;
  /** The tab of the connections screen that lists the objects; null if each has a page of its own. */
  tab: ConnectionsTab | null;
}

/** All types of objects. */
export const kinds = {
  ia: { collection: "ias", one: "IA", many: "IAs", long: "interface adapter", tab: null },
  pz: { collection: "pzs", one: "PZ", many: "PZs", long: "protection zone", tab: null },
  evd: { collection: "evds", one: "EVD", many: "EVDs", long: "event dispatcher", tab: null },
  srq: { collection: "srqs", one: "SRQ", many: "SRQs", long: "shared receive queue", tab: null },
  lmr: { collection: "lmrs", one: "LMR", many: "LMRs", long: "local memory region", tab: null },
  rmr: { collection: "rmrs", one: "RMR", many: "RMRs", long: "remote memory region", tab: null },
  endpoint: { collection: "endpoints", one: "endpoint", many: "endpoints", long: "endpoint", tab: null },
  psp: { collection: "psps", one: "PSP", many: "PSPs", long: "public service point", tab: "psps" },
  rsp: { collection: "rsps", one: "RSP", many: "RSPs", long: "reserved service point", tab: "rsps" },
  cr: { collection: "crs", one: "connection request", many: "connection requests", long: "connection request", tab: "requests" },
} as const satisfies Record<ObjectType, Kind>;

/** The collection of a type. */
export type CollectionOf<K extends ObjectType> = (typeof kinds)[K]["collection"];

/** The types in the order of the table. */
export const objectTypes = Object.keys(kinds) as ObjectType[];

/** The types of what the log tells of. */
export const loggedTypes: readonly LoggedType[] = [...objectTypes, "node"];

/** The names of a type of what the log tells of, and the first word of its query keys. A newer service may have types that this page does not know. */
export function namesOf(type: LoggedType): { collection: string; one: string; many: string } | undefined {
  return type === "node" ? { collection: "nodes", one: "node", many: "nodes" } : kinds[type];
}

/** A word with its first letter in upper case. */
export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The address of the page of an object, or of the list that it is in. */
export function objectPath(type: LoggedType, id: string): string {
  if (type === "node") return "/nodes";
  const { collection, tab } = kinds[type];
  return tab ? `/connections?tab=${tab}` : `/${collection}/${encodeURIComponent(id)}`;
}
