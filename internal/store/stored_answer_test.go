package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/dat"
)

func TestAStoredAnswerIsCommittedWithItsChange(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	entry := creation(endpoint(newID(t), "alpha", ""))
	entry.Answer = &dat.KeyedAnswer{
		Principal: "p", Method: "POST", Path: "/endpoints", Key: "k", BodyHash: []byte{1},
		Make: func(o dat.Object) (int, map[string]string, []byte) {
			return 201, map[string]string{"ETag": `"1"`}, []byte(o.Head().ID)
		},
	}
	key := AnswerKey{"p", "POST", "/endpoints", "k"}
	answer, running, err := s.ClaimKey(t.Context(), key)
	if answer != nil || running || err != nil {
		t.Fatal(answer, running, err)
	}
	if _, running, _ = s.ClaimKey(t.Context(), key); !running {
		t.Error("a second request with the key must be told that the first runs")
	}
	record(t, s, entry)
	s.ReleaseKey(key)
	answer, _, err = s.ClaimKey(t.Context(), key)
	must(t, err)
	want := []StoredAnswer{{BodyHash: []byte{1}, Status: 201, Header: map[string]string{"ETag": `"1"`}, Body: []byte(entry.Object.ID)}}
	if d := cmp.Diff(want, answer); d != "" {
		t.Error(d)
	}
	again := creation(endpoint(newID(t), "alpha", ""))
	again.Answer = entry.Answer
	_, err = s.Recorder().Record(t.Context(), again)
	wantError(t, err, dat.RetInvalidState, KindKeyRunning)
	_, err = s.Get(t.Context(), dat.TypeEndpoint, again.Object.ID)
	wantError(t, err, dat.RetInvalidHandle, "")
}

func TestAnAnswerWithoutAChangeIsStoredForADay(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	key := AnswerKey{"p", "PATCH", "/x", "k"}
	look := func() *StoredAnswer {
		found, _, err := s.ClaimKey(t.Context(), key)
		must(t, err)
		s.ReleaseKey(key)
		if len(found) == 0 {
			return nil
		}
		return &found[0]
	}
	save := func(status int) {
		must(t, s.SaveAnswer(t.Context(), key, StoredAnswer{BodyHash: []byte{1}, Status: status}))
	}
	save(409)
	save(422)
	if a := look(); a == nil || a.Status != 409 {
		t.Errorf("the first answer must stay: %+v", a)
	}
	must(t, admin(t.Context(), url, `UPDATE kept SET at = now() - interval '25 hours'`))
	if a := look(); a != nil {
		t.Errorf("after a day there is still %+v", a)
	}
	save(422)
	if a := look(); a == nil || a.Status != 422 {
		t.Errorf("after a day the key is free again: %+v", a)
	}
}

func TestThePartsOfAnAnswerAreFoundInOrderAndGoTogether(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	key := AnswerKey{"p", "POST", "/batch", "k"}
	part := func(from, to int, body string) StoredAnswer {
		return StoredAnswer{BodyHash: []byte{1}, Status: 200, Header: map[string]string{}, Body: []byte(body), From: from, To: to}
	}
	look := func() []StoredAnswer {
		found, _, err := s.ClaimKey(t.Context(), key)
		must(t, err)
		s.ReleaseKey(key)
		return found
	}
	must(t, s.SaveAnswer(t.Context(), key, part(2, 4, "")))
	entry := creation(endpoint(newID(t), "alpha", ""))
	entry.Answer = &dat.KeyedAnswer{
		Principal: "p", Method: "POST", Path: "/batch", Key: "k", BodyHash: []byte{1}, From: 0, To: 2,
		Make: func(dat.Object) (int, map[string]string, []byte) { return 200, nil, []byte("ab") },
	}
	record(t, s, entry)
	must(t, s.AmendAnswer(t.Context(), key, part(2, 4, "cd")))
	if d := cmp.Diff([]StoredAnswer{part(0, 2, "ab"), part(2, 4, "cd")}, look()); d != "" {
		t.Error(d)
	}
	must(t, admin(t.Context(), url, `UPDATE kept SET at = now() - interval '25 hours' WHERE from_operation = 0`))
	must(t, s.pruneAnswers(t.Context()))
	if found := look(); len(found) != 2 {
		t.Errorf("a part went before the others: %v", found)
	}
	must(t, s.DropAnswers(t.Context(), key, 2))
	if found := look(); len(found) != 0 {
		t.Errorf("past its time there is still %v", found)
	}
}

