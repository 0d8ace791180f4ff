package main

// epAttributes are the members of `attributes` that create and modify share (dat_ep_attr).
var epAttributes = []member{
	{"attributes.max_message_size", number, false, "longest send, bytes"},
	{"attributes.max_rdma_size", number, false, "longest RDMA operation, bytes"},
	{"attributes.qos", text, false, "quality of service, as BEST_EFFORT"},
	{"attributes.recv_completion_flags", text, false, "EVD_THRESHOLD, SOLICITED_WAIT or UNSIGNALLED"},
	{"attributes.request_completion_flags", text, false, "EVD_THRESHOLD or UNSIGNALLED"},
	{"attributes.max_recv_dtos", number, false, "receives outstanding at once"},
	{"attributes.max_request_dtos", number, false, "requests outstanding at once"},
	{"attributes.max_recv_iov", number, false, "segments of a receive"},
	{"attributes.max_request_iov", number, false, "segments of a request"},
	{"attributes.max_rdma_read_in", number, false, "RDMA reads of the peer at once"},
	{"attributes.max_rdma_read_out", number, false, "RDMA reads of its own at once"},
	{"attributes.max_rdma_read_iov", number, false, "segments of an RDMA read"},
	{"attributes.max_rdma_write_iov", number, false, "segments of an RDMA write"},
	{"attributes.ep_transport_specific", pairs, false, "transport's own, as retry_count=7"},
	{"attributes.ep_provider_specific", pairs, false, "provider's own, as max_inline_data=64"},
}

// epHandles are the objects that an endpoint uses and that modify may exchange.
var epHandles = []member{
	memberPZ,
	{"recv_evd", handle, false, "EVD of receive completions, or null"},
	{"request_evd", handle, false, "EVD of request completions, or null"},
	{"connect_evd", handle, false, "EVD of connection events, or null"},
}

// probeMembers ask for a liveness probe.
var probeMembers = []member{
	{"probe.interval_s", number, false, "seconds between two liveness probes"},
	{"probe.fail_after", number, false, "probes in a row without proof of life that break the connection"},
}

// join makes one list of several.
func join(lists ...[]member) []member {
	var all []member
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// epPath is one endpoint, or what lies below it.
func epPath(below string) string { return "/endpoints/{id}" + below }

// rdmaMembers are those of an RDMA write and read.
var rdmaMembers = []member{
	member{"lmr", handle, false, "local memory"}.required(), memberOffset, memberLength,
	{"remote.rmr_context", text, true, "key of the peer's memory, 0x…"},
	{"remote.target_address", text, true, "address in the peer's memory"},
	memberFlags, memberCookie,
}

var epNoun = noun{
	name: "ep", objects: "endpoints", path: "/endpoints", watched: "endpoint",
	columns: []string{"id", "name", "state", "ia", "peer.name", "remote_ia_address", "remote_port_qual", "version", "updated_at"},
	verbs: []verb{
		listVerb("/endpoints", "endpoints", filterIA, filterNode, filterName, filterLabel, filter("state", "states, as CONNECTED"),
			filter("pz", "protection zones"), filter("evd", "EVDs"), filter("srq", "SRQs"), filter("remote_ia_address", "peers' addresses")),
		showVerb("/endpoints", "dat_ep_query: its parameters, what may be changed and what may be done now"),
		createVerb("/endpoints", "dat_ep_create, dat_ep_create_with_srq", join(
			[]member{memberIA}, epHandles, []member{{"srq", handle, false, "shared receive queue"}},
			[]member{{"attributes.service_type", text, false, "RC"}}, epAttributes, probeMembers)...),
		{
			name: "modify", method: "PATCH", path: epPath(""), help: "dat_ep_modify: the flags given are the mask",
			body: join(epHandles, epAttributes, probeMembers, []member{memberName, memberLabels}),
		},
		freeVerb("/endpoints", "dat_ep_free"),
		{name: "status", method: "GET", path: epPath("/status"), help: "dat_ep_get_status: state and idle flags, live"},
		{name: "set-watermark", method: "PUT", path: epPath("/watermarks"), help: "dat_ep_set_watermark", body: []member{
			{"soft_high", number, true, "receives that raise the event, or infinite"},
			{"hard_high", number, true, "receives that break the connection, or infinite"},
		}},
		{name: "recv-query", method: "GET", path: epPath("/recvs"), help: "dat_ep_recv_query: posted receives"},
		{name: "connect", method: "POST", path: epPath("/connect"), help: "dat_ep_connect", body: []member{
			{"remote_ia_address", text, true, "address of the peer's IA"},
			{"remote_port_qual", number, true, "its connection qualifier, 1 to 65535"},
			{"timeout_us", number, false, "microseconds, or infinite"},
			memberBlob,
			{"qos", text, false, "as BEST_EFFORT"},
			{"connect_flags", text, false, "DEFAULT or MULTIPATH"},
		}},
		{name: "dup-connect", method: "POST", path: epPath("/dup-connect"), help: "dat_ep_dup_connect: to where another endpoint is connected", body: []member{
			{"endpoint", handle, true, "the connected endpoint"},
			{"timeout_us", number, false, "microseconds, or infinite"},
			memberBlob,
			{"qos", text, false, "as BEST_EFFORT"},
		}},
		{name: "disconnect", method: "POST", path: epPath("/disconnect"), help: "dat_ep_disconnect", body: []member{
			{"close", text, false, "ABRUPT or GRACEFUL, which lets outstanding DTOs end first"},
		}},
		{name: "reset", method: "POST", path: epPath("/reset"), help: "dat_ep_reset: make a disconnected endpoint ready again"},
		{name: "post-recv", method: "POST", path: epPath("/recvs"), help: "dat_ep_post_recv", body: []member{memberCount, memberSize, memberCookie}},
		{name: "post-send", method: "POST", path: epPath("/sends"), help: "dat_ep_post_send", body: []member{
			{"data", blob, false, "what to send: text, or @file"}, memberSize, memberCount, memberFlags, memberCookie,
		}},
		{name: "post-rdma-write", method: "POST", path: epPath("/rdma-writes"), help: "dat_ep_post_rdma_write", body: rdmaMembers},
		{name: "post-rdma-read", method: "POST", path: epPath("/rdma-reads"), help: "dat_ep_post_rdma_read", body: rdmaMembers},
		{name: "bind-rmr", method: "POST", path: epPath("/rmr-binds"), help: "dat_rmr_bind", body: []member{
			{"rmr", handle, true, "the window"},
			{"lmr", handle, true, "the memory to show"},
			memberOffset, memberLength, memberPriv, memberFlags, memberCookie,
		}},
		{
			name: "history", method: "GET", path: epPath("/history"), help: "Its changes, newest first", answer: list, query: historyQuery,
			columns: []string{"version", "at", "cause", "outcome", "fields", "actor", "reason"},
		},
		{name: "version", method: "GET", path: epPath("/history/{version}"), help: "One version with the whole parameter set"},
		{name: "revert", method: "POST", path: epPath("/revert"), help: "dat_ep_modify back to an earlier version's parameters", body: []member{
			{"version", number, true, "the version to go back to"},
		}},
	},
}

// historyQuery are the parameters of an endpoint's history.
var historyQuery = []member{
	{"limit", number, false, "rows of one answer, 1 to 1000"},
	{"cursor", text, false, "where the answer before ended"},
}
