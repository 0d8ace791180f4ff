package manager

import (
	"context"
	"errors"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// openedIA is an adapter that a provider opened before Restore.
type openedIA struct {
	provider string
	hw       rdma.IA
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

// takeOpened are the adapters that wait for Restore; with the last of them writes
// are taken and adapters run as they come.
func (m *Manager) takeOpened(last bool) []openedIA {
	m.mu.Lock()
	defer m.mu.Unlock()
	opened := m.opened
	m.opened, m.restored = nil, last
	return opened
}

// arrive runs an adapter that appears after Restore: a new one, or one that was
// gone when the process started.
func (m *Manager) addAdapter(ctx context.Context, op openedIA) error {
	if ia := m.adapterOf(m.iaID(op.hw)); ia != nil {
		ia.mu.Lock()
		ia.hw = op.hw
		ia.mu.Unlock()
		m.startReturn(ia)
		m.startPump(ia, op.hw)
		return nil
	}
	return m.startAdapter(ctx, op, nil, nil)
}

func (m *Manager) startPump(ia *adapter, hw rdma.IA) {
	reports := hw.Reports()
	m.spawn(func() { m.pump(ia, reports) })
}

func (m *Manager) iaID(hw rdma.IA) dat.Handle { return dat.Handle(hw.Name() + "@" + m.node) }
