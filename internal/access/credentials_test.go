package access

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// table is a Records in memory: what the database says, and whether it says anything.
type table struct {
	mu     sync.Mutex
	tokens map[Hash]Principal
	away   bool
	looks  int
}

func (t *table) TokenOf(_ context.Context, hash Hash) (p Principal, ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.looks++
	if t.away {
		return p, false, errors.New("the database is away")
	}
	p, ok = t.tokens[hash]
	return p, ok, nil
}

func (t *table) SessionOf(context.Context, Hash, Hash) (Principal, string, error) {
	return Principal{}, "", nil
}

func (t *table) set(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
}

var reader = Principal{Kind: KindToken, ID: "1", Name: "reader", Role: Viewer}

func TestAGoodCredentialIsLookedUpOnceInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := &table{tokens: map[Hash]Principal{HashOf("dtp_good"): reader}}
		c := NewCredentials(records, "the local token")
		for range 1000 {
			if f, ok, err := c.Token(t.Context(), "dtp_good"); !ok || err != nil || f.Principal != reader {
				t.Fatal(f, ok, err)
			}
		}
		if records.looks != 1 {
			t.Errorf("%d looks for 1000 calls", records.looks)
		}
		records.set(func() { delete(records.tokens, HashOf("dtp_good")) })
		time.Sleep(trusted + time.Nanosecond)
		if _, ok, _ := c.Token(t.Context(), "dtp_good"); ok {
			t.Error("what was revoked elsewhere is good after it was to be looked up again")
		}
	})
}

func TestWhileTheDatabaseIsAwayAGoodCredentialStaysGoodForReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := reader
		ends.ExpiresAt = time.Now().Add(time.Hour)
		records := &table{tokens: map[Hash]Principal{HashOf("dtp_good"): ends}}
		c := NewCredentials(records, "the local token")
		if f, ok, _ := c.Token(t.Context(), "dtp_good"); !ok || f.Unverified {
			t.Fatal(f, ok)
		}
		records.set(func() { records.away = true })
		time.Sleep(30 * time.Minute)
		if f, ok, err := c.Token(t.Context(), "dtp_good"); !ok || err != nil || !f.Unverified {
			t.Errorf("it is %v, %v, %v", f, ok, err)
		}
		if _, ok, err := c.Token(t.Context(), "dtp_unknown"); ok || err == nil {
			t.Error("of an unknown one it is not said that it cannot be known")
		}
		if f, ok, err := c.Token(t.Context(), "the local token"); !ok || err != nil || f.Principal != LocalAdmin {
			t.Error("the local token needs the database")
		}
		before := records.looks
		for range 100 {
			_, _, _ = c.Token(t.Context(), "dtp_good")
		}
		if records.looks-before > 1 {
			t.Errorf("%d looks at a database that is away", records.looks-before)
		}
		time.Sleep(30 * time.Minute)
		if _, ok, _ := c.Token(t.Context(), "dtp_good"); ok {
			t.Error("it outlives its own end")
		}
		records.set(func() { records.away = false })
	})
}

func TestWhatIsRevokedEndsAtOnceWithWhatWatchesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := &table{tokens: map[Hash]Principal{HashOf("dtp_good"): reader}}
		c := NewCredentials(records, "")
		_, _, _ = c.Token(t.Context(), "dtp_good")
		watched, stop := c.Watch(t.Context(), "dtp_good", "", nil)
		defer stop()
		synctest.Wait()
		c.Revoke(func(f Found) bool { return f.ID == reader.ID })
		synctest.Wait()
		if watched.Err() != nil {
			t.Error("a change that left the credential good has ended what watches it")
		}
		records.set(func() { delete(records.tokens, HashOf("dtp_good")) })
		c.Revoke(func(f Found) bool { return f.ID == reader.ID })
		synctest.Wait()
		if watched.Err() == nil {
			t.Error("what watches a revoked credential goes on")
		}
	})
}

func TestAnEndedCredentialEndsWhatWatchesItExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := reader
		ends.ExpiresAt = time.Now().Add(10*time.Second + 123*time.Millisecond)
		c := NewCredentials(&table{tokens: map[Hash]Principal{HashOf("dtp_good"): ends}}, "")
		watched, stop := c.Watch(t.Context(), "dtp_good", "", nil)
		defer stop()
		<-watched.Done()
		if late := time.Since(ends.ExpiresAt); late < 0 || late > 2*time.Millisecond {
			t.Errorf("it ended %s late", late)
		}
	})
}
