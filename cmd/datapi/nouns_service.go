package main

import "github.com/datapi/datapi/internal/dat"

// filterConnQual is the filter of what has a connection qualifier.
var filterConnQual = filter("conn_qual", "connection qualifiers")

var pspNoun = noun{
	name: "psp", objects: "public service points", hint: "conn_qual",
	columns: []string{"id", "name", "ia", "conn_qual", "evd", "ep_creator"},
	wide:    []string{"version", "created_at", "updated_at", "labels"},
	verbs: []verb{
		listVerb("public service points", append(ofConsumers[:len(ofConsumers):len(ofConsumers)], filterOf("evd", "EVDs"), filterConnQual)...),
		showVerb("Show public service points (dat_psp_query)"),
		createVerb("Listen for connection requests (dat_psp_create; without --conn-qual dat_psp_create_any)", memberIA,
			field("conn_qual", number, "qualifier to listen on, 1 to 65535"),
			field("evd", handle, "EVD of the connection requests").required(),
			field("ep_creator", text, "who makes the endpoint").of(enumWords[dat.PSPFlag]()...)),
		freeVerb("Free public service points (dat_psp_free)"),
	},
}

var rspNoun = noun{
	name: "rsp", objects: "reserved service points", hint: "conn_qual",
	columns: []string{"id", "name", "ia", "conn_qual", "evd", "endpoint"},
	wide:    []string{"version", "created_at", "updated_at", "labels"},
	verbs: []verb{
		listVerb("reserved service points", append(ofConsumers[:len(ofConsumers):len(ofConsumers)],
			filterOf("evd", "EVDs"), filterOf("endpoint", "endpoints"), filterConnQual)...),
		showVerb("Show reserved service points (dat_rsp_query)"),
		createVerb("Listen for one connection request (dat_rsp_create)", memberIA,
			field("conn_qual", number, "qualifier to listen on, 1 to 65535").required(),
			field("endpoint", handle, "endpoint that the one request gets").required(),
			field("evd", handle, "EVD of the connection request").required()),
		freeVerb("Free reserved service points (dat_rsp_free)"),
	},
}

var crNoun = noun{
	name: "cr", objects: "connection requests", hint: "remote_ia_address",
	columns: []string{"id", "ia", "conn_qual", "remote_ia_address", "remote_port_qual", "private_data_size", "endpoint"},
	wide:    []string{"psp", "rsp", "created_at"},
	verbs: []verb{
		listVerb("connection requests", filterIA, filterNode, filterName, filterLabel, filterOf("psp", "public service points"),
			filterOf("rsp", "reserved service points"), filterOf("endpoint", "endpoints that they brought"), filterConnQual),
		showVerb("Show connection requests (dat_cr_query)"),
		{
			name: "accept", method: "POST", path: "/{id}/accept", help: "Accept a connection request (dat_cr_accept)", outcome: becomesConnected, of: "ep",
			body: []member{field("endpoint", handle, "endpoint to accept with, where the request brought none"), memberBlob},
		},
		{
			name: "reject", method: "POST", path: "/{id}/reject", help: "Reject connection requests (dat_cr_reject)", past: "rejected", many: true,
			body: []member{memberBlob},
		},
		{
			name: "handoff", method: "POST", path: "/{id}/handoff", help: "Give connection requests to another service point (dat_cr_handoff)",
			past: "handed off", many: true,
			body: []member{field("conn_qual", number, "qualifier to give the request to").required()},
		},
	},
}

// memberCause is the filter of what a change was caused by.
var memberCause = filter("cause", "causes, as dat_ep_modify")

var changeNoun = noun{
	name: "change", objects: "changes", path: "/changes",
	columns: []string{"id", "at", "object.type", "object.name|object.id", "cause", "outcome", "fields", "version", "actor", "reason"},
	wide:    []string{"object.id", "ia", "node", "request_id"},
	verbs: []verb{{
		name: "list", method: "GET", help: "List what was done and what happened, newest first", answer: list, also: []string{"ls"},
		query: listQuery(
			field("order", text, "asc: oldest first").of("asc", "desc"),
			field("since", moment, "from this time on: 2026-01-31T12:00:00Z, or 10m, 2h, 3d ago"),
			field("until", moment, "up to this time"),
			field("object", handles, "only of these objects; a name that objects of several types have needs --type"),
			filter("type", "types").of(enumWords[dat.ObjectType]()...), filterNode, filterIA,
			memberCause, filter("actor", "actors"), filter("outcome", "outcomes, as DAT_SUCCESS").of(enumWords[dat.Return]()...),
		),
	}},
}

var nodeNoun = noun{
	name: "node", objects: "nodes", path: "/nodes", watched: dat.TypeNode.String(), hint: "state",
	columns: []string{"name", "address", "version", "state", "state_since", "last_seen", "objects"},
	wide:    []string{"id", "epoch", "changes_behind", "clock_offset_us"},
	verbs: []verb{
		{name: "list", method: "GET", answer: list, help: "List the hosts that share this database", also: []string{"ls"}},
		{name: "show", method: "GET", path: "/{name}", help: "Show hosts", many: true},
		{
			name: "retire", method: "DELETE", path: "/{name}", past: "retired", needsReason: true,
			help: "Free all objects of a host that will not come back, and its names; needs --reason",
		},
	},
}

var retentionNoun = noun{
	name: "retention", objects: "the age up to which changes are kept", path: "/retention", single: true,
	columns: []string{"age", "set_by", "set_at"},
	verbs: []verb{
		{name: "show", method: "GET", help: "Show how long changes are kept"},
		{
			name: "set", method: "PUT", help: "Set how long changes are kept, for all nodes of the database", past: "set",
			body: []member{field("age", text, "age up to which changes are kept, as 90d or 36h").required()},
		},
	},
}
