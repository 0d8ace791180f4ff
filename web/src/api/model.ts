import type { components } from "./schema";

/** The objects of the API by DAT's nouns; openapi.yaml says what they hold. */
type Schemas = components["schemas"];

/** The states that occur: DAT names others that the service never produces. */
export type EPState = Exclude<Schemas["EPState"], `UNCONFIGURED_${string}` | `CONNECTED_${string}`>;

/** An endpoint; its state is one of those that occur. */
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
export type Change = Schemas["Change"];

/** One page of a list. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  total?: number;
}

/** What each collection holds. */
export interface Items {
  ias: IA;
  endpoints: Endpoint;
  pzs: PZ;
  evds: EVD;
  srqs: SRQ;
  lmrs: LMR;
  rmrs: RMR;
  psps: PSP;
  rsps: RSP;
  crs: CR;
}

/** Collections whose lists and members are read in the same way. */
export type Collection = keyof Items;
