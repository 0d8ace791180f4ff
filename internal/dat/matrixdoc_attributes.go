package dat

// AttributeDoc is an attribute of dat_ia_query: the heading under which a page
// shows it, and whether its number is one of bytes.
type AttributeDoc struct {
	Name    string `json:"name"`
	Section string `json:"section"`
	Meaning string `json:"meaning"`
	Bytes   bool   `json:"bytes"`
}

// attributeSection is a heading and the attributes under it.
type attributeSection struct {
	title      string
	attributes []attributeWording
}

// attributeWording is the words for an attribute by its wire name.
type attributeWording struct {
	name, meaning string
	bytes         bool
}

// iaAttributeSections are the attributes of the adapter in the order in which
// somebody looks for them.
var iaAttributeSections = [...]attributeSection{
	{"Identity", []attributeWording{
		{"adapter_name", "Name of the adapter.", false},
		{"vendor_name", "Who made it.", false},
		{"hardware_version_major", "Hardware version.", false},
		{"hardware_version_minor", "Hardware version.", false},
		{"firmware_version_major", "Firmware version.", false},
		{"firmware_version_minor", "Firmware version.", false},
		{"ia_address", "The address that peers connect to.", false},
	}},
	{"How many objects", []attributeWording{
		{"max_eps", "Endpoints.", false},
		{"max_evds", "Event dispatchers.", false},
		{"max_pzs", "Protection zones.", false},
		{"max_srqs", "Shared receive queues.", false},
		{"max_lmrs", "Local memory regions.", false},
		{"max_rmrs", "Remote memory regions.", false},
		{"max_ep_per_srq", "Endpoints on one SRQ.", false},
		{"max_recv_per_srq", "Receives in one SRQ.", false},
		{"max_evd_qlen", "Events in one EVD.", false},
	}},
	{"Transfers of an endpoint", []attributeWording{
		{"max_dto_per_ep", "Outstanding DTOs in one direction.", false},
		{"max_message_size", "Bytes of one send.", true},
		{"max_rdma_size", "Bytes of one RDMA.", true},
		{"max_iov_segments_per_dto", "Segments of a send or receive.", false},
		{"max_iov_segments_per_rdma_read", "Segments of an RDMA read.", false},
		{"max_iov_segments_per_rdma_write", "Segments of an RDMA write.", false},
		{"max_rdma_read_per_ep_in", "Outstanding RDMA reads with an endpoint as target.", false},
		{"max_rdma_read_per_ep_out", "Outstanding RDMA reads from an endpoint.", false},
		{"max_rdma_read_per_ep_in_guaranteed", "Whether every endpoint gets as many at once.", false},
		{"max_rdma_read_per_ep_out_guaranteed", "Whether every endpoint gets as many at once.", false},
		{"max_rdma_read_in", "Of all endpoints together.", false},
		{"max_rdma_read_out", "Of all endpoints together.", false},
	}},
	{"Memory", []attributeWording{
		{"max_lmr_block_size", "Bytes of one LMR.", true},
		{"max_lmr_virtual_address", "Highest address of an LMR.", false},
		{"max_rmr_target_address", "Highest address of an RMR.", false},
		{"zb_supported", "Addresses that start at zero.", false},
	}},
	{"More of the IA", []attributeWording{
		{"extension_supported", "The extension that it has.", false},
		{"extension_version", "Version of the extension.", false},
		{"num_transport_attr", "How many attributes of the transport there are.", false},
		{"transport_attr", "Attributes of the transport.", false},
		{"num_vendor_attr", "How many attributes of the vendor there are.", false},
		{"vendor_attr", "Attributes of the vendor.", false},
	}},
}

// providerAttributeSections are the attributes of the provider in that order.
var providerAttributeSections = [...]attributeSection{
	{"Provider", []attributeWording{
		{"provider_name", "Which provider runs the adapter.", false},
		{"provider_version_major", "Its version.", false},
		{"provider_version_minor", "Its version.", false},
		{"dapl_version_major", "The DAT version it follows.", false},
		{"dapl_version_minor", "The DAT version it follows.", false},
		{"is_thread_safe", "Whether threads may share objects.", false},
		{"is_signal_safe", "Whether signal handlers may call it.", false},
		{"optimal_buffer_alignment", "Bytes that buffers are best aligned to.", false},
	}},
	{"Connections", []attributeWording{
		{"max_private_data_size", "Bytes of private data with a request or an answer.", false},
		{"ep_creator", "Whether requests on a PSP may bring an endpoint.", false},
		{"dat_qos_supported", "Qualities of service.", false},
		{"supports_multipath", "More than one path for a connection.", false},
		{"completion_flags_supported", "Completion flags of postings.", false},
	}},
	{"Memory and queues", []attributeWording{
		{"lmr_mem_types_supported", "Kinds of memory for an LMR.", false},
		{"pz_support", "How protection zones are shared.", false},
		{"iov_ownership_on_return", "Who owns the segments after a posting.", false},
		{"srq_supported", "Shared receive queues.", false},
		{"srq_watermarks_supported", "Which watermarks work.", false},
		{"srq_info_supported", "What an SRQ can tell.", false},
		{"ep_recv_info_supported", "What an endpoint can tell of its receives.", false},
		{"srq_ep_pz_difference_supported", "An SRQ in another zone than its endpoints.", false},
		{"rmr_scope_supported", "How far an RMR reaches.", false},
		{"lmr_sync_req", "Whether memory must be synchronised by hand.", false},
	}},
	{"More of the provider", []attributeWording{
		{"evd_stream_merging_supported", "Which streams may feed one EVD together.", false},
		{"dto_async_return_guaranteed", "Whether postings never block.", false},
		{"rdma_write_for_rdma_read_req", "Whether the target of an RDMA read needs REMOTE_WRITE.", false},
		{"rdma_read_lmr_rmr_context_exposure", "Whether an RDMA read exposes the key of local memory.", false},
		{"ha_supported", "High availability.", false},
		{"ha_loadbalancing", "How load is balanced over paths.", false},
		{"num_provider_specific_attr", "How many attributes of the provider there are.", false},
		{"provider_specific_attr", "Attributes of the provider.", false},
	}},
}

func docsOfAttributes(sections []attributeSection) []AttributeDoc {
	var docs []AttributeDoc
	for _, s := range sections {
		for _, a := range s.attributes {
			docs = append(docs, AttributeDoc{a.name, s.title, a.meaning, a.bytes})
		}
	}
	return docs
}
