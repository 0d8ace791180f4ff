/** The objects of the API as the page reads them, with DAT's words for members. */

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

/** What an endpoint may be told to do; `operations` of an endpoint is a subset. */
export type Operation =
  | "modify"
  | "set_watermark"
  | "connect"
  | "dup_connect"
  | "accept"
  | "create_rsp"
  | "disconnect"
  | "reset"
  | "free"
  | "post_recv"
  | "post_send"
  | "post_rdma_write"
  | "post_rdma_read"
  | "bind_rmr";

export type ObjectType = "ia" | "pz" | "evd" | "srq" | "lmr" | "rmr" | "endpoint" | "psp" | "rsp" | "cr";

/** The part that objects of all types share. */
export interface Meta {
  id: string;
  name: string | null;
  labels: Record<string, string>;
  ia: string;
  node: string;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface EPAttributes {
  service_type: string;
  max_message_size: number;
  max_rdma_size: number;
  qos: string;
  recv_completion_flags: string;
  request_completion_flags: string;
  max_recv_dtos: number;
  max_request_dtos: number;
  max_recv_iov: number;
  max_request_iov: number;
  max_rdma_read_in: number;
  max_rdma_read_out: number;
  srq_soft_hw: number | null;
  max_rdma_read_iov: number;
  max_rdma_write_iov: number;
  ep_transport_specific: Record<string, string>;
  ep_provider_specific: Record<string, string>;
}

export interface Watermarks {
  soft_high: number | null;
  hard_high: number | null;
  soft_armed: boolean;
  hard_armed: boolean;
}

export interface Peer {
  endpoint: string | null;
  node: string | null;
  name: string | null;
  ia_address: string | null;
  port_qual: number | null;
  qp_num: number | null;
}

export interface LastEvent {
  event: string | null;
  reason: string | null;
  at: string;
  detail: string | null;
}

export interface Endpoint extends Meta {
  state: EPState;
  pz: string | null;
  recv_evd: string | null;
  request_evd: string | null;
  connect_evd: string | null;
  srq: string | null;
  local_ia_address: string | null;
  local_port_qual: number | null;
  remote_ia_address: string | null;
  remote_port_qual: number | null;
  attributes: EPAttributes;
  watermarks: Watermarks;
  peer: Peer | null;
  last_event: LastEvent | null;
  transport: { qp_num: number | null; qp_state: string | null };
  modifiable?: string[];
  operations: Operation[];
}

export interface DTOCounters {
  recvs: number;
  sends: number;
  rdma_writes: number;
  rdma_reads: number;
  rmr_binds: number;
  recv_bytes: number;
  sent_bytes: number;
  errors: number;
  flushed: number;
}

/** One snapshot of a live endpoint. */
export interface EPStatus {
  id?: string;
  state: EPState;
  recv_idle: boolean;
  request_idle: boolean;
  observed_at: string;
  last_proof_of_life?: string | null;
  recvs?: number;
  requests?: number;
  counters?: DTOCounters;
}

export interface RecvQuery {
  nbufs_allocated: number | null;
  bufs_alloc_span: number | null;
}

export type IAState = "UP" | "DOWN" | "GONE";

/** A value of an attribute of dat_ia_query. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | string[]
  | { [name: string]: string | boolean | { [name: string]: boolean } };

export interface IAUsage {
  endpoints: number;
  pzs: number;
  evds: number;
  srqs: number;
  lmrs: number;
  rmrs: number;
  psps: number;
  rsps: number;
}

export interface IA extends Meta {
  provider: string;
  device: string;
  port: number;
  state: IAState;
  detail?: string | null;
  async_evd: string | null;
  ia_attributes: Record<string, AttributeValue>;
  provider_attributes: Record<string, AttributeValue>;
  usage: IAUsage;
}

export type PZ = Meta;

export type Stream = "SOFTWARE" | "CR" | "DTO" | "CONNECTION" | "RMR_BIND" | "ASYNC";

export interface EVD extends Meta {
  qlen: number;
  streams: Stream[];
  waitable: boolean;
  depth: number;
  dropped: number;
  mode: string | null;
  in_use_by: Record<string, number>;
}

export interface SRQ extends Meta {
  pz: string | null;
  max_recv_dtos: number;
  max_recv_iov: number;
  low_watermark: number;
  state: string;
  available_dto_count: number | null;
  outstanding_dto_count: number | null;
}

export interface LMR extends Meta {
  pz: string | null;
  mem_type: string;
  lmr: string | null;
  offset: number;
  shared_id: string | null;
  length: number;
  privileges: string[];
  target_address: string;
  rmr_context: string | null;
}

export interface RMR extends Meta {
  pz: string | null;
  lmr: string | null;
  offset: number;
  length: number;
  privileges: string[];
  target_address: string | null;
  rmr_context: string | null;
}

export interface PSP extends Meta {
  conn_qual: number;
  evd: string | null;
  ep_creator: "CONSUMER" | "PROVIDER";
}

export interface RSP extends Meta {
  conn_qual: number;
  evd: string | null;
  endpoint: string | null;
}

export interface CR extends Meta {
  psp: string | null;
  rsp: string | null;
  conn_qual: number;
  remote_ia_address: string | null;
  remote_port_qual: number | null;
  private_data_size: number;
  endpoint: string | null;
  private_data?: string | null;
}

export interface ObjectRef {
  type: ObjectType;
  id: string;
  name: string | null;
}

export interface DATEvent {
  event: string | null;
  stream: Stream;
  evd: string | null;
  ia: string | null;
  endpoint: string | null;
  object: ObjectRef | null;
  reason: string | null;
  at: string;
  data: Record<string, unknown> | null;
}

/** One row of the append-only log. */
export interface Change {
  id: number;
  at: string;
  node: string;
  ia: string | null;
  object: ObjectRef;
  cause: string;
  actor: string;
  request_id: string | null;
  reason: string | null;
  outcome: string;
  fields: string[] | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  version: number;
  reverted_to?: number | null;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  total?: number;
}

export interface Node {
  name: string;
  address: string | null;
  version: string;
  last_seen: string;
  state: string;
}
