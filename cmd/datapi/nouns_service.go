package main

import "github.com/datapi/datapi/internal/dat"

var pspNoun = noun{
	name: "psp", objects: "public service points",
	columns: []string{"id", "name", "ia", "conn_qual", "evd", "ep_creator"},
	verbs: []verb{
		listVerb("public service points", ofConsumers...),
		showVerb("dat_psp_query"),
		createVerb("dat_psp_create; without --conn-qual dat_psp_create_any", memberIA,
			member{"conn_qual", number, false, "qualifier to listen on, 1 to 65535"},
			member{"evd", handle, true, "EVD of the connection requests"},
			member{"ep_creator", text, false, "CONSUMER or PROVIDER"}),
		freeVerb("dat_psp_free"),
	},
}

var rspNoun = noun{
	name: "rsp", objects: "reserved service points",
	columns: []string{"id", "name", "ia", "conn_qual", "evd", "endpoint"},
	verbs: []verb{
		listVerb("reserved service points", ofConsumers...),
		showVerb("dat_rsp_query"),
		createVerb("dat_rsp_create", memberIA,
			member{"conn_qual", number, true, "qualifier to listen on, 1 to 65535"},
			member{"endpoint", handle, true, "endpoint that the one request gets"},
			member{"evd", handle, true, "EVD of the connection request"}),
		freeVerb("dat_rsp_free"),
	},
}

var crNoun = noun{
	name: "cr", objects: "connection requests",
	columns: []string{"id", "ia", "conn_qual", "remote_ia_address", "remote_port_qual", "private_data_size", "endpoint"},
	verbs: []verb{
		listVerb("connection requests", filterIA, filterNode),
		showVerb("dat_cr_query"),
		{name: "accept", method: "POST", path: "/{id}/accept", help: "dat_cr_accept", body: []member{
			{"endpoint", handle, false, "endpoint to accept with, where the request brought none"}, memberBlob,
		}},
		{name: "reject", method: "POST", path: "/{id}/reject", help: "dat_cr_reject", body: []member{memberBlob}},
		{name: "handoff", method: "POST", path: "/{id}/handoff", help: "dat_cr_handoff", body: []member{
			{"conn_qual", number, true, "qualifier to give the request to"},
		}},
	},
}

var changeNoun = noun{
	name: "change", objects: "changes", path: "/changes",
	columns: []string{"id", "at", "object.type", "object.name|object.id", "cause", "outcome", "fields", "version", "actor", "reason"},
	verbs: []verb{{
		name: "list", method: "GET", help: "What was done and what happened, newest first", answer: list,
		query: []member{
			{"limit", number, false, "rows of one answer, 1 to 1000"},
			{"cursor", text, false, "where the answer before ended"},
			{"order", text, false, "asc for oldest first"},
			{"since", text, false, "from this time on (RFC 3339)"},
			{"until", text, false, "up to this time (RFC 3339)"},
			filter("object", "object ids"), filter("type", "types, as endpoint"), filterNode, filterIA,
			filter("cause", "causes, as dat_ep_modify"), filter("actor", "actors"), filter("outcome", "outcomes, as DAT_SUCCESS"),
		},
	}},
}

var nodeNoun = noun{
	name: "node", objects: "nodes", path: "/nodes", watched: dat.TypeNode.String(),
	columns: []string{"name", "address", "version", "state", "state_since", "last_seen", "objects"},
	verbs: []verb{
		{name: "list", method: "GET", answer: list, help: "List the hosts that share this database"},
		{name: "show", method: "GET", path: "/{name}", help: "Show a host"},
		{name: "retire", method: "DELETE", path: "/{name}", help: "Free all objects of a host that will not come back, and its names; needs --reason"},
	},
}

var retentionNoun = noun{
	name: "retention", objects: "the age up to which changes are kept", path: "/retention", single: true,
	columns: []string{"age", "set_by", "set_at"},
	verbs: []verb{
		{name: "show", method: "GET", help: "Show how long changes are kept"},
		{name: "set", method: "PUT", help: "Set how long changes are kept, for all nodes of the database", body: []member{
			{"age", text, true, "age up to which changes are kept, as 90d or 36h"},
		}},
	},
}
