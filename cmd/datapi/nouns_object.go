package main

var iaNoun = noun{
	name: "ia", objects: "interface adapters",
	columns: []string{"id", "provider", "state", "device", "port", "ia_attributes.ia_address", "usage.endpoints"},
	verbs: []verb{
		{
			name: "list", method: "GET", help: "List the interface adapters", answer: list,
			query: listQuery(filterNode, filter("provider", "soft or verbs"), filter("state", "UP, DOWN or GONE")),
		},
		{name: "show", method: "GET", path: "/{id}", help: "dat_ia_query: all attributes, or those of the masks", query: []member{
			{"ia_attributes", text, false, "IA attributes to show; empty for none"},
			{"provider_attributes", text, false, "provider attributes to show; empty for none"},
		}},
		{name: "modify", method: "PATCH", path: "/{id}", help: "Its labels, and what its new endpoints start with", body: []member{
			memberLabels,
			{"endpoint_defaults.ep_transport_specific", pairs, false, "transport's own that new endpoints start with, as retry_count=7"},
			{"endpoint_defaults.ep_provider_specific", pairs, false, "provider's own that new endpoints start with, as max_inline_data=64"},
		}},
		{
			name: "checks", method: "GET", path: "/{id}/checks", help: "Check whether it is well, and what to do where not", answer: list,
			columns: []string{"name", "status", "detail", "remedy"},
		},
		{
			name: "resources", method: "GET", path: "/{id}/resources", help: "Everything on its device, whoever made it", answer: list,
			query: []member{
				{"limit", number, false, "rows of one answer, 1 to 1000"},
				{"cursor", text, false, "where the answer before ended"},
				{"offset", number, false, "rows to pass over"},
				{"fields", text, false, "members to show, by comma"},
				filter("kind", "qp, cm_id, cq, mr, pd, ctx or srq"),
				filter("owner", "datapi, process, kernel or orphan"),
				filter("pid", "processes"),
				filter("remote", "peers, by address or number of the queue pair"),
			},
			columns: []string{"kind", "number", "type", "state", "remote_number|destination", "owner", "pid", "comm", "endpoint"},
		},
		{name: "counters", method: "GET", path: "/{id}/counters", help: "Counters of its port and device"},
	},
}

var pzNoun = noun{
	name: "pz", objects: "protection zones",
	columns: []string{"id", "name", "ia", "version", "created_at"},
	verbs: []verb{
		listVerb("protection zones", ofConsumers...),
		showVerb("dat_pz_query"),
		createVerb("dat_pz_create", memberIA),
		freeVerb("dat_pz_free"),
	},
}

var evdNoun = noun{
	name: "evd", objects: "event dispatchers",
	columns: []string{"id", "name", "ia", "streams", "qlen", "depth", "dropped", "waitable", "mode"},
	verbs: []verb{
		listVerb("event dispatchers", ofConsumers...),
		showVerb("dat_evd_query"),
		createVerb("dat_evd_create", memberIA,
			member{"qlen", number, true, "events that it holds"},
			member{"streams", words, true, "DTO, RMR_BIND, CONNECTION, CR, SOFTWARE"}),
		{name: "modify", method: "PATCH", path: "/{id}", help: "dat_evd_resize, dat_evd_set_unwaitable, dat_evd_clear_unwaitable", body: []member{
			{"qlen", number, false, "events that it holds"},
			{"waitable", boolean, false, "whether it may be waited on"},
			memberName, memberLabels,
		}},
		freeVerb("dat_evd_free"),
		{
			name: "dequeue", method: "POST", path: "/{id}/dequeue", help: "dat_evd_dequeue; with --wait, dat_evd_wait", columns: eventColumns, answer: list,
			body: []member{{"max", number, true, "events to take at most"}, {"threshold", number, false, "events that end a wait"}},
		},
		{
			name: "look", method: "GET", path: "/{id}/events", help: "See its events without taking them", columns: eventColumns, answer: list,
			query: []member{{"limit", number, false, "events at most"}},
		},
		{name: "post-se", method: "POST", path: "/{id}/events", help: "dat_evd_post_se: a software event", body: []member{
			{"data", raw, false, "what it carries, as JSON"},
		}},
	},
}

// eventColumns are those of events.
var eventColumns = []string{"at", "event", "stream", "endpoint", "reason", "data"}

var srqNoun = noun{
	name: "srq", objects: "shared receive queues",
	columns: []string{"id", "name", "ia", "pz", "state", "max_recv_dtos", "available_dto_count", "outstanding_dto_count", "low_watermark"},
	verbs: []verb{
		listVerb("shared receive queues", ofConsumers...),
		showVerb("dat_srq_query"),
		createVerb("dat_srq_create", memberIA, memberPZ.required(),
			member{"max_recv_dtos", number, true, "receives that it holds"},
			member{"max_recv_iov", number, false, "segments of a receive"}),
		{name: "modify", method: "PATCH", path: "/{id}", help: "dat_srq_resize", body: []member{
			{"max_recv_dtos", number, false, "receives that it holds"}, memberName, memberLabels,
		}},
		freeVerb("dat_srq_free"),
		{name: "set-lw", method: "PUT", path: "/{id}/low-watermark", help: "dat_srq_set_lw", body: []member{
			{"low", number, true, "receives below which the event is raised"},
		}},
		{name: "post-recv", method: "POST", path: "/{id}/recvs", help: "dat_srq_post_recv", body: []member{memberCount, memberSize, memberCookie}},
	},
}

var lmrNoun = noun{
	name: "lmr", objects: "local memory regions",
	columns: []string{"id", "name", "ia", "pz", "mem_type", "length", "privileges", "rmr_context", "target_address"},
	verbs: []verb{
		listVerb("local memory regions", ofConsumers...),
		showVerb("dat_lmr_query"),
		createVerb("dat_lmr_create", memberIA, memberPZ.required(),
			member{"mem_type", text, false, "VIRTUAL, LMR or SHARED_VIRTUAL"},
			member{"lmr", handle, false, "the region to register again (LMR)"},
			member{"shared_id", text, false, "the memory's name (SHARED_VIRTUAL)"},
			memberOffset, memberLength, memberPriv),
		freeVerb("dat_lmr_free"),
		{name: "read", method: "GET", path: "/{id}/data", help: "Write its memory to standard output", answer: octets, query: []member{memberOffset, memberLength}},
		{name: "write", method: "PUT", path: "/{id}/data", help: "Fill its memory from standard input or --file", input: true, query: []member{memberOffset}},
	},
}

var rmrNoun = noun{
	name: "rmr", objects: "remote memory regions",
	columns: []string{"id", "name", "ia", "pz", "lmr", "length", "privileges", "rmr_context"},
	verbs: []verb{
		listVerb("remote memory regions", ofConsumers...),
		showVerb("dat_rmr_query"),
		createVerb("dat_rmr_create; `ep bind-rmr` binds it", memberIA, memberPZ.required()),
		freeVerb("dat_rmr_free"),
	},
}
