package main

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// memberKinds say how the word of a flag is converted to a value of a parameter.
var memberKinds = map[dat.ValueKind]memberKind{
	dat.ValueHandle: handle, dat.ValueCount: number, dat.ValueSize: number, dat.ValueChoice: text,
	dat.ValueNamed: pairs, dat.ValueWatermark: number,
}

// paramMembers returns the members for the parameters of an endpoint that a call takes.
func paramMembers(takes func(dat.Param) bool) []member {
	var all []member
	for _, p := range dat.Params() {
		if takes(p) {
			all = append(all, member{p.String(), memberKinds[p.Kind()], false, p.Help()})
		}
	}
	return all
}

// everModifiable reports whether dat_ep_modify can change a parameter in any state.
func everModifiable(p dat.Param) bool { return p.Group() != dat.GroupNever }

// memberSRQ is the SRQ that dat_ep_create_with_srq takes.
var memberSRQ = member{dat.ParamSRQ.String(), handle, false, dat.ParamSRQ.Help()}

// probeMembers are those of a liveness probe.
var probeMembers = []member{
	{"probe.interval_s", number, false, "seconds between two liveness probes"},
	{"probe.fail_after", number, false, "probes in a row without proof of life that break the connection"},
}

// rdmaMembers are those of an RDMA write and read.
var rdmaMembers = []member{
	member{"lmr", handle, false, "local memory"}.required(), memberOffset, memberLength,
	{"remote.rmr_context", text, true, "key of the peer's memory, 0x…"},
	{"remote.target_address", text, true, "address in the peer's memory"},
	memberFlags, memberCookie,
}

var epNoun = noun{
	name: "ep", objects: "endpoints",
	columns: []string{"id", "name", "state", "ia", "peer.name", "remote_ia_address", "remote_port_qual", "version", "updated_at"},
	verbs: []verb{
		listVerb("endpoints", slices.Concat(ofConsumers, []member{
			filter("state", "states, as CONNECTED"), filter("pz", "protection zones"), filter("evd", "EVDs"), filter("srq", "SRQs"),
			filter("remote_ia_address", "peers' addresses"),
		})...),
		showVerb("dat_ep_query: its parameters, what may be changed and what may be done now"),
		createVerb("dat_ep_create, dat_ep_create_with_srq", slices.Concat([]member{memberIA, memberSRQ},
			paramMembers(dat.Param.SetAtCreate), probeMembers)...),
		{
			name: "modify", method: "PATCH", path: "/{id}", help: "dat_ep_modify: the flags given are the mask",
			body: slices.Concat(paramMembers(everModifiable), probeMembers, []member{memberName, memberLabels}),
		},
		freeVerb("dat_ep_free"),
		{name: "status", method: "GET", path: "/{id}/status", help: "dat_ep_get_status: state and idle flags, live"},
		{name: "set-watermark", method: "PUT", path: "/{id}/watermarks", help: "dat_ep_set_watermark", body: []member{
			{"soft_high", number, true, "receives that raise the event, or infinite"},
			{"hard_high", number, true, "receives that break the connection, or infinite"},
		}},
		{name: "recv-query", method: "GET", path: "/{id}/recvs", help: "dat_ep_recv_query: posted receives"},
		{name: "connect", method: "POST", path: "/{id}/connect", help: "dat_ep_connect", body: []member{
			{"remote_ia_address", text, true, "address of the peer's IA"},
			{"remote_port_qual", number, true, "its connection qualifier, 1 to 65535"},
			{"timeout_us", number, false, "microseconds, or infinite"},
			memberBlob,
			{"qos", text, false, "as BEST_EFFORT"},
			{"connect_flags", text, false, "DEFAULT or MULTIPATH"},
		}},
		{name: "dup-connect", method: "POST", path: "/{id}/dup-connect", help: "dat_ep_dup_connect: to where another endpoint is connected", body: []member{
			{"endpoint", handle, true, "the connected endpoint"},
			{"timeout_us", number, false, "microseconds, or infinite"},
			memberBlob,
			{"qos", text, false, "as BEST_EFFORT"},
		}},
		{name: "disconnect", method: "POST", path: "/{id}/disconnect", help: "dat_ep_disconnect", body: []member{
			{"close", text, false, "ABRUPT or GRACEFUL, which lets outstanding DTOs end first"},
		}},
		{name: "reset", method: "POST", path: "/{id}/reset", help: "dat_ep_reset: make a disconnected endpoint ready again"},
		{name: "post-recv", method: "POST", path: "/{id}/recvs", help: "dat_ep_post_recv", body: []member{memberCount, memberSize, memberCookie}},
		{name: "post-send", method: "POST", path: "/{id}/sends", help: "dat_ep_post_send", body: []member{
			{"data", blob, false, "what to send: text, or @file"}, memberSize, memberCount, memberFlags, memberCookie,
		}},
		{name: "post-rdma-write", method: "POST", path: "/{id}/rdma-writes", help: "dat_ep_post_rdma_write", body: rdmaMembers},
		{name: "post-rdma-read", method: "POST", path: "/{id}/rdma-reads", help: "dat_ep_post_rdma_read", body: rdmaMembers},
		{name: "bind-rmr", method: "POST", path: "/{id}/rmr-binds", help: "dat_rmr_bind", body: []member{
			{"rmr", handle, true, "the window"},
			{"lmr", handle, true, "the memory to show"},
			memberOffset, memberLength, memberPriv, memberFlags, memberCookie,
		}},
		{
			name: "history", method: "GET", path: "/{id}/history", help: "Its changes, newest first", answer: list, query: historyQuery,
			columns: []string{"version", "at", "cause", "outcome", "fields", "actor", "reason"},
		},
		{name: "version", method: "GET", path: "/{id}/history/{version}", help: "One version with the whole parameter set"},
		{name: "revert", method: "POST", path: "/{id}/revert", help: "dat_ep_modify back to an earlier version's parameters", body: []member{
			{"version", number, true, "the version to go back to"},
		}},
	},
}

// historyQuery are the parameters of an endpoint's history.
var historyQuery = []member{
	{"limit", number, false, "rows of one answer, 1 to 1000"},
	{"cursor", text, false, "where the answer before ended"},
}
