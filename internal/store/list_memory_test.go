package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// randomObjects records objects of all types whose members are often equal, so that filters find some and orders have
// ties. It modifies and frees a part of them. Their names have the numbers from numbers on.
func randomObjects(t *testing.T, s *Store, random *rand.Rand, numbers int) (ids []string) {
	t.Helper()
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	shared := []dat.Handle{newID(t), newID(t), newID(t)}
	for _, h := range shared {
		ids = append(ids, string(h))
	}
	handle := func() dat.Handle { return shared[random.IntN(len(shared))] }
	for i := range 60 {
		meta := dat.Meta{ID: newID(t), IA: dat.Handle(pick("soft0@alpha", "soft1@alpha")), Node: "alpha", Labels: map[string]string{}}
		if random.IntN(3) > 0 {
			meta.Name = dat.Name(fmt.Sprintf("%s-%s-%d", pick("ost", "o_t", "mdt", "a.b"), pick("x", "y", "xx"), numbers+i))
		}
		for _, key := range []string{"app", "tier"} {
			if random.IntN(2) == 0 {
				meta.Labels[key] = pick("a", "b", "")
			}
		}
		var o dat.Object
		qual := int32(random.IntN(3) + 1)
		switch pick("endpoint", "endpoint", "evd", "srq", "lmr", "rmr", "psp", "rsp", "pz") {
		case "endpoint":
			e := endpoint(meta.ID, "alpha", "")
			e.Meta = meta
			e.State = []dat.EPState{dat.EPUnconnected, dat.EPDisconnected, dat.EPDisconnectPending, dat.EPConnected}[random.IntN(4)]
			e.RemoteIAAddress = nil
			if e.State == dat.EPConnected {
				address := pick("10.0.0.1", "10.0.0.2")
				e.RemoteIAAddress = &address
			}
			e.PZ, e.RecvEVD, e.ConnectEVD = handle(), handle(), dat.HandleNull
			o = e
		case "evd":
			o = &dat.EVD{Meta: meta, QLen: 8, Streams: [][]dat.Stream{{dat.StreamDTO}, {dat.StreamDTO, dat.StreamCR}, {dat.StreamSoftware}}[random.IntN(3)]}
		case "srq":
			o = &dat.SRQ{Meta: meta, PZ: handle(), State: dat.SRQState(random.IntN(2))}
		case "lmr":
			o = &dat.LMR{Meta: meta, PZ: handle(), MemType: dat.MemType(random.IntN(3)), Length: 1}
		case "rmr":
			o = &dat.RMR{Meta: meta, PZ: handle(), LMR: handle()}
		case "psp":
			o = &dat.PSP{Meta: meta, EVD: handle(), ConnQual: qual}
		case "rsp":
			o = &dat.RSP{Meta: meta, EVD: handle(), Endpoint: handle(), ConnQual: qual}
		default:
			o = &dat.PZ{Meta: meta}
		}
		record(t, s, creation(o))
		switch random.IntN(4) {
		case 0:
			record(t, s, ending(o.Type(), o.Head().ID))
		case 1:
			record(t, s, dat.Entry{
				Object: dat.ObjectRef{Type: o.Type(), ID: o.Head().ID}, Cause: "modify", Actor: "test", Outcome: dat.RetSuccess,
				Apply: func(before dat.Object) dat.Object {
					after := before.Clone()
					after.Head().Labels = map[string]string{"app": "changed"}
					return after
				},
			})
		}
	}
	return ids
}

