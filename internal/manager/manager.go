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
//  1. the operation lock of each object (object.operation), several in the order
//     of their ids. It is held over judge, act, record and publish, so whoever
//     holds one may wait for the store. Report handlers and timers never take one;
//     the worker that makes objects again for a returned device does.
//  2. endpoint.calls serialises the calls of the provider's endpoint, for report
//     handlers and timers too. Nothing waits for the store under it.
//  3. adapter.mu, the registry: who exists, who uses whom. Judges of creations
//     and modifications run under it, so that what was judged is what is entered.
//  4. endpoint.mu, the state: live image, outstanding DTOs, counters. Reading the
//     status takes this one alone. Events are noted under it, so that the log has
//     the order of what happened.
//  5. the leaves: queue.mu, srq.mu, rmr.mu, part.mu, unrecordedEvents.mu,
//     Manager.mu. Under a leaf no other lock is taken.
//
// A provider is never called under 3, 4 or 5, nor Recorder.Record under 2 to 5. The
// index is a concurrent map and needs no lock. With the build tag lockorder all of
// this is checked at run time (lock_order_checked.go).
type Manager struct {
	node      string
	rec       Recorder
	log       *slog.Logger
	memoryCap int64
	memory    atomic.Int64

	// index finds every object by its handle: dat.Handle → entity.
	index sync.Map
	names names
	// places finds an endpoint by where it is connected: place → *endpoint.
	places sync.Map

	mu        leafMutex
	providers []rdma.Provider
	adapters  []*adapter
	opened    []openedIA
	restored  bool
	closed    bool
	workers   sync.WaitGroup

	// ctx ends when Close begins: no worker waits beyond it.
	ctx  context.Context
	stop context.CancelFunc
}

// An Option changes a default of NewManager.
type Option func(*Manager)

// WithLogger sends what an operator should know to a log; the default is silence.
func WithLogger(l *slog.Logger) Option { return func(m *Manager) { m.log = l } }

// WithMemoryCap bounds the bytes of all LMRs together; the default is 1 GiB.
func WithMemoryCap(bytes int64) Option { return func(m *Manager) { m.memoryCap = bytes } }

const defaultMemoryCap = 1 << 30

// NewManager makes a Manager without adapters for the named node.
//
// Call AddProvider for each engine, then Restore once (with nil where nothing
// lived before); until then no adapter is seen and every write is refused.
func NewManager(node string, rec Recorder, opts ...Option) *Manager {
	m := &Manager{
		node: node, rec: checkedRecorder(rec), memoryCap: defaultMemoryCap,
		log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	m.ctx, m.stop = context.WithCancel(context.Background())
	for _, o := range opts {
		o(m)
	}
	return m
}

// Close refuses new writes, wakes waiters with DAT_ABORT, stops the timers and
// closes the providers. It tells how many connections ended with it and is
// idempotent; the error joins those of the providers.
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

// open is nil while writes are taken.
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

// stopping tells whether Close has begun.
func (m *Manager) stopping() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// goes runs f on a goroutine that Close waits for.
func (m *Manager) spawn(f func()) {
	m.workers.Add(1)
	go func() {
		defer m.workers.Done()
		f()
	}()
}

// pause waits, and reports false where Close begins before the time is over.
func (m *Manager) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-m.ctx.Done():
		return false
	}
}
