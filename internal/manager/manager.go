package manager

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/datapi/datapi/internal/rdma"
)

// Manager runs the DAT objects of one node on the adapters of its providers. It
// judges every call by the tables of package dat, is the only writer of endpoint
// state, and records every change. All its methods may be called from several
// goroutines.
//
// Locks, in the order in which they may be taken:
//
//  1. the operation lock of each object (object.lock), several in the order of their
//     ids. A write holds it over judge, act, record and publish, so it may wait for
//     the store under it. Report handlers and timers never take one; the worker
//     that makes objects again for a returned device does.
//  2. endpoint.calls serialises the calls of the engine's endpoint, for report
//     handlers and timers too; adapter.noting what is noted of the adapter's own
//     state. Nothing waits for the store under them.
//  3. adapter.mu guards the registry: which objects exist and what they use. Judges
//     of creations and modifications run under it, so that what was judged is what
//     is entered.
//  4. endpoint.mu guards the state: live image, outstanding DTOs, counters. Reading
//     the status takes no other lock. Events are noted under it, so that the log has
//     them in the order in which they happened.
//  5. the leaves: queue.mu, srq.mu, rmr.mu, enginePart.mu, unrecordedEvents.mu,
//     Manager.mu. No other lock is taken under a leaf.
//
// A provider is never called under 3, 4 or 5, Recorder.Record never under 2 to 5. The
// index is a concurrent map and needs no lock. With the build tag lockorder all of
// this is checked at run time (lock_order_checked.go).
type Manager struct {
	node      string
	rec       Recorder
	log       *slog.Logger
	memoryCap int64
	memory    atomic.Int64 // bytes of all LMRs
	// eventMemory is the bytes of data in all queued software events.
	eventMemory atomic.Int64
	metrics     metrics

	// index has every registered object by its handle: dat.Handle → entity.
	index sync.Map
	names names
	// places has the endpoints by where they are connected: place → *endpoint.
	places sync.Map

	mu        leafMutex
	providers []rdma.Provider
	adapters  []*adapter
	opened    []openedIA // they wait for Restore
	// unopened says of providers that could not be opened why, by their names.
	unopened map[string]string
	restored bool
	closed   bool
	workers  sync.WaitGroup

	// ctx ends when Close begins: no worker waits any longer.
	ctx  context.Context
	stop context.CancelFunc
}

// An Option changes a default of NewManager.
type Option func(*Manager)

// WithLogger returns the Option to log what an operator should know. The default is
// to log nothing.
func WithLogger(l *slog.Logger) Option { return func(m *Manager) { m.log = l } }

// WithMemoryCap returns the Option to bound the bytes of all LMRs together. The
// default is 1 GiB.
func WithMemoryCap(bytes int64) Option { return func(m *Manager) { m.memoryCap = bytes } }

const defaultMemoryCap = 1 << 30

// NewManager makes a Manager without adapters for the named node.
//
// Call AddProvider for each engine, then Restore once (with nil if there is nothing
// to restore). Until Restore has returned there are no adapters and every write is
// refused.
func NewManager(node string, rec Recorder, opts ...Option) *Manager {
	m := &Manager{
		node: node, rec: checkedRecorder(rec), memoryCap: defaultMemoryCap, metrics: newMetrics(),
		log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	m.ctx, m.stop = context.WithCancel(context.Background())
	for _, o := range opts {
		o(m)
	}
	return m
}

// Close refuses new writes, wakes waiters with DAT_ABORT, stops the timers and
// closes the providers. It returns how many connections ended with it; a second
// call only waits, and returns 0. The error joins those of the providers, and the
// context's if it ended before the Manager's goroutines had.
func (m *Manager) Close(ctx context.Context) (connected int, err error) {
	m.mu.Lock()
	already := m.closed
	m.closed = true
	providers := m.providers
	m.mu.Unlock()
	m.stop()
	if already {
		m.workers.Wait()
		return 0, nil
	}
	m.index.Range(func(_, v any) bool {
		switch e := v.(type) {
		case *endpoint:
			if e.stop() {
				connected++
			}
		case *evd:
			e.queue.close()
		}
		return true
	})
	for _, p := range slices.Backward(providers) {
		err = errors.Join(err, p.Close())
	}
	done := make(chan struct{})
	go func() { m.workers.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	return connected, err
}

// checkOpen returns the refusal of a write before Restore is done or once Close has
// begun, else nil.
func (m *Manager) checkOpen() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return errClosed()
	case !m.restored:
		return errStarting()
	}
	return nil
}

// stopping reports whether Close has begun.
func (m *Manager) stopping() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// spawn runs f on a goroutine that Close waits for.
func (m *Manager) spawn(f func()) {
	m.workers.Add(1)
	go func() {
		defer m.workers.Done()
		f()
	}()
}

// sleep waits for d and reports whether the time passed; it returns false
// immediately when Close begins.
func (m *Manager) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-m.ctx.Done():
		return false
	}
}
