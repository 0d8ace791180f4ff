package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// next returns the next delivery, which must come.
func next(t testing.TB, sub *Subscription) Delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	d, err := sub.Next(ctx)
	must(t, err)
	return d
}

func TestTwoProcessesShareOneDenseLog(t *testing.T) {
	url := newDatabase(t)
	a, b := openStore(t, url, "alpha"), openStore(t, url, "beta")
	w := newWorkload()
	var end atomic.Int64
	var writers, watchers sync.WaitGroup
	for _, s := range []*Store{a, b} {
		writers.Go(func() { w.run(t, s, 8, 40) })
		watchers.Go(func() { watch(t, s, end.Load) })
	}
	writers.Wait()
	end.Store(lastChange(t, url))
	watchers.Wait()
	w.check(t, url)
}

func TestWatchersSeeNoGapWhileConnectionsAreCut(t *testing.T) {
	url := newDatabase(t)
	p, through := newProxy(t, url)
	writer, watcher := openStore(t, url, "alpha"), openStore(t, through, "beta")
	w := newWorkload()
	var end atomic.Int64
	var watchers, cutter sync.WaitGroup
	for range 4 {
		watchers.Go(func() { watch(t, watcher, end.Load) })
	}
	ctx, stop := context.WithCancel(t.Context())
	cutter.Go(func() { every(ctx, 30*time.Millisecond, p.cut) })
	w.run(t, writer, 8, 60)
	stop()
	cutter.Wait()
	end.Store(lastChange(t, url))
	watchers.Wait()
}

func TestSubscribeFromAPositionBehindTheTailReadsTheTable(t *testing.T) {
	url := newDatabase(t)
	first := openStore(t, url, "alpha")
	for range 30 {
		record(t, first, creation(endpoint(newID(t), "alpha", "")))
	}
	second := openStore(t, url, "beta") // its tail in memory begins after those changes and its start
	sub, err := second.Log().Subscribe(t.Context(), Position{ID: 11}, ChangeFilter{})
	must(t, err)
	d := next(t, sub)
	if len(d.Changes) != 21 || d.Changes[0].ID != 12 || d.Position.ID != 32 {
		t.Fatalf("got %d changes up to %d", len(d.Changes), d.Position)
	}
	record(t, first, creation(endpoint(newID(t), "alpha", "")))
	if d := next(t, sub); len(d.Changes) != 1 || d.Changes[0].ID != 33 {
		t.Errorf("got %+v", d)
	}
}

func TestSubscriptionFilters(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	wanted := newID(t)
	for i := range 10 {
		id := newID(t)
		if i == 6 {
			id = wanted
		}
		record(t, s, creation(endpoint(id, "alpha", "")))
	}
	sub, err := s.Log().Subscribe(t.Context(), Position{}, ChangeFilter{Objects: []dat.Handle{wanted}})
	must(t, err)
	d := next(t, sub)
	if len(d.Changes) != 1 || d.Changes[0].Object.ID != wanted || d.Position.ID != 11 {
		t.Errorf("got %+v", d)
	}
}

func TestSubscribeRefusesPositionsBeyondAndPastTheRetention(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id := newID(t)
	record(t, s, creation(endpoint(id, "alpha", "")))
	for range 4 {
		record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))
	}
	if _, err := s.Log().Subscribe(t.Context(), Position{ID: 7}, ChangeFilter{}); !errors.Is(err, ErrBeyond) {
		t.Errorf("a position beyond the end: %v", err)
	}
	n, err := pruneBefore(t.Context(), s.pool, time.Now().Add(time.Minute), 0)
	must(t, err)
	if n != 4 {
		t.Errorf("%d changes were deleted, want 4: the last one stays", n)
	}
	must(t, s.Log().catchUp(t.Context()))
	if _, err := s.Log().Subscribe(t.Context(), Position{ID: 4}, ChangeFilter{}); !errors.Is(err, ErrGone) {
		t.Errorf("a position past the retention: %v", err)
	}
	sub, err := s.Log().Subscribe(t.Context(), Position{ID: 5}, ChangeFilter{})
	must(t, err)
	if d := next(t, sub); len(d.Changes) != 1 || d.Changes[0].ID != 6 {
		t.Errorf("got %+v", d)
	}
}

func TestAWatcherIsToldOfStaleness(t *testing.T) {
	p, through := newProxy(t, newDatabase(t))
	s := openStore(t, through, "alpha")
	sub, err := s.Log().Subscribe(t.Context(), s.Log().Position(), ChangeFilter{})
	must(t, err)
	p.refusing.Store(true)
	p.cut()
	if d := next(t, sub); !d.Stale || len(d.Changes) != 0 {
		t.Errorf("got %+v, want the news that the log is stale", d)
	}
	p.refusing.Store(false)
	if d := next(t, sub); d.Stale {
		t.Errorf("got %+v, want the news that the log is fresh", d)
	}
}

func TestAnOrderedSinglePassSeesEveryChangeOnce(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	for i := range 25 {
		record(t, s, creation(endpoint(newID(t), "alpha", fmt.Sprintf("e%d", i))))
	}
	for _, asc := range []bool{false, true} {
		var ids []int64
		for q := (ChangeQuery{Asc: asc, Limit: 10}); ; {
			page, err := s.Changes(t.Context(), q)
			must(t, err)
			for _, c := range page.Items {
				ids = append(ids, c.ID)
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if !asc {
			slices.Reverse(ids)
		}
		if len(ids) != 26 || !slices.IsSorted(ids) || ids[0] != 1 || ids[25] != 26 {
			t.Errorf("asc %v: got %v", asc, ids)
		}
	}
}

// Promise 14: a change is encoded once, however many watch.
func TestWatchersShareTheEncodingOfAChange(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	var subs [3]*Subscription
	for i := range subs {
		var err error
		subs[i], err = s.Log().Subscribe(t.Context(), s.Log().Position(), ChangeFilter{})
		must(t, err)
	}
	record(t, s, creation(endpoint(newID(t), "alpha", "")))
	first := next(t, subs[0]).Changes[0].JSON()
	for _, sub := range subs[1:] {
		if again := next(t, sub).Changes[0].JSON(); &again[0] != &first[0] {
			t.Error("the change was encoded again")
		}
	}
}
