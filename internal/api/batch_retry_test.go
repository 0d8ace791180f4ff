package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
)

// sql carries out a statement on the rig's database.
func (r *rig) sql(statement string, args ...any) {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.url)
	must(r.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(r.t.Context(), statement, args...)
	must(r.t, err)
}

// number returns the number that a query of the rig's database finds.
func (r *rig) number(query string) (n int) {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.url)
	must(r.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	must(r.t, conn.QueryRow(r.t.Context(), query).Scan(&n))
	return n
}

// count returns how many objects a list has.
func (r *rig) count(path string) float64 {
	r.t.Helper()
	return r.do("GET", path+"?total=true", nil).is(200).at("total").(float64)
}

// statuses returns the statuses of a batch's results.
func (a reply) statuses() string {
	a.t.Helper()
	var all []any
	for _, one := range a.results() {
		all = append(all, one["status"])
	}
	return fmt.Sprint(all)
}

// mixedBatch has operations of every kind: groups of creations, a refusal, a change of one object, a reset that changes
// nothing, postings, and a free.
func mixedBatch(ep string) members {
	return members{"operations": []members{
		op("POST", "/pzs", members{"ia": ia0, "name": "a"}),
		op("POST", "/evds", members{"ia": ia0, "qlen": 8, "streams": []string{"DTO"}}),
		op("POST", "/pzs", members{"ia": ia0, "name": "a"}),
		op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id", "recv_evd": "$1.id"}),
		op("PATCH", "/endpoints/$3.id", members{"attributes": members{"max_recv_dtos": 5}}),
		op("POST", "/endpoints/"+ep+"/recvs", members{"count": 1, "size": 16}),
		op("POST", "/endpoints/"+ep+"/recvs", members{"count": 2, "size": 16}),
		op("PATCH", "/endpoints/"+ep, members{"labels": members{"seen": "yes"}}),
		op("PATCH", "/endpoints/"+ep, members{"labels": members{"seen": "yes"}}),
		op("DELETE", "/endpoints/$3.id", nil),
		op("DELETE", "/pzs/$2.id", nil),
	}}
}

const mixedStatuses = "[201 201 409 201 200 202 202 200 200 204 422]"

// Promise 3: one effect for each Idempotency-Key, also for /batch.
func TestARepeatedLooseBatchGetsTheFirstAnswer(t *testing.T) {
	r := newRig(t)
	ep := r.endpoint(ia0)
	body, key := mixedBatch(ep), with(idempotencyHeader, "mixed")
	first := r.do("POST", "/batch", body, key)
	if got := first.statuses(); got != mixedStatuses || first.header.Get(replayedHeader) != "" {
		t.Fatalf("first: %s, %v", got, first.header)
	}
	changes := r.count("/changes")
	again := r.do("POST", "/batch", body, key).is(200)
	if !bytes.Equal(first.body, again.body) || again.header.Get(replayedHeader) != replayed {
		t.Errorf("header %q\nfirst %s\nagain %s", again.header.Get(replayedHeader), first.body, again.body)
	}
	if now := r.count("/changes"); now != changes {
		t.Errorf("the repetition made %v changes", now-changes)
	}
	if s := r.do("GET", "/endpoints/"+ep+"/status", nil); s.at("recvs") != 3.0 {
		t.Errorf("posted: %s", s.body)
	}
	other := mixedBatch(ep)
	other["operations"] = other["operations"].([]members)[1:]
	r.do("POST", "/batch", other, key, loose).refused(422, "DAT_INVALID_PARAMETER")
}

