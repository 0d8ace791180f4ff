package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// enginePart is what the engine made for an object. It is empty while the engine
// has nothing for the object: the device is gone, or the engine refused to make the
// object again. It is filled again when the device returns.
type enginePart[T rdma.Object] struct {
	mu  leafMutex
	hw  T
	ok  bool
	why string
}

// get returns what is in the part, and whether there is anything.
func (p *enginePart[T]) get() (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hw, p.ok
}

// set fills the part.
func (p *enginePart[T]) set(hw T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hw, p.ok, p.why = hw, true, ""
}

// free empties the part of o, remembers why, and frees what was in it. Freeing what was
// lost with its device does nothing.
func (p *enginePart[T]) free(o *object, why string) {
	p.mu.Lock()
	var none T
	hw, ok := p.hw, p.ok
	p.hw, p.ok, p.why = none, false, why
	p.mu.Unlock()
	if ok {
		o.m().metrics.does("free_"+o.typ.String(), hw.Free)
	}
}

// reason returns why the part is empty.
func (p *enginePart[T]) reason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// engine returns what is in the part of o. The error is the refusal of a call that
// needs it: the device of o is not there, or the engine could not make o again.
func (p *enginePart[T]) engine(o *object) (T, error) {
	hw, ok := p.get()
	if !ok || o.ia.device.gone() {
		var none T
		return none, errNoPart(o, p.reason())
	}
	return hw, nil
}

// engineOf returns the engine's part of the object with a handle, nil for the null
// handle. The errors are those of enginePart.engine.
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
