import type { Change, Endpoint, IA, Node } from "~/api/model";

/** An endpoint as the service creates it, changed as a test needs it. */
export function endpointWith(different: Partial<Endpoint> = {}): Endpoint {
  return {
    id: "01930000-0000-7000-8000-0000000000aa",
    name: "ost-7",
    labels: {},
    ia: "soft0@alpha",
    node: "alpha",
    version: 1,
    created_at: "2026-01-01T00:00:00.000000Z",
    updated_at: "2026-01-01T00:00:00.000000Z",
    state: "UNCONNECTED",
    pz: null,
    recv_evd: null,
    request_evd: null,
    connect_evd: null,
    srq: null,
    local_ia_address: "10.77.0.1",
    local_port_qual: null,
    remote_ia_address: null,
    remote_port_qual: null,
    attributes: {
      service_type: "RC",
      max_message_size: 4194304,
      max_rdma_size: 4194304,
      qos: "BEST_EFFORT",
      recv_completion_flags: "EVD_THRESHOLD",
      request_completion_flags: "EVD_THRESHOLD",
      max_recv_dtos: 16,
      max_request_dtos: 16,
      max_recv_iov: 4,
      max_request_iov: 4,
      max_rdma_read_in: 4,
      max_rdma_read_out: 4,
      srq_soft_hw: null,
      max_rdma_read_iov: 4,
      max_rdma_write_iov: 4,
      ep_transport_specific: { retry_count: "7", tos: "0" },
      ep_provider_specific: {},
    },
    watermarks: { soft_high: null, hard_high: null, soft_armed: false, hard_armed: false },
    probe: null,
    peer: null,
    last_event: null,
    transport: { qp_num: null, qp_state: null },
    node_state: "UP",
    known_at: null,
    modifiable: ["pz", "recv_evd", "attributes.max_recv_dtos"],
    operations: ["modify", "set_watermark", "connect", "reset", "free", "post_recv"],
    ...different,
  };
}

/** A change of that endpoint, changed as a test needs it. */
export function changeWith(different: Partial<Change> = {}): Change {
  return {
    id: 1,
    at: "2026-01-01T00:00:00.000000Z",
    node: "alpha",
    ia: "soft0@alpha",
    object: { type: "endpoint", id: "01930000-0000-7000-8000-0000000000aa", name: "ost-7" },
    cause: "dat_ep_modify",
    actor: "admin",
    actor_kind: "token",
    request_id: null,
    reason: null,
    outcome: "DAT_SUCCESS",
    fields: [],
    before: null,
    after: null,
    version: 1,
    reverted_to: null,
    ...different,
  };
}

/** The IA of that endpoint, changed as a test needs it. */
export function iaWith(different: Partial<IA> = {}): IA {
  return {
    id: "soft0@alpha",
    name: null,
    labels: {},
    ia: "soft0@alpha",
    node: "alpha",
    version: 1,
    created_at: "2026-01-01T00:00:00.000000Z",
    updated_at: "2026-01-01T00:00:00.000000Z",
    provider: "soft",
    device: "soft0",
    port: 1,
    state: "UP",
    detail: null,
    async_evd: null,
    ia_attributes: {},
    provider_attributes: {},
    endpoint_defaults: { ep_transport_specific: {}, ep_provider_specific: {} },
    node_state: "UP",
    known_at: null,
    usage: { endpoints: 0, pzs: 0, evds: 0, srqs: 0, lmrs: 0, rmrs: 0, psps: 0, rsps: 0 },
    ...different,
  };
}

/** The node of that endpoint, changed as a test needs it. */
export function nodeWith(different: Partial<Node> = {}): Node {
  return {
    id: "01930000-0000-7000-8000-0000000000bb",
    name: "alpha",
    address: "https://alpha:8480",
    version: "1.0.0",
    epoch: 1,
    last_seen: "2026-01-01T00:00:00.000000Z",
    state: "UP",
    state_since: "2026-01-01T00:00:00.000000Z",
    state_version: 1,
    heartbeat_age_ms: 1200,
    changes_behind: 0,
    clock_offset_us: 0,
    objects: 0,
    ...different,
  };
}
