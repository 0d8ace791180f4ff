package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// part is what a provider made for an object. It is replaced when a device
// returns, and empty while the provider has nothing for it; why says the reason.
type providerPart[T rdma.Object] struct {
	mu  leafMutex
	hw  T
	ok  bool
	why string
}

func (p *providerPart[T]) get() (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hw, p.ok
}

func (p *providerPart[T]) set(hw T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hw, p.ok, p.why = hw, true, ""
}

// take empties the part and gives what was in it.
func (p *providerPart[T]) take(why string) (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var none T
	hw, ok := p.hw, p.ok
	p.hw, p.ok, p.why = none, false, why
	return hw, ok
}

// free empties the part and frees what was in it.
func (p *providerPart[T]) free() {
	if hw, ok := p.take(""); ok {
		hw.Free()
	}
}

func (p *providerPart[T]) reason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// engine returns what is in the part of o, or the refusal of a call that needs it:
// the device of o is not there, or the engine could not make o again.
func (p *providerPart[T]) engine(o *object) (T, error) {
	hw, ok := p.get()
	if !ok || o.ia.device.gone() {
		var none T
		return none, errNoPart(o, p.reason())
	}
	return hw, nil
}

// engineOf returns the engine's part of the object that a handle names, nil for
// the null handle. The errors are those of providerPart.engine.
func engineOf[E interface {
	entity
	engine() (T, error)
}, T any](m *Manager, h dat.Handle) (T, error) {
	e, ok := find[E](m, h)
	if !ok {
		var none T
		return none, nil
	}
	return e.engine()
}