// Promise 3: what leaves no record, and may have been carried out before the service died, is not carried out again.
func TestARepeatedBatchDoesNotRepeatWhatItMayHavePosted(t *testing.T) {
	r := newRig(t)
	ep, pz := r.endpoint(ia0), r.pz(ia0)
	body := encodedBody(t, members{"operations": []members{
		op("POST", "/pzs", members{"ia": ia0}),
		op("POST", "/endpoints/"+ep+"/recvs", members{"count": 1, "size": 16}),
		op("POST", "/endpoints/"+ep+"/recvs", members{"count": 1, "size": 16}),
		op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id", "name": "after"}),
		op("POST", "/endpoints/"+ep+"/recvs", members{"count": 1, "size": 16}),
	}})
	hash := sha256.Sum256(append([]byte("\n"), body...))
	done := encode([]batchResult{{Status: 201, Body: encode(members{"id": pz})}})
	for _, part := range []struct {
		from, to int
		body     []byte
	}{{0, 1, done}, {1, 3, []byte{}}} {
		r.sql(`INSERT INTO kept (principal, method, path, key, body_hash, status, header, body, from_operation, to_operation)
			VALUES ($1, 'POST', '/api/v1/batch', 'died', $2, 200, '{}', $3, $4, $5)`, principalOf(r), hash[:], part.body, part.from, part.to)
	}
	for range 2 {
		again := r.do("POST", "/batch", body, with(idempotencyHeader, "died"))
		if got := again.statuses(); got != "[201 503 503 201 202]" || again.header.Get(replayedHeader) != replayed {
			t.Fatalf("%s, %v", got, again.header)
		}
		results := again.results()
		if kind := results[1]["body"].(members)["type"]; kind != "/problems/outcome-unknown" {
			t.Errorf("a problem of kind %v", kind)
		}
		if results[3]["body"].(members)["pz"] != pz {
			t.Errorf("a reference to what was made before: %v", results[3])
		}
	}
	if s := r.do("GET", "/endpoints/"+ep+"/status", nil); s.at("recvs") != 1.0 {
		t.Errorf("posted: %s", s.body)
	}
	if n := len(r.do("GET", "/endpoints?name=after", nil).at("items").([]any)); n != 1 {
		t.Errorf("%d endpoints were made", n)
	}
}

// principalOf returns who calls a rig without a credential.
func principalOf(r *rig) string {
	r.t.Helper()
	return r.do("GET", "/whoami", nil).is(200).at("name").(string)
}

// Promise 3: an answer that only says where or when to ask is asked for anew.
// Promise 3: operations whose beginning the database did not confirm were not begun, and a repetition carries them out.
func TestARepeatedBatchPostsWhatItWasRefusedToBegin(t *testing.T) {
	pg := newOwnCluster(t)
	r := newRigOn(t, pg.URL(), "alpha")
	ep := r.endpoint(ia0)
	body, key := members{"operations": []members{op("POST", "/endpoints/"+ep+"/recvs", members{"count": 1, "size": 16})}}, with(idempotencyHeader, "begin")
	setting(t, pg.URL(), "synchronous_standby_names", "nobody")
	awaitStandbys(t, pg.URL())
	if got := r.do("POST", "/batch", body, key).statuses(); got != "[503]" {
		t.Fatalf("without the standby: %s", got)
	}
	setting(t, pg.URL(), "synchronous_standby_names", "")
	var again reply
	eventually(t, "a repetition is answered", func() bool { again = r.do("POST", "/batch", body, key); return again.status == 200 })
	if got := again.statuses(); got != "[202]" {
		t.Errorf("the repetition: %s, %s", got, again.body)
	}
	if s := r.do("GET", "/endpoints/"+ep+"/status", nil); s.at("recvs") != 1.0 {
		t.Errorf("posted: %s", s.body)
	}
}

func TestAnAnswerThatSaysWhereToAskIsNotStored(t *testing.T) {
	database := newDatabase(t)
	alpha, beta := newRigOn(t, database, "alpha"), newRigOn(t, database, "beta")
	ep := alpha.endpoint(ia0)
	key := with(idempotencyHeader, "where")
	for range 2 {
		if out := beta.do("POST", "/endpoints/"+ep+"/reset?forward=false", nil, key); out.refused(421).Address == nil || out.header.Get(replayedHeader) != "" {
			t.Errorf("%v %s", out.header, out.body)
		}
		results := beta.do("POST", "/batch?forward=false", members{"operations": []members{op("POST", "/endpoints/"+ep+"/reset", nil)}}, key)
		if results.statuses() != "[421]" || results.header.Get(replayedHeader) != "" {
			t.Errorf("%v %s", results.header, results.body)
		}
	}
	if n := alpha.number(`SELECT count(*) FROM kept`); n != 0 {
		t.Errorf("%d answers are stored", n)
	}
}

