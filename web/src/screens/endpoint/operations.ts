import type { Endpoint, Operation } from "~/api/model";

/** The ways that have a button of their own on the page; modify has the parameters' own table. */
export type Act = Exclude<Operation, "modify"> | "set_probe";

export interface Way {
  act: Act;
  name: string;
  danger?: boolean;
  /** One of the few that stand in front. */
  first?: boolean;
}

const ways: readonly Way[] = [
  { act: "connect", name: "Connect", first: true },
  { act: "accept", name: "Accept a request", first: true },
  { act: "disconnect", name: "Disconnect", first: true },
  { act: "reset", name: "Reset", first: true },
  { act: "set_watermark", name: "Set watermarks", first: true },
  { act: "dup_connect", name: "Connect like another" },
  { act: "create_rsp", name: "Reserve for a service point" },
  { act: "post_recv", name: "Post receives" },
  { act: "post_send", name: "Post sends" },
  { act: "post_rdma_write", name: "Post RDMA write" },
  { act: "post_rdma_read", name: "Post RDMA read" },
  { act: "bind_rmr", name: "Bind an RMR" },
  { act: "set_probe", name: "Set liveness probe" },
  { act: "free", name: "Free", danger: true },
];

/** Ways that the state allows but that would do nothing, so that they do not stand in front. */
function idles(endpoint: Endpoint, act: Act): boolean {
  return (act === "reset" && endpoint.state === "UNCONNECTED") || (act === "disconnect" && endpoint.state === "DISCONNECTED");
}

/** The open ways of an endpoint, as its own `operations` say. */
export function openWays(endpoint: Endpoint): Way[] {
  return ways
    // The probe is the service's own and may be set in every state.
    .filter((way) => way.act === "set_probe" || endpoint.operations.includes(way.act))
    .map((way) => (idles(endpoint, way.act) ? { ...way, first: false } : way));
}
