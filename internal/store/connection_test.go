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

// parts returns the socket directory and the name of a database of newDatabase.
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

func TestADatabaseThatCannotBeUsedIsRefusedImmediatelyInOneLine(t *testing.T) {
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
	_, err := s.Changes(t.Context(), ChangeQuery{})
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	_, err = s.Get(t.Context(), dat.TypeEndpoint, "x")
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	_, err = s.Nodes(t.Context())
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	_, _, err = s.ClaimKey(t.Context(), AnswerKey{"p", "POST", "/", "k"})
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	p.refusing.Store(false)
	if _, running, err := s.ClaimKey(t.Context(), AnswerKey{"p", "POST", "/", "k"}); running || err != nil {
		t.Errorf("a look-up that failed must not hold the key: %v, %v", running, err)
	}
}
