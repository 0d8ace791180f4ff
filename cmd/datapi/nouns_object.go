package main

import "github.com/datapi/datapi/internal/dat"

// wordsFrom returns words of a type of their own as strings.
func wordsFrom[S ~string](words []S) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

var iaNoun = noun{
	name: "ia", objects: "interface adapters", hint: "state",
	columns: []string{"id", "provider", "state", "device", "port", "ia_attributes.ia_address", "usage.endpoints"},
	wide:    []string{"node", "usage.pzs", "usage.evds", "usage.lmrs", "usage.psps", "async_evd", "labels"},
	verbs: []verb{
		listVerb("interface adapters", filterIA, filterNode, filterName, filterLabel,
			filter("provider", "providers").of("soft", "verbs"), filter("state", "states").of(enumWords[dat.IAState]()...)),
		showVerb("Show IAs, all attributes or those of the masks (dat_ia_query)",
			field("ia_attributes", text, "IA attributes to show, by comma; empty for none"),
			field("provider_attributes", text, "provider attributes to show, by comma; empty for none")),
		modifyVerb("Modify an IA's labels, and what its new endpoints start with",
			memberLabels,
			field("endpoint_defaults.ep_transport_specific", pairs, "transport's own that new endpoints start with, as retry_count=7"),
			field("endpoint_defaults.ep_provider_specific", pairs, "provider's own that new endpoints start with, as max_inline_data=64")),
		{
			name: "checks", method: "GET", path: "/{id}/checks", help: "Check whether an IA is well, and what to do where not", answer: list,
			columns: []string{"name", "status", "detail", "remedy"},
		},
		{
			name: "resources", method: "GET", path: "/{id}/resources", help: "List everything on an IA's device, whoever made it", answer: list,
			query: listQuery(
				filter("kind", "kinds").of(wordsFrom(dat.ResourceKinds())...),
				filter("owner", "owners").of(wordsFrom([]dat.ResourceOwner{dat.OwnerDatapi, dat.OwnerProcess, dat.OwnerKernel, dat.OwnerOrphan})...),
				filter("pid", "processes"),
				filter("remote", "peers, by address or number of the queue pair"),
			),
			columns: []string{"kind", "number", "type", "state", "remote_number|destination", "owner", "pid", "comm", "endpoint"},
		},
		{name: "counters", method: "GET", path: "/{id}/counters", help: "Show the counters of an IA's port and device"},
	},
}

var pzNoun = noun{
	name: "pz", objects: "protection zones", hint: "ia",
	columns: []string{"id", "name", "ia", "version", "created_at"},
	wide:    []string{"updated_at", "labels"},
	verbs: []verb{
		listVerb("protection zones", ofConsumers...),
		showVerb("Show protection zones (dat_pz_query)"),
		createVerb("Create a protection zone (dat_pz_create)", memberIA),
		freeVerb("Free protection zones (dat_pz_free)"),
	},
}

var evdNoun = noun{
	name: "evd", objects: "event dispatchers", hint: "streams",
	columns: []string{"id", "name", "ia", "streams", "qlen", "depth", "dropped", "waitable", "mode"},
	wide:    []string{"in_use_by", "version", "created_at", "updated_at", "labels"},
	verbs: []verb{
		listVerb("event dispatchers", append(ofConsumers[:len(ofConsumers):len(ofConsumers)],
			filter("stream", "streams").of(enumWords[dat.Stream]()...))...),
		showVerb("Show event dispatchers (dat_evd_query)"),
		createVerb("Create an event dispatcher (dat_evd_create)", memberIA,
			field("qlen", number, "events that it holds").required(),
			field("streams", words, "streams").of(enumWords[dat.Stream]()...).required()),
		modifyVerb("Modify event dispatchers (dat_evd_resize, dat_evd_set_unwaitable, dat_evd_clear_unwaitable)",
			field("qlen", number, "events that it holds"),
			field("waitable", boolean, "whether it may be waited on"),
			memberName, memberLabels),
		freeVerb("Free event dispatchers (dat_evd_free)"),
		{
			name: "dequeue", method: "POST", path: "/{id}/dequeue", help: "Take events from a dispatcher (dat_evd_dequeue; with --wait, dat_evd_wait)",
			columns: eventColumns, answer: list, outcome: eventsCame,
			body: []member{field("max", number, "events to take at most").required(), field("threshold", number, "events that end a wait (1)")},
		},
		{
			name: "look", method: "GET", path: "/{id}/events", help: "See a dispatcher's events without taking them", columns: eventColumns, answer: list,
			query: []member{field("limit", number, "events at most")}, suggested: []string{"peek", "events"},
		},
		{
			name: "post-se", method: "POST", path: "/{id}/events", help: "Post a software event (dat_evd_post_se)", past: "took the event",
			body: []member{field("data", raw, "what it carries, as JSON")},
		},
	},
}

// eventColumns are those of events.
var eventColumns = []string{"at", "event", "stream", "endpoint", "reason", "data"}

var srqNoun = noun{
	name: "srq", objects: "shared receive queues", hint: "ia",
	columns: []string{"id", "name", "ia", "pz", "state", "max_recv_dtos", "available_dto_count", "outstanding_dto_count", "low_watermark"},
	wide:    []string{"max_recv_iov", "version", "created_at", "updated_at", "labels"},
	verbs: []verb{
		listVerb("shared receive queues", append(ofConsumers[:len(ofConsumers):len(ofConsumers)],
			filterOf("pz", "protection zones"), filter("state", "states").of(enumWords[dat.SRQState]()...))...),
		showVerb("Show shared receive queues (dat_srq_query)"),
		createVerb("Create a shared receive queue (dat_srq_create)", memberIA, memberPZ.required(),
			field("max_recv_dtos", number, "receives that it holds").required(),
			field("max_recv_iov", number, "segments of a receive").required()),
		modifyVerb("Modify shared receive queues (dat_srq_resize)",
			field("max_recv_dtos", number, "receives that it holds"), memberName, memberLabels),
		freeVerb("Free shared receive queues (dat_srq_free)"),
		{
			name: "set-lw", method: "PUT", path: "/{id}/low-watermark", help: "Set the low watermark (dat_srq_set_lw)", past: "has its low watermark", many: true,
			body: []member{field("low", number, "receives below which the event is raised").required()},
		},
		{
			name: "post-recv", method: "POST", path: "/{id}/recvs", help: "Post receives (dat_srq_post_recv)", many: true,
			body: []member{memberCount, memberSize.required(), memberCookie},
		},
	},
}
