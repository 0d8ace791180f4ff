package manager

import "sync/atomic"

// lifePhase is where an object is in its life.
type lifePhase uint32

const (
	// phaseNew: the object is not registered yet.
	phaseNew lifePhase = iota
	// phaseCreating: a unit of writes is creating it, and nobody else may use it.
	phaseCreating
	// phaseLiving: everybody may use it.
	phaseLiving
	// phaseEnding: a unit of writes, or the engine, is ending it. Nothing may refer to
	// it any more.
	phaseEnding
	// phaseEnded: it has left the registry for good.
	phaseEnded
	phaseCount
)

// lifeStep is what moves an object from one phase to another.
type lifeStep uint8

const (
	// stepCreate: a unit of writes registers an object that it creates.
	stepCreate lifeStep = iota
	// stepAppear: an object is registered that the engine made or that is restored.
	stepAppear
	// stepCreated: the unit that created the object is recorded.
	stepCreated
	// stepEnd: a unit of writes, or the engine, begins to end it.
	stepEnd
	// stepCancelEnd: the unit that was ending it failed.
	stepCancelEnd
	// stepRemove: it leaves the registry, because its end is recorded, because the unit
	// that created it failed, or because the engine ended it.
	stepRemove
	stepCount
)

// lifeTable has the phase that each step leads to. A step that a phase lacks is not
// taken.
var lifeTable = [phaseCount][stepCount]lifePhase{
	phaseNew:      {stepCreate: phaseCreating, stepAppear: phaseLiving},
	phaseCreating: {stepCreated: phaseLiving, stepEnd: phaseEnding, stepRemove: phaseEnded},
	phaseLiving:   {stepEnd: phaseEnding, stepRemove: phaseEnded},
	phaseEnding:   {stepEnd: phaseEnding, stepCancelEnd: phaseLiving, stepRemove: phaseEnded},
}

// lifetime is the phase of one object. It is changed under the registry's lock
// (adapter.mu) and may be read without it.
type lifetime struct {
	current atomic.Uint32
	// owner is the unit that creates or ends the object, nil if the engine does. The
	// registry's lock guards it.
	owner *unit
}

// phase returns the present phase.
func (l *lifetime) phase() lifePhase { return lifePhase(l.current.Load()) }

// advanceLocked takes one step and reports whether lifeTable has it. by is the unit
// that takes the step, nil for the engine. Only the unit that is ending an object
// can cancel that: what the engine ends stays ended. The registry's lock is held.
func (l *lifetime) advanceLocked(s lifeStep, by *unit) bool {
	next := lifeTable[l.phase()][s]
	if next == phaseNew || s == stepCancelEnd && l.owner != by {
		return false
	}
	l.owner = nil
	if next == phaseCreating || next == phaseEnding {
		l.owner = by
	}
	l.current.Store(uint32(next))
	return true
}

// advance is advanceLocked for a caller that does not hold the registry's lock.
func (o *object) advance(s lifeStep, by *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.advanceLocked(s, by)
}

// usable is usableLocked for a caller that does not hold the registry's lock.
func (o *object) usable(u *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.usableLocked(u)
}

// usableLocked reports whether u may refer to the object: it is living, or u itself
// creates it. The registry's lock is held.
func (o *object) usableLocked(u *unit) bool {
	p := o.life.phase()
	return p == phaseLiving || p == phaseCreating && o.life.owner == u
}

// reachable reports whether u may wait for the object's operation lock. It may not
// if another unit creates the object, or if u itself has ended it. While another
// unit is ending the object u waits: that unit may fail.
func (o *object) reachable(u *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	switch p := o.life.phase(); p {
	case phaseCreating:
		return o.life.owner == u
	case phaseEnding:
		return u == nil || o.life.owner != u
	default:
		return p == phaseLiving
	}
}

// isCreating reports whether u creates the object.
func (u *unit) isCreating(o *object) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.owner == u && o.life.phase() == phaseCreating
}

// isEnding reports whether u ends the object.
func (u *unit) isEnding(o *object) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.owner == u && o.life.phase() == phaseEnding
}
