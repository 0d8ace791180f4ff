package manager

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// openedIA is an adapter as its provider opened it.
type openedIA struct {
	provider string
	hw       rdma.IA
}

// AddProvider opens the adapters of a provider. Before Restore they wait for it;
// after Restore they are recorded and used immediately. From then on the Manager
// owns the provider and closes it.
func (m *Manager) AddProvider(ctx context.Context, p rdma.Provider) error {
	p = checkedProvider(p)
	ias, err := p.Open(ctx)
	if err != nil {
		m.noteUnopened(p.Name(), asError(err).Detail)
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

// noteUnopened remembers why a provider could not be opened: that, and not their
// devices, is what its recorded adapters lack.
func (m *Manager) noteUnopened(provider, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unopened == nil {
		m.unopened = map[string]string{}
	}
	m.unopened[provider] = why
}

// missingDetail says why the adapters of a provider that were recorded are not there.
func (m *Manager) missingDetail(provider string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return cmp.Or(m.unopened[provider], "the device is not there")
}

// registerProvider remembers a provider so that Close closes it. It reports false
// if Close has begun.
func (m *Manager) registerProvider(p rdma.Provider) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.providers = append(m.providers, p)
	}
	return !m.closed
}

// acceptArrivals adds the adapters of a provider that appear later, until the
// provider closes.
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

// arrivalRetry is the pause before another attempt to add an adapter that could not
// be recorded.
const arrivalRetry = time.Second

// deferToRestore keeps adapters for Restore if that has not run yet, and reports
// whether it has kept them.
func (m *Manager) deferToRestore(ops ...openedIA) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.restored {
		return false
	}
	m.opened = append(m.opened, ops...)
	return true
}

// takeOpened returns the adapters that wait for Restore. With last set Restore is
// over: from now on writes are taken, and new adapters are added as they appear.
func (m *Manager) takeOpened(last bool) []openedIA {
	m.mu.Lock()
	defer m.mu.Unlock()
	opened := m.opened
	m.opened, m.restored = nil, last
	return opened
}

// addAdapter adds an adapter after Restore: a new one, or one that was missing when
// the process started.
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

// startPump starts to read the reports of an adapter.
func (m *Manager) startPump(ia *adapter, hw rdma.IA) {
	reports := hw.Reports()
	m.spawn(func() { m.pump(ia, reports) })
}

// iaID returns the id of an adapter: its name and this node's.
func (m *Manager) iaID(hw rdma.IA) dat.Handle { return dat.Handle(hw.Name() + "@" + m.node) }
