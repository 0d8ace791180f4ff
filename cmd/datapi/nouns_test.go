package main

import (
	"slices"
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

// verbOf finds a verb of a noun by its name.
func verbOf(t *testing.T, n noun, name string) verb {
	t.Helper()
	i := slices.IndexFunc(n.verbs, func(v verb) bool { return v.name == name })
	if i < 0 {
		t.Fatalf("%s has no verb %s", n.name, name)
	}
	return n.verbs[i]
}

func TestEveryTypeOfObjectIsANoun(t *testing.T) {
	if len(objectNouns) != len(dat.ObjectTypes()) {
		t.Fatalf("there are %d nouns for %d types of objects", len(objectNouns), len(dat.ObjectTypes()))
	}
	names := map[string]bool{}
	for _, n := range nouns() {
		if n.name == "" || names[n.name] || n.objects == "" || n.path == "" || len(n.columns) == 0 {
			t.Errorf("the noun %q of %q has a hole, or a name that another has", n.name, n.objects)
		}
		names[n.name] = true
		if n.single {
			verbOf(t, n, "show")
		} else {
			verbOf(t, n, "list")
		}
	}
	for _, typ := range dat.ObjectTypes() {
		n := nounOf(typ)
		verbOf(t, n, "show")
		if !typ.Nameable() {
			continue
		}
		for _, name := range []string{"create", "free"} {
			verbOf(t, n, name)
		}
		for _, filter := range ofConsumers {
			if !slices.ContainsFunc(verbOf(t, n, "list").query, func(m member) bool { return m.wire == filter.wire && m.kind == filter.kind }) {
				t.Errorf("%s list has no --%s", n.name, filter.flag())
			}
		}
	}
}

func TestEveryParameterOfAnEndpointIsAFlag(t *testing.T) {
	for _, p := range dat.Params() {
		for name, takes := range map[string]bool{"create": p.SetAtCreate(), "modify": p.Group() != dat.GroupNever} {
			body := verbOf(t, nounOf(dat.TypeEndpoint), name).body
			found := slices.DeleteFunc(slices.Clone(body), func(m member) bool { return m.wire != p.String() })
			if takes && (len(found) != 1 || found[0].help == "") {
				t.Errorf("ep %s has %d flags for %s", name, len(found), p)
			}
		}
	}
}

func TestEveryKindOfParameterIsReadFromAWord(t *testing.T) {
	for _, p := range dat.Params() {
		if _, ok := memberKinds[p.Kind()]; !ok && p.SetAtCreate() {
			t.Errorf("no flag can hold %s, which is a %s", p, p.Kind())
		}
	}
}

func TestFlagsOfAVerbHaveNamesOfTheirOwn(t *testing.T) {
	for _, n := range nouns() {
		for _, v := range n.verbs {
			flags := map[string]string{}
			for _, m := range slices.Concat(v.query, v.body) {
				if other, twice := flags[m.flag()]; twice {
					t.Errorf("%s %s: --%s is %s and %s", n.name, v.name, m.flag(), other, m.wire)
				}
				flags[m.flag()] = m.wire
			}
		}
	}
}
