import type { EPState, Endpoint, IA } from "~/api/model";
import type { Matrix } from "~/api/matrix";
import { epShapes } from "~/components/state/shapes";

export type ParameterKind = "handle" | "count" | "size" | "choice" | "named" | "fixed";

/** One parameter of an endpoint, by the name that a PATCH uses. */
export interface Parameter {
  field: string;
  title: string;
  kind: ParameterKind;
  means: string;
  /** Where a handle leads, and the stream that an EVD needs to have. */
  type?: "pz" | "evd" | "srq" | "ia";
  stream?: "DTO" | "CONNECTION";
  choices?: readonly string[];
  /** The attribute of the IA that limits it. */
  limit?: string;
}

export interface ParameterGroup {
  title: string;
  parameters: readonly Parameter[];
}

const count = (name: string, title: string, means: string, limit: string): Parameter => ({
  field: `attributes.${name}`,
  title,
  kind: "count",
  means,
  limit,
});

/** All parameters, grouped as somebody looks for them. */
export const parameterGroups: readonly ParameterGroup[] = [
  {
    title: "Protection and events",
    parameters: [
      { field: "pz", title: "Protection zone", kind: "handle", type: "pz", means: "Memory of this zone alone may be used in transfers." },
      { field: "recv_evd", title: "Receive EVD", kind: "handle", type: "evd", stream: "DTO", means: "Completions of receives go here." },
      { field: "request_evd", title: "Request EVD", kind: "handle", type: "evd", stream: "DTO", means: "Completions of sends, RDMA and binds go here." },
      { field: "connect_evd", title: "Connect EVD", kind: "handle", type: "evd", stream: "CONNECTION", means: "Events of the connection go here." },
      { field: "srq", title: "SRQ", kind: "fixed", type: "srq", means: "Receives are taken from this shared queue; chosen at creation." },
    ],
  },
  {
    title: "Transfers",
    parameters: [
      { field: "attributes.service_type", title: "Service type", kind: "choice", choices: ["RC"], means: "Reliable connected is the only one." },
      { field: "attributes.max_message_size", title: "Max message size", kind: "size", limit: "max_message_size", means: "Bytes of one send." },
      { field: "attributes.max_rdma_size", title: "Max RDMA size", kind: "size", limit: "max_rdma_size", means: "Bytes of one RDMA read or write." },
      {
        field: "attributes.qos",
        title: "Quality of service",
        kind: "choice",
        choices: ["BEST_EFFORT", "HIGH_THROUGHPUT", "LOW_LATENCY", "ECONOMY", "PREMIUM"],
        means: "What the connection asks of the fabric.",
      },
      {
        field: "attributes.recv_completion_flags",
        title: "Recv completion flags",
        kind: "choice",
        choices: ["EVD_THRESHOLD", "SOLICITED_WAIT", "UNSIGNALLED"],
        means: "How completed receives wake a waiter. Not while receives are posted.",
      },
      {
        field: "attributes.request_completion_flags",
        title: "Request completion flags",
        kind: "choice",
        choices: ["EVD_THRESHOLD", "UNSIGNALLED"],
        means: "How completed requests wake a waiter.",
      },
    ],
  },
  {
    title: "Depths",
    parameters: [
      count("max_recv_dtos", "Max receives", "Outstanding receives at most.", "max_dto_per_ep"),
      count("max_request_dtos", "Max requests", "Outstanding sends, RDMA and binds at most.", "max_dto_per_ep"),
      count("max_recv_iov", "Max recv IOV", "Segments of one receive.", "max_iov_segments_per_dto"),
      count("max_request_iov", "Max request IOV", "Segments of one request.", "max_iov_segments_per_dto"),
      count("max_rdma_read_in", "RDMA reads in", "Outstanding RDMA reads with this endpoint as target.", "max_rdma_read_per_ep_in"),
      count("max_rdma_read_out", "RDMA reads out", "Outstanding RDMA reads from this endpoint.", "max_rdma_read_per_ep_out"),
      count("max_rdma_read_iov", "RDMA read IOV", "Segments of one RDMA read.", "max_iov_segments_per_rdma_read"),
      count("max_rdma_write_iov", "RDMA write IOV", "Segments of one RDMA write.", "max_iov_segments_per_rdma_write"),
      { field: "attributes.srq_soft_hw", title: "SRQ soft high watermark", kind: "fixed", means: "Set with the watermarks." },
    ],
  },
  {
    title: "Named attributes",
    parameters: [
      {
        field: "attributes.ep_transport_specific",
        title: "Transport specific",
        kind: "named",
        means: "retry_count 0–7, rnr_retry_count 0–6, ack_timeout 0–31, tos 0–255. An empty value removes a name.",
      },
      { field: "attributes.ep_provider_specific", title: "Provider specific", kind: "named", means: "max_inline_data. An empty value removes a name." },
    ],
  },
  {
    title: "Identity",
    parameters: [
      { field: "ia", title: "IA", kind: "fixed", type: "ia", means: "Chosen at creation." },
      { field: "local_ia_address", title: "Local IA address", kind: "fixed", means: "The IA's." },
      { field: "local_port_qual", title: "Local port qualifier", kind: "fixed", means: "Given with the connection." },
      { field: "remote_ia_address", title: "Remote IA address", kind: "fixed", means: "Given with the connection." },
      { field: "remote_port_qual", title: "Remote port qualifier", kind: "fixed", means: "Given with the connection." },
    ],
  },
];

/** The value of a parameter by its dotted name. */
export function valueOf(endpoint: Endpoint, field: string): unknown {
  return field.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], endpoint);
}

/** The largest value that the IA allows. */
export function limitOf(parameter: Parameter, ia: IA | undefined): number | undefined {
  const limit = parameter.limit ? ia?.ia_attributes[parameter.limit] : undefined;
  return typeof limit === "number" ? limit : typeof limit === "string" ? Number(limit) : undefined;
}

const stateWords = (states: readonly EPState[]): string => states.map((state) => epShapes[state]?.short ?? state).join(", ");

/** Why a parameter cannot be changed now; null where it can. */
export function whyNot(endpoint: Endpoint, parameter: Parameter, rules: Matrix | undefined): string | null {
  if (endpoint.modifiable?.includes(parameter.field)) return null;
  const states = rules?.modify.get(parameter.field)?.states;
  if (parameter.kind === "fixed" || states?.length === 0) return "Never changes by a modify";
  if (states && !states.includes(endpoint.state)) return `Only in ${stateWords(states)}`;
  if (parameter.field === "attributes.recv_completion_flags") return "Not while receives are posted";
  return `Not in ${epShapes[endpoint.state]?.short ?? endpoint.state}`;
}
