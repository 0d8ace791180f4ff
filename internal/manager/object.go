package manager

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// entity is an object of the Manager: its shared part and what its type adds.
type entity interface{ base() *object }

// object is what all entities share.
type object struct {
	id  dat.Handle
	typ dat.ObjectType
	ia  *adapter

	// operation is the operation lock: one token. It serialises writers over judge, act,
	// record and publish.
	operation chan struct{}
	// image is the recorded image, nil until the first record.
	image atomic.Pointer[published]

	// life is where the object stands between its making and its end.
	life lifetime
	// refs counts the living objects that use this one; it belongs to the registry's lock.
	refs int

	// unrecorded counts the events of the object whose record is awaited.
	unrecorded unrecordedEvents
}

func newObject(ia *adapter, typ dat.ObjectType, id dat.Handle) object {
	return object{id: id, typ: typ, ia: ia, operation: make(chan struct{}, 1)}
}

// newID makes a handle: a UUIDv7, so that ids sort by their age.
func newID() dat.Handle { return dat.Handle(uuid.Must(uuid.NewV7()).String()) }

func (o *object) base() *object { return o }

func (o *object) m() *Manager { return o.ia.m }

// meta is the shared part of a new recorded object.
func (o *object) meta(name dat.Name, labels map[string]string) dat.Meta {
	if labels == nil {
		labels = map[string]string{}
	}
	return dat.Meta{ID: o.id, Name: name, Labels: labels, IA: o.ia.id, Node: o.ia.m.node}
}

// ref names the object in changes and events.
func (o *object) ref() dat.ObjectRef {
	r := dat.ObjectRef{Type: o.typ, ID: o.id}
	if img := o.recorded(); img != nil {
		r.Name = img.Head().Name
	}
	return r
}

// lock takes the operation lock; the error is the context's.
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

func (o *object) tryLock() bool {
	select {
	case o.operation <- struct{}{}:
		tookOperation(o)
		return true
	default:
		return false
	}
}

func (o *object) unlock() {
	gaveOperation(o)
	<-o.operation
}

// published wraps an image for the atomic pointer.
type published struct{ obj dat.Object }

// recorded is the recorded image, nil where there is none yet.
func (o *object) recorded() dat.Object {
	if p := o.image.Load(); p != nil {
		return p.obj
	}
	return nil
}

// publish makes a recorded image visible unless a newer one is already.
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

// announce publishes the first image of what the engine made, ahead of its record:
// who is told of a request can read it at once. Writes wait for the record.
func (o *object) publishEarly(img dat.Object) {
	c := img.Clone()
	h := c.Head()
	h.Version, h.CreatedAt = 1, now()
	h.UpdatedAt = h.CreatedAt
	o.publish(c)
}

// pending counts the events of an object that are not recorded yet.
type unrecordedEvents struct {
	mu   leafMutex
	n    int
	zero chan struct{}
}

func (p *unrecordedEvents) add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n == 0 {
		p.zero = make(chan struct{})
	}
	p.n++
}

func (p *unrecordedEvents) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n--; p.n == 0 {
		close(p.zero)
	}
}

// awayPoll is how often a writer that waits for the record of events asks
// whether the store has gone away meanwhile.
const awayPoll = 100 * time.Millisecond

// wait returns when no event waits for its record; the error is the store's
// absence or the context's.
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
