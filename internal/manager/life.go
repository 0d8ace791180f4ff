package manager

import "sync/atomic"

// phase is where an object stands in its life.
type lifePhase uint32

const (
	// unborn: the object is not in the registry yet.
	phaseNew lifePhase = iota
	// beingMade: a unit of writes makes it. Only that unit may use it.
	phaseCreating
	// living: everybody may use it.
	phaseLiving
	// ending: a unit of writes, or the engine, ends it. Nothing may refer to it any more.
	phaseEnding
	// ended: it left the registry. There is no way back.
	phaseEnded
	phaseCount
)

// lifeStep is what moves an object from one phase to the next.
type lifeStep uint8

const (
	// enter: a unit of writes enters the object into the registry.
	stepCreate lifeStep = iota
	// appear: the engine, or a restart, brings an object that nobody has to make.
	stepAppear
	// complete: the unit that made it is recorded.
	stepCreated
	// finish: a unit of writes, or the engine, begins to end it.
	stepEnd
	// spare: the unit that was ending it failed.
	stepCancelEnd
	// leave: it leaves the registry, because its end is recorded, the unit that made
	// it failed, or the engine ended it.
	stepRemove
	stepCount
)

// life is the one table of the phases. A step that is not in it is not taken.
var lifeTable = [phaseCount][stepCount]lifePhase{
	phaseNew:      {stepCreate: phaseCreating, stepAppear: phaseLiving},
	phaseCreating: {stepCreated: phaseLiving, stepEnd: phaseEnding, stepRemove: phaseEnded},
	phaseLiving:   {stepEnd: phaseEnding, stepRemove: phaseEnded},
	phaseEnding:   {stepEnd: phaseEnding, stepCancelEnd: phaseLiving, stepRemove: phaseEnded},
}

// lifetime is the phase of one object. It is changed under the lock of the
// registry (adapter.mu) and read anywhere.
type lifetime struct {
	current atomic.Uint32
	// by is the unit that makes or ends the object, nil where the engine does; it
	// belongs to the registry's lock.
	owner *unit
}

func (l *lifetime) phase() lifePhase { return lifePhase(l.current.Load()) }

// moveLocked takes one step and reports whether the table has it; by is the unit
// that takes it, or nil. Who spares an object must be who was ending it: what the
// engine ends stays ended. The registry's lock is held.
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

// move is moveLocked for who does not hold the registry's lock.
func (o *object) advance(s lifeStep, by *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.advanceLocked(s, by)
}

// usable is usableLocked for who does not hold the registry's lock.
func (o *object) usable(u *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.usableLocked(u)
}

// usableLocked reports whether u may refer to the object: it lives, or u itself
// makes it. The registry's lock is held.
func (o *object) usableLocked(u *unit) bool {
	switch o.life.phase() {
	case phaseLiving:
		return true
	case phaseCreating:
		return o.life.owner == u
	}
	return false
}

// reachable reports whether u may ask for the object's operation lock: it is not
// of another unit's making, and u itself has not ended it. What another one is
// ending may be spared, so that u waits for it.
func (o *object) reachable(u *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	switch o.life.phase() {
	case phaseCreating:
		return o.life.owner == u
	case phaseEnding:
		return u == nil || o.life.owner != u
	}
	return o.life.phase() == phaseLiving
}

// makes reports whether u is making the object.
func (u *unit) isCreating(o *object) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.owner == u && o.life.phase() == phaseCreating
}

// ends reports whether u is ending the object.
func (u *unit) isEnding(o *object) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.owner == u && o.life.phase() == phaseEnding
}