// Promise 3: the refusal of the record is an answer like any other.
func TestARepetitionGetsTheRefusalOfANameThatAnotherNodeHas(t *testing.T) {
	database := newDatabase(t)
	alpha, beta := newRigOn(t, database, "alpha"), newRigOn(t, database, "beta")
	zone := alpha.do("POST", "/pzs", members{"ia": ia0, "name": "taken"}).is(201).id()
	try := func() reply {
		return beta.do("POST", "/pzs", members{"ia": "soft0@beta", "name": "taken"}, with(idempotencyHeader, "taken"))
	}
	first := try()
	first.refused(409)
	alpha.do("DELETE", "/pzs/"+zone, nil).is(204)
	if again := try(); !bytes.Equal(first.body, again.body) {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
}

// Promise 3: the answer of the first call is replayed to the byte, with the members that are never recorded.
func TestARepetitionShowsTheLiveMembersOfTheFirstAnswer(t *testing.T) {
	r := newRig(t)
	evd := op("POST", "/evds", members{"ia": ia0, "qlen": 8, "streams": []string{"DTO"}})
	for path, body := range map[string]any{
		"/evds":  evd["body"],
		"/batch": members{"operations": []members{evd, evd}},
	} {
		first := r.do("POST", path, body, with(idempotencyHeader, "live"))
		again := r.do("POST", path, body, with(idempotencyHeader, "live"))
		if !bytes.Equal(first.body, again.body) || again.header.Get(replayedHeader) != replayed {
			t.Errorf("%s: first %s, again %s", path, first.body, again.body)
		}
	}
	body := members{"atomic": true, "operations": []members{evd, evd}}
	first, again := r.do("POST", "/batch", body, with(idempotencyHeader, "atomic")), r.do("POST", "/batch", body, with(idempotencyHeader, "atomic"))
	if !bytes.Equal(first.body, again.body) || again.header.Get(replayedHeader) != replayed {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
}

// Promise 3: a key of what is no change holds as long as the process lives, even where the database went away before
// the answer could be stored.
func TestAKeyOfADequeueHoldsWhileTheDatabaseGoesAway(t *testing.T) {
	pg := newOwnCluster(t)
	r := newRigOn(t, pg.URL(), "alpha")
	evd := r.evd(ia0, "SOFTWARE")
	take := func() reply {
		return r.do("POST", "/evds/"+evd+"/dequeue", members{"max": 1}, with(idempotencyHeader, "take"), with("Prefer", "wait=60"))
	}
	answers := make(chan reply)
	go func() { answers <- take() }()
	eventually(t, "the dequeue waits", func() bool {
		return r.do("POST", "/evds/"+evd+"/dequeue", members{"max": 1}).status == http.StatusConflict
	})
	pg.stop(t)
	for range 2 {
		r.do("POST", "/evds/"+evd+"/events", members{"data": members{"n": 1}}).is(201)
	}
	first := (<-answers).is(200)
	if again := take().is(200); !bytes.Equal(first.body, again.body) || again.header.Get(replayedHeader) != replayed {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
	r.do("POST", "/evds/"+evd+"/dequeue", members{"max": 1}, with(idempotencyHeader, "another")).refused(503)
	pg.start(t)
	eventually(t, "writes are taken again", func() bool { return r.do("POST", "/pzs", members{"ia": ia0}).status == 201 })
	if again := take().is(200); !bytes.Equal(first.body, again.body) {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
	if left := r.do("GET", "/evds/"+evd+"/events", nil).at("events").([]any); len(left) != 1 {
		t.Errorf("%d events are left, want 1", len(left))
	}
}
