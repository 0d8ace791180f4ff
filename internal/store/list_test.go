package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

// names returns the names of a page's items, in order.
func names(p Page) []string {
	var out []string
	for _, o := range p.Items {
		out = append(out, string(o.Head().Name))
	}
	return out
}

func TestListFiltersSortsAndCounts(t *testing.T) {
	url := newDatabase(t)
	s, other := openStore(t, url, "alpha"), openStore(t, url, "beta")
	pz, evd := newID(t), newID(t)
	for i, name := range []string{"c", "a", "b"} {
		e := endpoint(newID(t), "alpha", name)
		e.Labels["app"] = "lustre"
		if i == 0 {
			e.PZ, e.ConnectEVD, e.State = pz, evd, dat.EPDisconnected
		}
		record(t, s, creation(e))
	}
	record(t, other, creation(endpoint(newID(t), "beta", "a_b")))
	cases := map[string]struct {
		q    Query
		want []string
	}{
		"all, in the order of creation": {Query{}, []string{"c", "a", "b", "a_b"}},
		"by name":                       {Query{Sort: "name"}, []string{"a", "a_b", "b", "c"}},
		"by name, backwards":            {Query{Sort: "name", Desc: true}, []string{"c", "b", "a_b", "a"}},
		"by state":                      {Query{Sort: "state"}, []string{"c", "a", "b", "a_b"}},
		"by updated_at, backwards":      {Query{Sort: "updated_at", Desc: true}, []string{"a_b", "b", "a", "c"}},
		"of a node":                     {Query{Filters: map[string][]string{"node": {"beta"}}}, []string{"a_b"}},
		"of two IAs":                    {Query{Filters: map[string][]string{"ia": {"soft0@alpha", "soft0@beta"}}}, []string{"c", "a", "b", "a_b"}},
		"in a state":                    {Query{Filters: map[string][]string{"state": {"DISCONNECTED"}}}, []string{"c"}},
		"that use a PZ":                 {Query{Filters: map[string][]string{"pz": {string(pz)}}}, []string{"c"}},
		"that use an EVD":               {Query{Filters: map[string][]string{"evd": {string(evd)}}}, []string{"c"}},
		"a PZ is no EVD":                {Query{Filters: map[string][]string{"evd": {string(pz)}}}, nil},
		"with a label":                  {Query{Labels: map[string][]string{"app": {"lustre"}}}, []string{"c", "a", "b"}},
		"with a name's pattern":         {Query{Names: []string{"a*"}}, []string{"a", "a_b"}},
		"with one of two names":         {Query{Names: []string{"c", "a*"}}, []string{"c", "a", "a_b"}},
		"with one of two values":        {Query{Labels: map[string][]string{"app": {"ceph", "lustre"}}}, []string{"c", "a", "b"}},
		"with two labels":               {Query{Labels: map[string][]string{"app": {"lustre"}, "tier": {"x"}}}, nil},
		"_ is no pattern":               {Query{Names: []string{"a_"}}, nil},
		"with an offset":                {Query{Offset: 3}, []string{"a_b"}},
		"with a NUL":                    {Query{Names: []string{"a\x00"}}, nil},
	}
	for name, c := range cases {
		c.q.Type, c.q.Total = dat.TypeEndpoint, true
		page, err := s.List(t.Context(), c.q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := names(page); !slices.Equal(got, c.want) || *page.Total != int64(len(c.want)+c.q.Offset) {
			t.Errorf("%s: got %q of %d, want %q", name, got, *page.Total, c.want)
		}
	}
}

func TestListRefusesWhatItDoesNotKnow(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	for range 3 {
		record(t, s, creation(endpoint(newID(t), "alpha", "")))
	}
	page, err := s.List(t.Context(), Query{Type: dat.TypeEndpoint, Limit: 1})
	must(t, err)
	cases := map[string]Query{
		"pzz":    {Filters: map[string][]string{"pzz": {"x"}}},
		"state":  {Filters: map[string][]string{"state": {"HAPPY"}}},
		"sort":   {Sort: "body; DROP TABLE objects"},
		"cursor": {Cursor: "bm90IG91cnM"},
		"limit":  {Limit: 1001},
		"offset": {Offset: 1_000_001},
	}
	for field, q := range cases {
		q.Type = dat.TypeEndpoint
		_, err := s.List(t.Context(), q)
		if e := wantError(t, err, dat.RetInvalidParameter, ""); e.Field != field {
			t.Errorf("%s: the refusal blames %q", field, e.Field)
		}
	}
	for _, q := range []Query{
		{Type: dat.TypePZ, Cursor: page.Next},
		{Type: dat.TypeEndpoint, Sort: "name", Cursor: page.Next},
		{Type: dat.TypeEndpoint, Cursor: page.Next, Offset: 1},
		{Type: dat.TypeEndpoint, Cursor: page.Next[:len(page.Next)-3]},
		{Type: dat.TypeEndpoint, Cursor: writeCursor(cursor{For: "endpoint created_at", Key: "1; DROP"})},
	} {
		_, err := s.List(t.Context(), q)
		wantError(t, err, dat.RetInvalidParameter, "")
	}
}

func TestListByCreationRepeatsAndMissesNothingWhileOthersWrite(t *testing.T) {
	url := newDatabase(t)
	a, b := openStore(t, url, "alpha"), openStore(t, url, "beta")
	var there []dat.Handle
	for i := range 60 {
		id := newID(t)
		record(t, a, creation(endpoint(id, "alpha", fmt.Sprintf("old-%d", i))))
		there = append(there, id)
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for _, s := range []*Store{a, b, a, b} {
		writers.Go(func() {
			for ctx.Err() == nil {
				if _, err := s.Recorder().Record(t.Context(), creation(endpoint(newID(t), s.cfg.Node, ""))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, desc := range []bool{false, true} {
		seen := map[dat.Handle]int{}
		pages := 0
		for q := (Query{Type: dat.TypeEndpoint, Limit: 7, Desc: desc}); pages < 40; pages++ {
			page, err := b.List(t.Context(), q)
			must(t, err)
			for _, o := range page.Items {
				seen[o.Head().ID]++
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		for id, n := range seen {
			if n > 1 {
				t.Errorf("desc %v: %s came %d times", desc, id, n)
			}
		}
		for _, id := range there {
			if seen[id] == 0 && (!desc || pages < 40) {
				t.Errorf("desc %v: %s was missed", desc, id)
			}
		}
	}
	stop()
	writers.Wait()
}

func TestEVDsAreListedByStream(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	record(t, s, creation(&dat.EVD{
		Meta: dat.Meta{ID: newID(t), IA: "soft0@alpha"}, QLen: 8, Streams: []dat.Stream{dat.StreamDTO, dat.StreamConnection},
	}))
	for stream, want := range map[string]int{"DTO": 1, "CONNECTION": 1, "CR": 0} {
		page, err := s.List(t.Context(), Query{Type: dat.TypeEVD, Filters: map[string][]string{"stream": {stream}}})
		must(t, err)
		if len(page.Items) != want {
			t.Errorf("stream %s: %d EVDs, want %d", stream, len(page.Items), want)
		}
	}
}