func TestAnAnswerThatTheDatabaseDidNotTakeIsRemembered(t *testing.T) {
	p, through := newProxy(t, newDatabase(t))
	s := openStore(t, through, "alpha")
	key := AnswerKey{"p", "POST", "/evds/1/dequeue", "k"}
	answer := StoredAnswer{BodyHash: []byte{1}, Status: 200, Body: []byte("events")}
	_, _, err := s.ClaimKey(t.Context(), key)
	must(t, err)
	p.refusing.Store(true)
	p.cut()
	wantError(t, s.SaveAnswer(t.Context(), key, answer), dat.RetInternalError, KindStoreAway)
	s.RememberAnswer(key, answer)
	s.ReleaseKey(key)
	found, _, err := s.ClaimKey(t.Context(), key)
	must(t, err)
	if d := cmp.Diff([]StoredAnswer{answer}, found); d != "" {
		t.Error(d)
	}
	s.claims.prune(time.Now().Add(AnswerLifetime + time.Hour))
	if found, room := s.claims.remembered(key); len(found) != 0 || !room || s.claims.bytes != 0 {
		t.Errorf("after a day there is still %v, %d bytes", found, s.claims.bytes)
	}
	s.claims.remember(key, []StoredAnswer{{Body: make([]byte, maxUnsaved)}})
	if _, room := s.claims.remembered(AnswerKey{}); room {
		t.Error("there is room beyond the bound")
	}
}

func TestAnAnswerThatWasWithdrawnIsDeletedBeforeItsKeyIsClaimed(t *testing.T) {
	url := newDatabase(t)
	p, through := newProxy(t, url)
	s := openStore(t, through, "alpha")
	key := AnswerKey{"p", "POST", "/batch", "k"}
	part := func(from, to int) StoredAnswer {
		return StoredAnswer{BodyHash: []byte{1}, Status: 200, Header: map[string]string{}, Body: []byte{}, From: from, To: to}
	}
	must(t, s.SaveAnswer(t.Context(), key, part(0, 2), part(2, 4), part(4, 5)))
	p.refusing.Store(true)
	p.cut()
	if err := s.DropAnswers(t.Context(), key, 4); err == nil {
		t.Fatal("the database takes changes")
	}
	s.WithdrawAnswers(key, 2)
	p.refusing.Store(false)
	var found []StoredAnswer
	eventually(t, "the key is claimed", func() bool {
		var running bool
		var err error
		found, running, err = s.ClaimKey(t.Context(), key)
		return err == nil && !running
	})
	if d := cmp.Diff([]StoredAnswer{part(0, 2)}, found); d != "" {
		t.Error(d)
	}
	must(t, s.SaveAnswer(t.Context(), key, part(2, 3)))
	s.ReleaseKey(key)
	found, _, err := s.ClaimKey(t.Context(), key)
	must(t, err)
	if d := cmp.Diff([]StoredAnswer{part(0, 2), part(2, 3)}, found); d != "" {
		t.Errorf("what is stored afterwards is not found: %s", d)
	}
	s.WithdrawAnswers(key, 0)
	s.claims.prune(time.Now().Add(AnswerLifetime + time.Hour))
	if len(s.claims.withdrawn) != 0 {
		t.Error("a withdrawal is remembered for ever")
	}
}
