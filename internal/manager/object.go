package manager

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// entity is any object of the Manager: the shared part and what its type adds.
type entity interface{ base() *object }

// object is what all entities share.
type object struct {
	id  dat.Handle
	typ dat.ObjectType
	ia  *adapter

	// operation is the operation lock, a channel with room for one token. Writes hold
	// it over judge, act, record and publish.
	operation chan struct{}
	// image is the recorded image, nil until the first record.
	image atomic.Pointer[published]

	life lifetime
	// refs counts the living objects that use this one. The registry's lock guards it.
	refs int

	unrecorded unrecordedEvents
}

// newObject returns the shared part of an entity that is not registered yet.
func newObject(ia *adapter, typ dat.ObjectType, id dat.Handle) object {
	return object{id: id, typ: typ, ia: ia, operation: make(chan struct{}, 1)}
}

// newID makes a handle: a UUIDv7, so that ids sort by age.
func newID() dat.Handle { return dat.Handle(uuid.Must(uuid.NewV7()).String()) }

// base implements entity.
func (o *object) base() *object { return o }

// m returns the Manager of the object.
func (o *object) m() *Manager { return o.ia.m }

// meta returns the head of a new object's image.
func (o *object) meta(name dat.Name, labels map[string]string) dat.Meta {
	if labels == nil {
		labels = map[string]string{}
	}
	return dat.Meta{ID: o.id, Name: name, Labels: labels, IA: o.ia.id, Node: o.ia.m.node}
}

// ref returns how changes and events name the object.
func (o *object) ref() dat.ObjectRef {
	r := dat.ObjectRef{Type: o.typ, ID: o.id}
	if img := o.recorded(); img != nil {
		r.Name = img.Head().Name
	}
	return r
}

// lock takes the operation lock. The error is the context's.
func (o *object) lock(ctx context.Context) error {
	takesOperation(o)
	select {
	case o.operation <- struct{}{}:
		tookOperation(o)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lockForWrite is lock for a call that needs the store. It does not wait while the
// store is away: a write whose outcome is not known yet may hold the lock.
func (o *object) lockForWrite(ctx context.Context) error {
	takesOperation(o)
	if o.tryLock() {
		return nil
	}
	tick := time.NewTicker(awayPoll)
	defer tick.Stop()
	for {
		select {
		case o.operation <- struct{}{}:
			tookOperation(o)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if err := o.ia.m.rec.Away(); err != nil {
				return err
			}
		}
	}
}

// tryLock takes the operation lock if it is free, and reports whether it was.
func (o *object) tryLock() bool {
	select {
	case o.operation <- struct{}{}:
		tookOperation(o)
		return true
	default:
		return false
	}
}

// unlock gives the operation lock back.
func (o *object) unlock() {
	gaveOperation(o)
	<-o.operation
}

// published wraps an image for an atomic pointer.
type published struct{ obj dat.Object }

// recorded returns the recorded image, or nil before the first record.
func (o *object) recorded() dat.Object {
	if p := o.image.Load(); p != nil {
		return p.obj
	}
	return nil
}

// publish makes a recorded image visible unless a newer one is visible already.
func (o *object) publish(img dat.Object) {
	if img == nil {
		return
	}
	next := &published{obj: img}
	for {
		old := o.image.Load()
		if old != nil && old.obj.Head().Version > img.Head().Version {
			return
		}
		if !o.image.CompareAndSwap(old, next) {
			continue
		}
		var was dat.Object
		if old != nil {
			was = old.obj
		}
		o.ia.m.names.update(was, img)
		return
	}
}

// publishEarly publishes the first image of an object that the engine made, ahead
// of its record: a consumer who is told of a connection request can read it
// immediately. Writes wait for the record.
func (o *object) publishEarly(img dat.Object) {
	c := img.Clone()
	h := c.Head()
	h.Version, h.CreatedAt = 1, now()
	h.UpdatedAt = h.CreatedAt
	o.publish(c)
}

// unrecordedEvents counts the events of an object that are not recorded yet.
type unrecordedEvents struct {
	mu   leafMutex
	n    int
	zero chan struct{}
}

// add counts an event that was handed to the recorder.
func (p *unrecordedEvents) add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n == 0 {
		p.zero = make(chan struct{})
	}
	p.n++
}

// done counts an event that is recorded.
func (p *unrecordedEvents) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n--; p.n == 0 {
		close(p.zero)
	}
}

// awayPoll is how often a writer that waits for the record of events asks whether
// the store has gone away meanwhile.
const awayPoll = 100 * time.Millisecond

// wait returns when no event waits for its record. The error is the store's
// absence, also if the context ends first.
func (p *unrecordedEvents) wait(ctx context.Context, rec Recorder) error {
	p.mu.Lock()
	n, zero := p.n, p.zero
	p.mu.Unlock()
	if n == 0 {
		return nil
	}
	tick := time.NewTicker(awayPoll)
	defer tick.Stop()
	for {
		if err := rec.Away(); err != nil {
			return err
		}
		select {
		case <-zero:
			return nil
		case <-ctx.Done():
			return errStoreAway(ctx.Err())
		case <-tick.C:
		}
	}
}