// randomQuery returns a query with the filters, orders and bounds that a type's lists have.
func randomQuery(random *rand.Rand, typ dat.ObjectType, ids []string) Query {
	words := map[string][]string{
		"ia": {"soft0@alpha", "soft1@alpha", "soft0@beta"}, "node": {"alpha", "beta"}, "provider": {"soft", "verbs"},
		"stream": {"DTO", "CR", "SOFTWARE", "CONNECTION"}, "mem_type": {"VIRTUAL", "LMR", "SHARED_VIRTUAL"}, "conn_qual": {"1", "2", "03", "3"},
		"remote_ia_address": {"10.0.0.1", "10.0.0.2", "10.0.0.3"},
	}
	switch typ {
	case dat.TypeEndpoint:
		words["state"] = []string{"UNCONNECTED", "DISCONNECTED", "DISCONNECT_PENDING", "CONNECTED"}
	case dat.TypeSRQ:
		words["state"] = []string{"OPERATIONAL", "ERROR"}
	default:
		words["state"] = []string{"UP", "DOWN"}
	}
	q := Query{Type: typ, Filters: map[string][]string{}, Total: true, Desc: random.IntN(2) == 0, Limit: 1 + random.IntN(7)}
	q.Sort = append(SortNames(typ), "")[random.IntN(len(SortNames(typ))+1)]
	for _, name := range FilterNames(typ) {
		known, ok := words[name]
		if !ok {
			known = ids
		}
		for range random.IntN(3) {
			if random.IntN(2) == 0 {
				q.Filters[name] = append(q.Filters[name], known[random.IntN(len(known))])
			}
		}
	}
	if random.IntN(3) == 0 {
		q.Scope = access.NewScope(
			[][]string{nil, {"soft0"}, {"soft1@alpha"}, {"soft0@alpha", "soft1"}, {"soft0@beta"}}[random.IntN(5)],
			[]map[string]string{nil, {"app": "a"}, {"app": "b", "tier": ""}, {"app": "changed"}}[random.IntN(4)])
	}
	if random.IntN(3) == 0 {
		q.Labels = map[string][]string{[]string{"app", "tier"}[random.IntN(2)]: {[]string{"a", "b", "changed", ""}[random.IntN(4)], "b"}}
	}
	if random.IntN(4) == 0 {
		q.HasLabels = [][]string{{"app"}, {"tier"}, {"app", "tier"}}[random.IntN(3)]
	}
	if random.IntN(3) == 0 {
		q.Names = []string{[]string{"ost*", "*x*", "o_t*", "*-x-*", "*", "a.b-y-*1", "ost-x-1", "*1*1", "%"}[random.IntN(9)]}
	}
	if random.IntN(4) == 0 {
		q.Offset = random.IntN(5)
	}
	return q
}

// Promise 9: the list from memory is the list of the database, in the same order and with the same cursors.
func TestTheListFromMemoryIsThatOfTheDatabase(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	ids := randomObjects(t, s, random, 0)
	must(t, s.Close(context.Background()))
	s = openStore(t, url, "alpha") // the order of what was there at the start is read
	ids = append(ids, randomObjects(t, s, random, 100)...)
	found := 0
	for range 400 {
		q := randomQuery(random, dat.ObjectType(random.IntN(len(kinds))), ids)
		for pages := 0; pages < 20; pages++ {
			plan, err := q.plan()
			must(t, err)
			want, err := s.listFromDatabase(t.Context(), q, plan)
			must(t, err)
			got := q.listFromMemory(s.recorder.living(q.Type), plan)
			if !got.Partial || want.Partial {
				t.Fatal("the list from memory alone is partial")
			}
			if d := cmp.Diff(idsOf(want), idsOf(got)); d != "" || got.Next != want.Next || *got.Total != *want.Total {
				t.Fatalf("%+v: total %d and %d, next %q and %q\n%s", q, *want.Total, *got.Total, want.Next, got.Next, d)
			}
			found += len(want.Items)
			if q.Cursor, q.Offset = want.Next, 0; q.Cursor == "" {
				break
			}
		}
	}
	if found < 200 {
		t.Errorf("the queries found %d objects, too few to prove anything", found)
	}
}

// idsOf returns the ids and versions of a page's items, in order.
func idsOf(p Page) []string {
	all := []string{}
	for _, o := range p.Items {
		all = append(all, fmt.Sprint(o.Head().ID, " ", o.Head().Version))
	}
	return all
}

// Promise 9: what a list refuses is the same with and without the database.
func TestTheListFromMemoryRefusesWhatTheDatabaseDoes(t *testing.T) {
	p, through := newProxy(t, newDatabase(t))
	s := openStore(t, through, "alpha")
	record(t, s, creation(endpoint(newID(t), "alpha", "one")))
	p.refusing.Store(true)
	p.cut()
	page, err := s.List(t.Context(), Query{Type: dat.TypeEndpoint, Sort: "name"})
	must(t, err)
	if !page.Partial || !slices.Equal(names(page), []string{"one"}) || page.Position != s.log.Position() {
		t.Errorf("without the database: %+v", page)
	}
	for _, q := range []Query{{Sort: "size"}, {Filters: map[string][]string{"state": {"HAPPY"}}}, {Limit: 1001}, {Cursor: "x"}} {
		q.Type = dat.TypeEndpoint
		_, err := s.List(t.Context(), q)
		wantError(t, err, dat.RetInvalidParameter, "")
	}
}
