package api

import (
	"net/http"
	"sync"
	"testing"
)

func TestARepetitionGetsTheFirstAnswer(t *testing.T) {
	r := newRig(t)
	key := with(idempotencyHeader, "k-1")
	first := r.do("POST", "/pzs", members{"ia": ia0, "name": "once"}, key).is(201)
	again := r.do("POST", "/pzs", members{"ia": ia0, "name": "once"}, key).is(201)
	if string(first.body) != string(again.body) || again.header.Get("Location") != first.header.Get("Location") || again.header.Get("ETag") != `"1"` {
		t.Errorf("first %v %s, again %v %s", first.header, first.body, again.header, again.body)
	}
	if items := r.do("GET", "/pzs", nil).at("items").([]any); len(items) != 1 {
		t.Errorf("%d zones were made", len(items))
	}
	r.do("POST", "/pzs", members{"ia": ia0}, key).refused(422, "DAT_INVALID_PARAMETER")
	r.do("POST", "/evds", members{"ia": ia0, "qlen": 8, "streams": []string{"DTO"}}, key).is(201) // another path is another scope
}

func TestARepetitionGetsTheFirstRefusal(t *testing.T) {
	r := newRig(t)
	pz := r.pz(ia0)
	user := r.do("POST", "/endpoints", members{"ia": ia0, "pz": pz}).is(201).id()
	key := with(idempotencyHeader, "k-2")
	first := r.do("DELETE", "/pzs/"+pz, nil, key)
	first.refused(409, "DAT_INVALID_STATE", "DAT_INVALID_STATE_PZ_IN_USE")
	r.do("DELETE", "/endpoints/"+user, nil).is(204)
	again := r.do("DELETE", "/pzs/"+pz, nil, key)
	again.refused(409, "DAT_INVALID_STATE", "DAT_INVALID_STATE_PZ_IN_USE")
	if string(first.body) != string(again.body) {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
	r.do("DELETE", "/pzs/"+pz, nil, with(idempotencyHeader, "k-3")).is(204)
	r.do("DELETE", "/pzs/"+pz, nil, with(idempotencyHeader, "k-3")).is(204) // the replay comes before 404
}

func TestARepetitionOfWhatIsNoChangeGetsTheFirstAnswer(t *testing.T) {
	r := newRig(t)
	ep := r.endpoint(ia0)
	for range 2 {
		r.do("POST", "/endpoints/"+ep+"/recvs", members{"count": 2, "size": 16}, with(idempotencyHeader, "k-4")).is(202)
	}
	if s := r.do("GET", "/endpoints/"+ep+"/status", nil); s.at("recvs") != 2.0 {
		t.Errorf("posted: %s", s.body)
	}
	for range 2 {
		if out := r.do("PATCH", "/endpoints/"+ep, `{}`, with(idempotencyHeader, "k-5")).is(200); out.at("version") != 1.0 {
			t.Errorf("after: %s", out.body)
		}
	}
}

func TestAStoredAnswerSurvivesARestart(t *testing.T) {
	database := newDatabase(t)
	var first reply
	t.Run("before", func(t *testing.T) {
		first = newRigOn(t, database, "alpha").do("POST", "/endpoints", members{"ia": ia0}, with(idempotencyHeader, "k-6")).is(201)
	})
	again := newRigOn(t, database, "alpha").do("POST", "/endpoints", members{"ia": ia0}, with(idempotencyHeader, "k-6")).is(201)
	if string(first.body) != string(again.body) {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
}

func TestTheStoredAnswerIsTheOutcomeThatWasSent(t *testing.T) {
	r := newRig(t)
	ep := r.endpoint(ia0)
	address := r.do("GET", "/ias/"+ia1, nil).at("ia_attributes", "ia_address")
	body := members{"remote_ia_address": address, "remote_port_qual": 9}
	first := r.do("POST", "/endpoints/"+ep+"/connect", body, with(idempotencyHeader, "k-7"), with("Prefer", "wait=10")).is(200)
	again := r.do("POST", "/endpoints/"+ep+"/connect", body, with(idempotencyHeader, "k-7"), with("Prefer", "wait=10")).is(200)
	if string(first.body) != string(again.body) || again.at("state") != "DISCONNECTED" {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
}

func TestOfConcurrentRequestsWithOneKeyOneIsCarriedOut(t *testing.T) {
	r := newRig(t)
	var wait sync.WaitGroup
	answers := make([]reply, 8)
	for i := range answers {
		wait.Go(func() { answers[i] = r.do("POST", "/pzs", members{"ia": ia0}, with(idempotencyHeader, "k-8")) })
	}
	wait.Wait()
	made := map[string]bool{}
	for _, a := range answers {
		switch a.status {
		case http.StatusCreated:
			made[a.id()] = true
		case http.StatusConflict:
			if p := a.refused(409); p.Type != "/problems/key-running" || a.header.Get("Retry-After") == "" {
				t.Errorf("problem %s", a.body)
			}
		default:
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if len(made) != 1 || len(r.do("GET", "/pzs", nil).at("items").([]any)) != 1 {
		t.Errorf("made %v", made)
	}
}

func TestAnAnswerWithACredentialIsNotStored(t *testing.T) {
	r := newRig(t, withToken)
	key := with(idempotencyHeader, "k-9")
	if out := r.do("POST", "/session", nil, bearer, key).is(201); out.header.Get("Set-Cookie") == "" {
		t.Error("no cookie")
	}
	out := r.do("POST", "/session", nil, bearer, key)
	if out.refused(409); out.header.Get("Set-Cookie") != "" {
		t.Error("the replay carries a cookie")
	}
}
