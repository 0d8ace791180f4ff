package store

import (
	"maps"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// kind is what the store knows of an object type beside what package dat says of it.
// A new type needs a row in kinds, and a migration that adds it to the CHECK
// constraints.
type kind struct {
	// filters and sorts are what lists of the type have in addition to filtersOfAll
	// and sortsOfAll.
	filters map[string]filter
	sorts   map[string]order
	// upgrades bring a recorded object to the present form, the first one from form 1
	// to form 2 and so on; see formMember.
	upgrades []upgrade
	// secrets are members that no change has: the log is for everybody who reads.
	secrets []string
}

// kinds has a row for each object type.
var kinds = [...]kind{
	dat.TypeIA: {
		filters: map[string]filter{
			"provider": {member: "provider", check: checkProvider},
			"state":    {column: "state", check: checkWord[dat.IAState]},
		},
		sorts: byState,
		upgrades: []upgrade{
			addMember("endpoint_defaults", map[string]any{"ep_transport_specific": map[string]any{}, "ep_provider_specific": map[string]any{}}),
		},
	},
	dat.TypePZ: {},
	dat.TypeEVD: {
		filters: map[string]filter{"stream": {list: "streams", check: checkWord[dat.Stream]}},
	},
	dat.TypeSRQ: {
		filters: map[string]filter{"pz": handleIn("pz"), "state": {column: "state", check: checkWord[dat.SRQState]}},
		sorts:   byState,
	},
	dat.TypeLMR: {
		filters: map[string]filter{"pz": handleIn("pz"), "mem_type": {member: "mem_type", check: checkWord[dat.MemType]}},
		secrets: []string{"rmr_context"},
	},
	dat.TypeRMR: {
		filters: map[string]filter{"pz": handleIn("pz"), "lmr": handleIn("lmr")},
		secrets: []string{"rmr_context"},
	},
	dat.TypeEndpoint: {
		filters: map[string]filter{
			"state":             {column: "state", check: checkWord[dat.EPState]},
			"pz":                handleIn("pz"),
			"evd":               handleIn("recv_evd", "request_evd", "connect_evd"),
			"srq":               handleIn("srq"),
			"remote_ia_address": {column: "remote_ia_address"},
		},
		sorts: byState,
	},
	dat.TypePSP: {
		filters: map[string]filter{"evd": handleIn("evd"), "conn_qual": connQual},
	},
	dat.TypeRSP: {
		filters: map[string]filter{"evd": handleIn("evd"), "endpoint": handleIn("endpoint"), "conn_qual": connQual},
	},
	dat.TypeCR: {
		filters: map[string]filter{
			"psp": handleIn("psp"), "rsp": handleIn("rsp"), "endpoint": handleIn("endpoint"), "conn_qual": connQual,
		},
	},
}

// filtersOf returns the filters of a type's lists by name.
func filtersOf(t dat.ObjectType) map[string]filter {
	all := maps.Clone(filtersOfAll)
	maps.Copy(all, kinds[t].filters)
	return all
}

// sortsOf returns the members by which a type's lists can be sorted, by name.
func sortsOf(t dat.ObjectType) map[string]order {
	all := maps.Clone(sortsOfAll)
	maps.Copy(all, kinds[t].sorts)
	return all
}

// FilterNames returns the names of the filters of a type's lists, in alphabetical
// order.
func FilterNames(t dat.ObjectType) []string { return slices.Sorted(maps.Keys(filtersOf(t))) }

// SortNames returns the names of the members by which a type's lists can be sorted,
// in alphabetical order.
func SortNames(t dat.ObjectType) []string { return slices.Sorted(maps.Keys(sortsOf(t))) }
