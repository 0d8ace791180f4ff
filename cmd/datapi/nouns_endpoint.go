package main

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// memberKinds say how the word of a flag is converted to a value of a parameter.
var memberKinds = map[dat.ValueKind]memberKind{
	dat.ValueHandle: handle, dat.ValueCount: number, dat.ValueSize: number, dat.ValueChoice: text,
	dat.ValueNamed: pairs, dat.ValueWatermark: mark,
}

// paramMembers returns the members for the parameters of an endpoint that a call takes.
func paramMembers(takes func(dat.Param) bool) []member {
	var all []member
	for _, p := range dat.Params() {
		if takes(p) {
			choices, _ := p.Choices()
			all = append(all, field(p.String(), memberKinds[p.Kind()], p.Help()).of(choices...))
		}
	}
	return all
}

// everModifiable reports whether dat_ep_modify can change a parameter in any state.
func everModifiable(p dat.Param) bool { return p.Group() != dat.GroupNever }

// probeMembers are those of a liveness probe.
var probeMembers = []member{
	field("probe.interval_s", number, "seconds between two liveness probes"),
	field("probe.fail_after", number, "probes in a row without proof of life that break the connection"),
}

// Members of the calls that connect.
var (
	memberSRQ     = field(dat.ParamSRQ.String(), handle, dat.ParamSRQ.Help())
	memberTimeout = field("timeout_us", mark, "microseconds that it may take")
	memberQOS     = field("qos", text, "quality of service").of(enumWords[dat.QOS]()...)
)

// rdmaMembers are those of an RDMA write and read.
var rdmaMembers = []member{
	field("lmr", handle, "local memory").required(), memberOffset, memberLength.required(),
	field("remote.rmr_context", text, "key of the peer's memory, 0x…").required(),
	field("remote.target_address", text, "address in the peer's memory").required(),
	memberFlags, memberCookie,
}

var epNoun = noun{
	name: "ep", objects: "endpoints", hint: "state",
	columns: []string{"id", "name", "state", "ia", "peer.name|peer.endpoint", "remote_ia_address", "remote_port_qual", "version", "updated_at"},
	wide: []string{
		"pz", "recv_evd", "request_evd", "connect_evd", "srq", "attributes.max_recv_dtos", "attributes.max_request_dtos", "last_event.event",
		"labels",
	},
	verbs: slices.Concat(epObjectVerbs, epConnectionVerbs, epDTOVerbs, epHistoryVerbs),
}

// epObjectVerbs are the calls of every object, and those that modify an endpoint and look at it.
var epObjectVerbs = []verb{
	listVerb("endpoints", slices.Concat(ofConsumers, []member{
		filter("state", "states").of(enumWords[dat.EPState]()...), filterOf("pz", "protection zones"), filterOf("evd", "EVDs"),
		filterOf("srq", "SRQs"), filter("remote_ia_address", "peers' addresses"),
	})...),
	showVerb("Show endpoints: parameters, what may be changed and what may be done now (dat_ep_query)",
		field("as_of", moment, "as they were then: 2026-01-31T12:00:00Z, 10m, 2h or 3d ago, or the number of a change")),
	createVerb("Create an endpoint (dat_ep_create, dat_ep_create_with_srq)", slices.Concat([]member{memberIA, memberSRQ},
		paramMembers(dat.Param.SetAtCreate), probeMembers)...),
	modifyVerb("Modify endpoints; the flags given are the mask (dat_ep_modify)",
		slices.Concat(paramMembers(everModifiable), probeMembers, []member{memberName, memberLabels})...),
	freeVerb("Free endpoints (dat_ep_free)"),
	{name: "status", method: "GET", path: "/{id}/status", help: "Show state and idle flags, live (dat_ep_get_status)", many: true},
	{
		name: "set-watermark", method: "PUT", path: "/{id}/watermarks", help: "Set both watermarks of receives (dat_ep_set_watermark)",
		past: "has its watermarks", many: true,
		body: []member{
			field("soft_high", mark, "receives that raise the event").required(),
			field("hard_high", mark, "receives that break the connection").required(),
		},
	},
	{name: "recv-query", method: "GET", path: "/{id}/recvs", help: "Show the posted receives (dat_ep_recv_query)", many: true},
}

// epConnectionVerbs are the calls that lead from one state to another.
var epConnectionVerbs = []verb{
	{
		name: "connect", method: "POST", path: "/{id}/connect", help: "Connect an endpoint (dat_ep_connect)", outcome: becomesConnected,
		body: []member{
			field("remote_ia_address", text, "address of the peer's IA").required(),
			field("remote_port_qual", number, "its connection qualifier, 1 to 65535").required(),
			memberTimeout, memberBlob, memberQOS,
			field("connect_flags", text, "flags").of("DEFAULT", "MULTIPATH"),
		},
	},
	{
		name: "dup-connect", method: "POST", path: "/{id}/dup-connect", help: "Connect to where another endpoint is connected (dat_ep_dup_connect)",
		outcome: becomesConnected,
		body:    []member{field("endpoint", handle, "the connected endpoint").required(), memberTimeout, memberBlob, memberQOS},
	},
	{
		name: "disconnect", method: "POST", path: "/{id}/disconnect", help: "Disconnect endpoints (dat_ep_disconnect)", outcome: becomesDisconnected, many: true,
		body: []member{field("close", text, "how; GRACEFUL lets outstanding DTOs end first").of(enumWords[dat.CloseFlag]()...)},
	},
	{
		name: "reset", method: "POST", path: "/{id}/reset", help: "Make disconnected endpoints ready again (dat_ep_reset)", many: true,
	},
}

// epDTOVerbs are the calls that post.
var epDTOVerbs = []verb{
	{
		name: "post-recv", method: "POST", path: "/{id}/recvs", help: "Post receives (dat_ep_post_recv)", many: true,
		body: []member{memberCount, memberSize.required(), memberCookie},
	},
	{
		name: "post-send", method: "POST", path: "/{id}/sends", help: "Post sends (dat_ep_post_send)", many: true,
		body: []member{field("data", blob, "what to send: text, or @file"), memberSize, memberCount, memberFlags, memberCookie},
	},
	{name: "post-rdma-write", method: "POST", path: "/{id}/rdma-writes", help: "Write into the peer's memory (dat_ep_post_rdma_write)", body: rdmaMembers},
	{name: "post-rdma-read", method: "POST", path: "/{id}/rdma-reads", help: "Read from the peer's memory (dat_ep_post_rdma_read)", body: rdmaMembers},
	{
		name: "bind-rmr", method: "POST", path: "/{id}/rmr-binds", help: "Bind a remote memory region, or with --length 0 unbind it (dat_rmr_bind)",
		body: []member{
			field("rmr", handle, "the window").required(),
			field("lmr", handle, "the memory to show").required(),
			memberOffset, memberLength, memberPriv, memberFlags, memberCookie,
		},
	},
}

// epHistoryVerbs are the calls about an endpoint's versions.
var epHistoryVerbs = []verb{
	{
		name: "history", method: "GET", path: "/{id}/history", help: "List an endpoint's changes, newest first", answer: list, query: pageQuery,
		columns: []string{"version", "at", "cause", "outcome", "fields", "actor", "reason"}, suggested: []string{"log"},
	},
	{name: "version", method: "GET", path: "/{id}/history/{version}", help: "Show one version with the whole parameter set"},
	{
		name: "revert", method: "POST", path: "/{id}/revert", help: "Go back to an earlier version's parameters (dat_ep_modify)", past: "reverted",
		body: []member{field("version", number, "the version to go back to").required()},
	},
}
