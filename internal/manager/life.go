package manager

import "sync/atomic"

// phase is where an object stands in its life.
type phase uint32

const (
	// unborn: the object is not in the registry yet.
	unborn phase = iota
	// beingMade: a unit of writes makes it. Only that unit may use it.
	beingMade
	// living: everybody may use it.
	living
	// ending: a unit of writes, or the engine, ends it. Nothing may refer to it any more.
	ending
	// ended: it left the registry. There is no way back.
	ended
	phases
)

// lifeStep is what moves an object from one phase to the next.
type lifeStep uint8

const (
	// enter: a unit of writes enters the object into the registry.
	enter lifeStep = iota
	// appear: the engine, or a restart, brings an object that nobody has to make.
	appear
	// complete: the unit that made it is recorded.
	complete
	// finish: a unit of writes, or the engine, begins to end it.
	finish
	// spare: the unit that was ending it failed.
	spare
	// leave: it leaves the registry, because its end is recorded, the unit that made
	// it failed, or the engine ended it.
	leave
	lifeSteps
)

// life is the one table of the phases. A step that is not in it is not taken.
var life = [phases][lifeSteps]phase{
	unborn:    {enter: beingMade, appear: living},
	beingMade: {complete: living, finish: ending, leave: ended},
	living:    {finish: ending, leave: ended},
	ending:    {finish: ending, spare: living, leave: ended},
}

// lifetime is the phase of one object. It is changed under the lock of the
// registry (adapter.mu) and read anywhere.
type lifetime struct {
	now atomic.Uint32
	// by is the unit that makes or ends the object, nil where the engine does; it
	// belongs to the registry's lock.
	by *unit
}

func (l *lifetime) phase() phase { return phase(l.now.Load()) }

// moveLocked takes one step and reports whether the table has it; by is the unit
// that takes it, or nil. Who spares an object must be who was ending it: what the
// engine ends stays ended. The registry's lock is held.
func (l *lifetime) moveLocked(s lifeStep, by *unit) bool {
	next := life[l.phase()][s]
	if next == unborn || s == spare && l.by != by {
		return false
	}
	l.by = nil
	if next == beingMade || next == ending {
		l.by = by
	}
	l.now.Store(uint32(next))
	return true
}

// move is moveLocked for who does not hold the registry's lock.
func (o *object) move(s lifeStep, by *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.moveLocked(s, by)
}

// usableLocked reports whether u may refer to the object: it lives, or u itself
// makes it. The registry's lock is held.
func (o *object) usableLocked(u *unit) bool {
	p := o.life.phase()
	return p == living || p == beingMade && o.life.by == u
}

// reachable reports whether u may ask for the object's operation lock: it is not
// of another unit's making, and u itself has not ended it. What another one is
// ending may be spared, so that u waits for it.
func (o *object) reachable(u *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	endedByAnother := o.life.phase() == ending && (u == nil || o.life.by != u)
	return endedByAnother || o.usableLocked(u)
}

// usable is usableLocked for who does not hold the registry's lock.
func (o *object) usable(u *unit) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.usableLocked(u)
}

// ends reports whether u is ending the object.
func (u *unit) ends(o *object) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.by == u && o.life.phase() == ending
}

// makes reports whether u is making the object.
func (u *unit) makes(o *object) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.life.by == u && o.life.phase() == beingMade
}
