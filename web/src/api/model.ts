import type { components } from "./schema";

// The types of the API under DAT's names; openapi.yaml describes their members.
type Schemas = components["schemas"];

/** A state of an endpoint; DAT has others, which the service never produces. */
export type EPState = Exclude<Schemas["EPState"], `UNCONFIGURED_${string}` | `CONNECTED_${string}`>;

/** An endpoint. */
export type Endpoint = Omit<Schemas["Endpoint"], "state"> & { state: EPState };

/** An operation on an endpoint, as in its `operations`. */
export type Operation = Schemas["Endpoint"]["operations"][number];

/** The live status of an endpoint. */
export type EPStatus = Omit<Schemas["EPStatus"], "state"> & { state: EPState };

/** An interface adapter with the attributes of dat_ia_query. */
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

/** The type of what the log tells of: an object, or a node. */
export type LoggedType = Schemas["ObjectRef"]["type"];
/** The type of an object. */
export type ObjectType = Exclude<LoggedType, "node">;
/** The state of an IA. */
export type IAState = Schemas["IA"]["state"];
/** A protection zone. */
export type PZ = Schemas["PZ"];
/** An event dispatcher. */
export type EVD = Schemas["EVD"];
/** An event stream that can feed an EVD. */
export type Stream = Schemas["EVD"]["streams"][number];
/** A shared receive queue. */
export type SRQ = Schemas["SRQ"];
/** A local memory region. */
export type LMR = Schemas["LMR"];
/** A remote memory region. */
export type RMR = Schemas["RMR"];
/** A public service point. */
export type PSP = Schemas["PSP"];
/** A reserved service point. */
export type RSP = Schemas["RSP"];
/** A connection request. */
export type CR = Schemas["CR"];
/** An object by type, id and name. */
export type ObjectRef = Schemas["ObjectRef"];
/** Who asks, and what they may. */
export type Whoami = Schemas["Whoami"];
/** What somebody may do. */
export type Role = Whoami["role"];
/** A token for a program, without its secret. */
export type Token = Schemas["Token"];
/** A person who may sign in. */
export type User = Schemas["User"];
/** Somebody who is signed in. */
export type Session = Schemas["Session"];
/** A line of the audit. */
export type AuditEntry = Schemas["AuditEntry"];
/** The receives of an endpoint (dat_ep_recv_query). */
export type RecvQuery = Schemas["RecvQuery"];
/** A host that shares the database. */
export type Node = Schemas["Node"];
/** The state of a node. */
export type NodeState = Node["state"];
/** One check of an IA. */
export type Check = Schemas["Check"];
/** The checks of an IA. */
export type CheckList = Schemas["CheckList"];
/** Something on the device of an IA, whoever made it. */
export type Resource = Schemas["Resource"];
/** A kind of what there is on a device. */
export type ResourceKind = Resource["kind"];
/** The counters of an IA. */
export type IACounters = Schemas["IACounters"];
/** The results of a batch, one for each operation. */
export type BatchResults = Schemas["BatchResults"];
/** An event in the queue of an EVD. */
export type DATEvent = Schemas["Event"];

/** The members that all objects have. */
export type Meta = PZ;

/** An entry of the change log; before and after hold the members that changed. */
export type Change = Schemas["Change"];

/** One page of a list. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  total?: number;
}

/** The type of the objects in each collection. */
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

/** The name of a collection, which is its path. */
export type Collection = keyof Items;
