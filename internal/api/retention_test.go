package api

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/api/document"
)

func TestTheRetentionIsOneSettingOfAllNodes(t *testing.T) {
	database := newDatabase(t)
	alpha, beta := newNode(t, database, "alpha", false), newNode(t, database, "beta", false)
	if unset := alpha.do("GET", "/retention", nil).is(200).object(); unset["age"] != nil || unset["set_by"] != nil || unset["set_at"] != nil || len(unset) != 3 {
		t.Errorf("at first: %v", unset)
	}
	before := alpha.number(`SELECT count(*) FROM changes`)
	set := beta.do("PUT", "/retention", members{"age": "48h"}).is(200)
	if set.at("age") != "2d" || set.at("set_by") != "anonymous" || set.header.Get(document.NodeHeader) != "" {
		t.Errorf("set: %s, answered by another node: %q", set.body, set.header.Get(document.NodeHeader))
	}
	for _, r := range []*rig{alpha, beta} {
		if got := r.do("GET", "/retention", nil).is(200); !bytes.Equal(got.body, set.body) {
			t.Errorf("node %s says %s, set was %s", r.api.node, got.body, set.body)
		}
	}
	if now := alpha.number(`SELECT count(*) FROM changes`); now != before {
		t.Errorf("%d changes of objects were recorded", now-before)
	}
}

func TestAnAgeThatIsNoneIsRefusedWithWhatWouldBeRight(t *testing.T) {
	r := newRig(t)
	for _, age := range []string{"", "90", "0d", "-1d", "36501d", "forever", "0s", strings.Repeat("9", 99) + "d"} {
		p := r.do("PUT", "/retention", members{"age": age}, loose).refused(422, "DAT_INVALID_PARAMETER")
		if p.Field == nil || *p.Field != "age" || !strings.Contains(p.Detail, "write it as 90d or 36h, 36500d at most") {
			t.Errorf("%q: %+v", age, p)
		}
	}
	for _, body := range []string{`{}`, `{"age":null}`, `{"age":90}`, `{"age":"90d","keep":"all"}`, `{"age":"` + strings.Repeat("9", 101) + `"}`} {
		r.do("PUT", "/retention", body, loose).refused(422, "DAT_INVALID_PARAMETER")
	}
	if age := r.do("GET", "/retention", nil).is(200).at("age"); age != nil {
		t.Errorf("after refusals it is %v", age)
	}
}

func TestWhoSetsTheRetentionAndWhyIsLogged(t *testing.T) {
	var log bytes.Buffer
	r := newRig(t, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	r.do("PUT", "/retention?dry_run=true", members{"age": "1d"}, with("X-Change-Reason", "only asking")).is(200)
	r.do("PUT", "/retention", members{"age": "90d"}, with("X-Change-Reason", "the auditors ask for it"), with(document.RequestIDHeader, "r-1")).is(200)
	r.do("PUT", "/retention", members{"age": "36h"}).is(200)
	lines := slices.DeleteFunc(strings.Split(log.String(), "\n"), func(l string) bool { return !strings.Contains(l, "how long changes are kept was set") })
	if len(lines) != 2 {
		t.Fatalf("%d lines: %s", len(lines), log.String())
	}
	for _, want := range []string{"retention=90d", "before=none", "actor=anonymous", `reason="the auditors ask for it"`, "request_id=r-1"} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("no %s in %s", want, lines[0])
		}
	}
	if !strings.Contains(lines[1], "before=90d") {
		t.Errorf("the second one: %s", lines[1])
	}
}

func TestTheRetentionHasTheConventionsOfEveryWrite(t *testing.T) {
	r := newRig(t)
	if dry := r.do("PUT", "/retention?dry_run=true", members{"age": "7d"}).is(200); dry.at("age") != "7d" || r.do("GET", "/retention", nil).at("age") != nil {
		t.Errorf("a dry run answers %s", dry.body)
	}
	key := with(idempotencyHeader, "k-1")
	first := r.do("PUT", "/retention", members{"age": "90d"}, key).is(200)
	r.do("PUT", "/retention", members{"age": "36h"}).is(200)
	if again := r.do("PUT", "/retention", members{"age": "90d"}, key).is(200); !bytes.Equal(again.body, first.body) || again.header.Get(replayedHeader) != replayed {
		t.Errorf("repeated: %s", again.body)
	}
	r.do("PUT", "/retention", members{"age": "30d"}, key).refused(422)
	if age := r.do("GET", "/retention", nil).at("age"); age != "36h" {
		t.Errorf("a repetition has set it to %v", age)
	}
	r.do("PUT", "/retention", members{"age": "90d"}, with(matchHeader, `"1"`)).refused(412)
	r.do("PUT", "/retention", members{"age": "40d"}, with(matchHeader, "*")).is(200)
	operations := []members{op("PUT", "/retention", members{"age": "50d"}), op("POST", "/pzs", members{"ia": ia0}), op("PUT", "/retention", members{"age": "never"})}
	if got := r.do("POST", "/batch", members{"operations": operations}).statuses(); got != "[200 201 422]" || r.do("GET", "/retention", nil).at("age") != "50d" {
		t.Errorf("in a batch: %s", got)
	}
	r.do("POST", "/batch", members{"atomic": true, "operations": operations[:1]}).refused(422)
}

func TestAReadOnlyServiceShowsTheRetentionAndSetsNone(t *testing.T) {
	r := newRig(t, func(c *Config) { c.ReadOnly = true })
	r.do("PUT", "/retention", members{"age": "1d"}).refused(403)
	if age := r.do("GET", "/retention", nil).is(200).at("age"); age != nil {
		t.Errorf("it is %v", age)
	}
}
