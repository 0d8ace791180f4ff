import { limits } from "../overview/attention";

/** What an attribute of dat_ia_query means, in one line. */
export interface Meaning {
  name: string;
  means: string;
  bytes?: boolean;
}

export interface AttributeGroup {
  title: string;
  of: "ia_attributes" | "provider_attributes";
  attributes: readonly Meaning[];
}

const m = (name: string, means: string, bytes = false): Meaning => ({ name, means, bytes });

/** The attributes in the order in which somebody looks for them; what is in no group is shown after them. */
export const attributeGroups: readonly AttributeGroup[] = [
  {
    title: "Identity",
    of: "ia_attributes",
    attributes: [
      m("adapter_name", "Name of the adapter."),
      m("vendor_name", "Who made it."),
      m("hardware_version_major", "Hardware version."),
      m("hardware_version_minor", "Hardware version."),
      m("firmware_version_major", "Firmware version."),
      m("firmware_version_minor", "Firmware version."),
      m("ia_address", "The address that peers connect to."),
    ],
  },
  {
    title: "How many objects",
    of: "ia_attributes",
    attributes: [
      m(limits.endpoints, "Endpoints."),
      m(limits.evds, "Event dispatchers."),
      m(limits.pzs, "Protection zones."),
      m(limits.srqs, "Shared receive queues."),
      m(limits.lmrs, "Local memory regions."),
      m(limits.rmrs, "Remote memory regions."),
      m("max_ep_per_srq", "Endpoints on one SRQ."),
      m("max_recv_per_srq", "Receives in one SRQ."),
      m("max_evd_qlen", "Events in one EVD."),
    ],
  },
  {
    title: "Transfers of an endpoint",
    of: "ia_attributes",
    attributes: [
      m("max_dto_per_ep", "Outstanding DTOs in one direction."),
      m("max_message_size", "Bytes of one send.", true),
      m("max_rdma_size", "Bytes of one RDMA.", true),
      m("max_iov_segments_per_dto", "Segments of a send or receive."),
      m("max_iov_segments_per_rdma_read", "Segments of an RDMA read."),
      m("max_iov_segments_per_rdma_write", "Segments of an RDMA write."),
      m("max_rdma_read_per_ep_in", "Outstanding RDMA reads with an endpoint as target."),
      m("max_rdma_read_per_ep_out", "Outstanding RDMA reads from an endpoint."),
      m("max_rdma_read_per_ep_in_guaranteed", "Whether every endpoint gets as many at once."),
      m("max_rdma_read_per_ep_out_guaranteed", "Whether every endpoint gets as many at once."),
      m("max_rdma_read_in", "Of all endpoints together."),
      m("max_rdma_read_out", "Of all endpoints together."),
    ],
  },
  {
    title: "Memory",
    of: "ia_attributes",
    attributes: [
      m("max_lmr_block_size", "Bytes of one LMR.", true),
      m("max_lmr_virtual_address", "Highest address of an LMR."),
      m("max_rmr_target_address", "Highest address of an RMR."),
      m("zb_supported", "Addresses that start at zero."),
    ],
  },
  {
    title: "Provider",
    of: "provider_attributes",
    attributes: [
      m("provider_name", "Which provider runs the adapter."),
      m("provider_version_major", "Its version."),
      m("provider_version_minor", "Its version."),
      m("dapl_version_major", "The DAT version it follows."),
      m("dapl_version_minor", "The DAT version it follows."),
      m("is_thread_safe", "Whether threads may share objects."),
      m("is_signal_safe", "Whether signal handlers may call it."),
      m("optimal_buffer_alignment", "Bytes that buffers are best aligned to."),
    ],
  },
  {
    title: "Connections",
    of: "provider_attributes",
    attributes: [
      m("max_private_data_size", "Bytes of private data with a request or an answer."),
      m("ep_creator", "Whether requests on a PSP may bring an endpoint."),
      m("dat_qos_supported", "Qualities of service."),
      m("supports_multipath", "More than one path for a connection."),
      m("completion_flags_supported", "Completion flags of postings."),
    ],
  },
  {
    title: "Memory and queues",
    of: "provider_attributes",
    attributes: [
      m("lmr_mem_types_supported", "Kinds of memory for an LMR."),
      m("pz_support", "How protection zones are shared."),
      m("iov_ownership_on_return", "Who owns the segments after a posting."),
      m("srq_supported", "Shared receive queues."),
      m("srq_watermarks_supported", "Which watermarks work."),
      m("srq_info_supported", "What an SRQ can tell."),
      m("ep_recv_info_supported", "What an endpoint can tell of its receives."),
      m("srq_ep_pz_difference_supported", "An SRQ in another zone than its endpoints."),
      m("rmr_scope_supported", "How far an RMR reaches."),
      m("lmr_sync_req", "Whether memory must be synchronised by hand."),
    ],
  },
];

/** The attributes that no group names, so that nothing that the service tells stays hidden. */
export function ungrouped(of: AttributeGroup["of"], attributes: Record<string, unknown>): string[] {
  const named = new Set(attributeGroups.filter((group) => group.of === of).flatMap((group) => group.attributes.map((a) => a.name)));
  return Object.keys(attributes).filter((name) => !named.has(name) && name !== "evd_stream_merging_supported");
}
