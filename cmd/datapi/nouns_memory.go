package main

import "github.com/datapi/datapi/internal/dat"

var lmrNoun = noun{
	name: "lmr", objects: "local memory regions", hint: "ia",
	columns: []string{"id", "name", "ia", "pz", "mem_type", "length", "privileges", "target_address"},
	wide:    []string{"version", "created_at", "updated_at", "labels"},
	verbs: []verb{
		listVerb("local memory regions", append(ofConsumers[:len(ofConsumers):len(ofConsumers)],
			filterOf("pz", "protection zones"), filter("mem_type", "types of memory").of(enumWords[dat.MemType]()...))...),
		showVerb("Show local memory regions (dat_lmr_query)"),
		createVerb("Register memory (dat_lmr_create)", memberIA, memberPZ.required(),
			field("mem_type", text, "type of memory").of(enumWords[dat.MemType]()...),
			field("lmr", handle, "the region to register again (LMR)"),
			field("shared_id", text, "the memory's name (SHARED_VIRTUAL)"),
			memberOffset, memberLength.required(), memberPriv.required()),
		freeVerb("Free local memory regions (dat_lmr_free)"),
		{
			name: "read", method: "GET", path: "/{id}/data", help: "Write a region's memory to standard output", answer: octets,
			query: []member{memberOffset, memberLength},
		},
		{
			name: "write", method: "PUT", path: "/{id}/data", help: "Fill a region's memory from standard input or --file", input: true, past: "written",
			query: []member{memberOffset, memberLength},
		},
	},
}

var rmrNoun = noun{
	name: "rmr", objects: "remote memory regions", hint: "ia",
	columns: []string{"id", "name", "ia", "pz", "lmr", "length", "privileges"},
	wide:    []string{"version", "created_at", "updated_at", "labels"},
	verbs: []verb{
		listVerb("remote memory regions", append(ofConsumers[:len(ofConsumers):len(ofConsumers)],
			filterOf("pz", "protection zones"), filterOf("lmr", "regions that they show"))...),
		showVerb("Show remote memory regions (dat_rmr_query)"),
		createVerb("Create a remote memory region (dat_rmr_create); `ep bind-rmr` binds it", memberIA, memberPZ.required()),
		freeVerb("Free remote memory regions (dat_rmr_free)"),
	},
}
