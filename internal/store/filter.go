package store

import (
	"encoding"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// filter is an equality by which a list can be narrowed. Callers never name a
// column: they name a row of the tables below.
type filter struct {
	// expr is what is compared, as text; empty for a filter by references.
	expr string
	// refs are the members that hold a handle; the index over all references
	// finds the candidates.
	refs []string
	// array is a member that holds several words; one of them is enough.
	array string
	// check refuses a value that cannot be.
	check func(string) error
}

// word checks a value by the enum that reads it.
func word[E any, P interface {
	*E
	encoding.TextUnmarshaler
}](value string) error {
	return P(new(E)).UnmarshalText([]byte(value))
}

func qualifier(value string) error {
	n, err := strconv.Atoi(value)
	if err == nil && (n < 1 || n > 65535) {
		err = fmt.Errorf("%s is not 1 to 65535", value)
	}
	return err
}

// provider checks the name of an engine.
func provider(value string) error {
	if value != "soft" && value != "verbs" {
		return fmt.Errorf("it is neither soft nor verbs")
	}
	return nil
}

func refs(members ...string) filter { return filter{refs: members} }

var everyType = map[string]filter{"ia": {expr: "ia"}, "node": {expr: "node"}}

var connQual = filter{expr: "body->>'conn_qual'", check: qualifier}

// typeFilters are the filters that a type has beside those of every type.
var typeFilters = [...]map[string]filter{
	dat.TypeIA: {
		"provider": {expr: "body->>'provider'", check: provider},
		"state":    {expr: "state", check: word[dat.IAState]},
	},
	dat.TypePZ:  {},
	dat.TypeEVD: {"stream": {array: "streams", check: word[dat.Stream]}},
	dat.TypeSRQ: {"pz": refs("pz"), "state": {expr: "state", check: word[dat.SRQState]}},
	dat.TypeLMR: {"pz": refs("pz"), "mem_type": {expr: "body->>'mem_type'", check: word[dat.MemType]}},
	dat.TypeRMR: {"pz": refs("pz"), "lmr": refs("lmr")},
	dat.TypeEndpoint: {
		"state":             {expr: "state", check: word[dat.EPState]},
		"pz":                refs("pz"),
		"evd":               refs("recv_evd", "request_evd", "connect_evd"),
		"srq":               refs("srq"),
		"remote_ia_address": {expr: "remote_ia_address"},
	},
	dat.TypePSP: {"evd": refs("evd"), "conn_qual": connQual},
	dat.TypeRSP: {"evd": refs("evd"), "endpoint": refs("endpoint"), "conn_qual": connQual},
	dat.TypeCR:  {"psp": refs("psp"), "rsp": refs("rsp"), "endpoint": refs("endpoint"), "conn_qual": connQual},
}

func filtersOf(t dat.ObjectType) map[string]filter {
	all := maps.Clone(everyType)
	maps.Copy(all, typeFilters[t])
	return all
}

// FilterNames are the filters that a type has, sorted.
func FilterNames(t dat.ObjectType) []string { return slices.Sorted(maps.Keys(filtersOf(t))) }

// condition is the filter as a part of a WHERE.
func (f filter) condition(c *conditions, name string, values []string) (string, error) {
	for _, v := range values {
		if f.check == nil {
			continue
		}
		if err := f.check(v); err != nil {
			return "", badQuery(name, "the filter "+name+" cannot be "+quoteShort(v)+": "+err.Error())
		}
	}
	wanted := c.arg(values) + "::text[]"
	if f.array != "" {
		return fmt.Sprintf("body->'%s' ?| %s", f.array, wanted), nil
	}
	if len(f.refs) == 0 {
		return fmt.Sprintf("%s = ANY(%s)", f.expr, wanted), nil
	}
	var any []string
	for _, m := range f.refs {
		any = append(any, fmt.Sprintf("body->>'%s' = ANY(%s)", m, wanted))
	}
	return fmt.Sprintf("refs && %s AND (%s)", wanted, strings.Join(any, " OR ")), nil
}

// order is a member by which a list can be sorted. Ties are broken by the order
// of creation as it was committed, and created_at is that order itself: no row
// can appear behind a reader.
type order struct {
	expr, cast string
	// only are the types that have the member; none = all.
	only []dat.ObjectType
	// check refuses a cursor's key that cannot be.
	check func(string) error
}

var sorts = map[string]order{
	"created_at": {expr: "objects.created_change", cast: "bigint", check: func(s string) error { _, err := strconv.ParseInt(s, 10, 64); return err }},
	"updated_at": {expr: "updated_at", cast: "timestamptz", check: func(s string) error { _, err := time.Parse("2006-01-02 15:04:05.999999-07", s); return err }},
	"name":       {expr: `coalesce(name, '') COLLATE "C"`, cast: "text", check: plainText},
	"state":      {expr: "state", cast: "text", check: plainText, only: []dat.ObjectType{dat.TypeEndpoint, dat.TypeIA, dat.TypeSRQ}},
}

func plainText(s string) error {
	if strings.ContainsRune(s, 0) {
		return fmt.Errorf("U+0000")
	}
	return nil
}

// SortNames are the members by which a type can be sorted, sorted.
func SortNames(t dat.ObjectType) []string {
	names := slices.Sorted(maps.Keys(sorts))
	return slices.DeleteFunc(names, func(n string) bool { only := sorts[n].only; return only != nil && !slices.Contains(only, t) })
}

func (q *Query) sort() string {
	if q.Sort == "" {
		return "created_at"
	}
	return q.Sort
}

func (q *Query) sortable() bool { return slices.Contains(SortNames(q.Type), q.sort()) }

// signature names the list that a cursor belongs to.
func (q *Query) signature() string {
	if q.Desc {
		return q.Type.String() + " -" + q.sort()
	}
	return q.Type.String() + " " + q.sort()
}
