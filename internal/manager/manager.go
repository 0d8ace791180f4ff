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

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
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

// openedIA is an adapter that a provider opened before Restore.
type openedIA struct {
	provider string
	hw       rdma.IA
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

// AddProvider opens a provider's adapters. Before Restore they only wait for
// it; after it they are recorded and run at once. The Manager closes the provider.
func (m *Manager) AddProvider(ctx context.Context, p rdma.Provider) error {
	p = checkedProvider(p)
	ias, err := p.Open(ctx)
	if err != nil {
		return err
	}
	if !m.registerProvider(p) {
		return errors.Join(errClosed(), p.Close())
	}
	ops := make([]openedIA, len(ias))
	for i, hw := range ias {
		ops[i] = openedIA{provider: p.Name(), hw: hw}
	}
	if !m.deferToRestore(ops...) {
		for _, op := range ops {
			if err := m.addAdapter(ctx, op); err != nil {
				return err
			}
		}
	}
	m.spawn(func() { m.acceptArrivals(p) })
	return nil
}

// takeProvider keeps a provider for Close, unless that has begun.
func (m *Manager) registerProvider(p rdma.Provider) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.providers = append(m.providers, p)
	}
	return !m.closed
}

// welcome runs adapters that appear later.
func (m *Manager) acceptArrivals(p rdma.Provider) {
	for hw := range p.Arrivals() {
		op := openedIA{provider: p.Name(), hw: hw}
		if m.stopping() || m.deferToRestore(op) {
			continue
		}
		for err := m.addAdapter(m.ctx, op); err != nil && m.sleep(arrivalRetry); err = m.addAdapter(m.ctx, op) {
			m.log.Error("an adapter that appeared cannot be used yet", "ia", hw.Name(), "error", err)
		}
	}
}

// arrivalRetry is how long an adapter that could not be recorded waits for the next attempt.
const arrivalRetry = time.Second

// pause waits, and reports false where Close begins before the time is over.
func (m *Manager) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-m.ctx.Done():
		return false
	}
}

// awaitsRestore keeps adapters that came before Restore for it, and tells whether
// it did.
func (m *Manager) deferToRestore(ops ...openedIA) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.restored {
		return false
	}
	m.opened = append(m.opened, ops...)
	return true
}

// goes runs f on a goroutine that Close waits for.
func (m *Manager) spawn(f func()) {
	m.workers.Add(1)
	go func() {
		defer m.workers.Done()
		f()
	}()
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

// newID makes a handle: a UUIDv7, so that ids sort by their age.
func newID() dat.Handle { return dat.Handle(uuid.Must(uuid.NewV7()).String()) }

// objectOf is the shared part behind any handle, or nil.
func (m *Manager) objectOf(id dat.Handle) *object {
	if v, ok := m.index.Load(id); ok {
		return v.(entity).base()
	}
	return nil
}

// find is the entity of a handle with its type, if it is of that type.
func find[T entity](m *Manager, id dat.Handle) (T, bool) {
	v, _ := m.index.Load(id)
	e, ok := v.(T)
	return e, ok
}

// target is find for the object that a call is about; the error is DAT_INVALID_HANDLE.
func target[T entity](u *unit, typ dat.ObjectType, id dat.Handle) (T, error) {
	e, ok := find[T](u.m, id)
	if !ok || !e.base().reachable(u) {
		var none T
		return none, errHandle(typ, id)
	}
	if err := u.lock(e.base()); err != nil {
		var none T
		return none, err
	}
	return e, nil
}

// altering is target for a call that changes the object: it tests the call's
// condition and gives the image to change.
func targetImage[T entity, I dat.Object](u *unit, c Call, typ dat.ObjectType, id dat.Handle) (T, I, error) {
	var none I
	e, err := target[T](u, typ, id)
	if err != nil {
		return e, none, err
	}
	if err := u.match(c, e.base()); err != nil {
		return e, none, err
	}
	return e, u.image(e.base()).(I), nil
}

// adapterOf is the adapter of an id, or nil.
func (m *Manager) adapterOf(id dat.Handle) *adapter {
	ia, _ := find[*adapter](m, id)
	return ia
}

// adapterFor is the adapter that a creation names; the error is DAT_INVALID_HANDLE.
func (m *Manager) adapterFor(id dat.Handle) (*adapter, error) {
	if ia := m.adapterOf(id); ia != nil {
		return ia, nil
	}
	return nil, errBodyHandle(dat.TypeIA, id, "ia")
}
