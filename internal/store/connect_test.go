package store

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// parts are the socket directory and the database of a URL of newDatabase.
func parts(t *testing.T, u string) (dir, database string) {
	t.Helper()
	parsed, err := url.Parse(u)
	must(t, err)
	return parsed.Query().Get("host"), strings.TrimPrefix(parsed.Path, "/")
}

func TestSeveralHostsAreTriedUntilOneCanWrite(t *testing.T) {
	dir, database := parts(t, newDatabase(t))
	several := fmt.Sprintf("host=%s,%s port=%s,%s user=%s dbname=%s", shortDir(t), dir, socketPort, socketPort, clusterUser, database)
	s := openStore(t, several, "alpha")
	record(t, s, creation(endpoint(newID(t), "alpha", "")))
}

func TestAStartWaitsForADatabaseThatIsNotThereYet(t *testing.T) {
	p, through := newProxy(t, newDatabase(t))
	p.refusing.Store(true)
	opened := make(chan error, 1)
	go func() {
		s, err := Open(t.Context(), Config{URL: through, Node: "alpha"})
		if err == nil {
			err = s.Close(t.Context())
		}
		opened <- err
	}()
	eventually(t, "a few attempts", func() bool { return p.refused.Load() > 2 })
	p.refusing.Store(false)
	must(t, <-opened)
}

func TestADatabaseThatCannotBeIsRefusedAtOnceInOneLine(t *testing.T) {
	dir, _ := parts(t, newDatabase(t))
	cases := map[string]string{
		"host=" + dir + " user=datapi dbname=nowhere": `database "nowhere" does not exist`,
		"postgres://user:secret@[half":                "the database URL cannot be read",
	}
	for u, want := range cases {
		_, err := Open(t.Context(), Config{URL: u, Node: "alpha"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", u, err)
		}
	}
	_, err := Open(t.Context(), Config{URL: "host=" + dir, Node: ""})
	if err == nil || !strings.Contains(err.Error(), "--node") {
		t.Errorf("without a node: %v", err)
	}
}

func TestAStartGivesUpWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := Open(ctx, Config{URL: "host=" + shortDir(t) + " user=datapi", Node: "alpha"})
	if err == nil || !strings.Contains(err.Error(), "the database does not take connections") {
		t.Errorf("got %v", err)
	}
}

func TestReadsSayThatTheDatabaseIsAway(t *testing.T) {
	p, through := newProxy(t, newDatabase(t))
	s := openStore(t, through, "alpha")
	p.refusing.Store(true)
	p.cut()
	_, err := s.List(t.Context(), Query{Type: dat.TypeEndpoint})
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	_, err = s.Get(t.Context(), dat.TypeEndpoint, "x")
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	_, err = s.Nodes(t.Context())
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	_, _, err = s.Kept(t.Context(), "p", "POST", "/", "k")
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	p.refusing.Store(false)
	if _, running, err := s.Kept(t.Context(), "p", "POST", "/", "k"); running || err != nil {
		t.Errorf("a look-up that failed must not hold the key: %v, %v", running, err)
	}
}

func TestACallThatIsGivenUpInTheQueueRecordsNothing(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := creation(endpoint(newID(t), "alpha", ""))
	made := slow.Apply
	slow.Apply = func(o dat.Object) dat.Object { close(entered); <-leave; return made(o) }
	first := make(chan error, 1)
	go func() { _, err := s.Recorder().Record(t.Context(), slow); first <- err }()
	<-entered // the recorder is busy: what comes now waits in the queue
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() {
		_, err := s.Recorder().Record(ctx, creation(endpoint(newID(t), "alpha", "")))
		second <- err
	}()
	cancel()
	wantError(t, <-second, dat.RetInterruptedCall, "")
	close(leave)
	must(t, <-first)
	if last := lastChange(t, url); last != 1 {
		t.Errorf("%d changes are there, want 1", last)
	}
}

func TestAnAnswerWithoutAChangeIsKeptForADay(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	look := func() *KeptAnswer {
		a, _, err := s.Kept(t.Context(), "p", "PATCH", "/x", "k")
		must(t, err)
		s.Release("p", "PATCH", "/x", "k")
		return a
	}
	save := func(status int) {
		must(t, s.SaveKept(t.Context(), "p", "PATCH", "/x", "k", KeptAnswer{BodyHash: []byte{1}, Status: status}))
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
