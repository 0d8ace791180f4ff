import type { components } from "./schema";

/** The objects of the API by DAT's nouns; openapi.yaml says what they hold. */
type Schemas = components["schemas"];

export type EPState =
  | "UNCONNECTED"
  | "RESERVED"
  | "PASSIVE_CONNECTION_PENDING"
  | "ACTIVE_CONNECTION_PENDING"
  | "TENTATIVE_CONNECTION_PENDING"
  | "COMPLETION_PENDING"
  | "CONNECTED"
  | "DISCONNECT_PENDING"
  | "DISCONNECTED";

/** The nine states that occur, in the order in which an endpoint lives through them. */
export const epStates: readonly EPState[] = [
  "UNCONNECTED",
  "RESERVED",
  "PASSIVE_CONNECTION_PENDING",
  "TENTATIVE_CONNECTION_PENDING",
  "ACTIVE_CONNECTION_PENDING",
  "COMPLETION_PENDING",
  "CONNECTED",
  "DISCONNECT_PENDING",
  "DISCONNECTED",
];

/** An endpoint; its state is one of the nine that occur. */
export type Endpoint = Omit<Schemas["Endpoint"], "state"> & { state: EPState };

/** What an endpoint may be told to do; `operations` of an endpoint is a subset. */
export type Operation = Schemas["Endpoint"]["operations"][number];

/** One snapshot of a live endpoint. */
export type EPStatus = Omit<Schemas["EPStatus"], "state"> & { state: EPState };

export type IA = Omit<Schemas["IA"], "ia_attributes" | "provider_attributes"> & {
  ia_attributes: Record<string, AttributeValue>;
  provider_attributes: Record<string, AttributeValue>;
};

/** A value of an attribute of dat_ia_query. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | string[]
  | { [name: string]: string | boolean | { [name: string]: boolean } };

export type ObjectType = Schemas["ObjectRef"]["type"];
export type IAState = Schemas["IA"]["state"];
export type PZ = Schemas["PZ"];
export type EVD = Schemas["EVD"];
export type Stream = Schemas["EVD"]["streams"][number];
export type SRQ = Schemas["SRQ"];
export type LMR = Schemas["LMR"];
export type RMR = Schemas["RMR"];
export type PSP = Schemas["PSP"];
export type RSP = Schemas["RSP"];
export type CR = Schemas["CR"];
export type ObjectRef = Schemas["ObjectRef"];
export type RecvQuery = Schemas["RecvQuery"];
export type Node = Schemas["Node"];
export type Check = Schemas["Check"];
export type CheckList = Schemas["CheckList"];
export type BatchResults = Schemas["BatchResults"];
export type DATEvent = Schemas["Event"];

/** The part that objects of all types share. */
export type Meta = PZ;

/** One row of the append-only log; before and after hold the members that changed. */
export type Change = Omit<Schemas["Change"], "before" | "after"> & {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

/** One page of a list. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  total?: number;
}
