package manager

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/datapi/datapi/internal/rdma"

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

// published wraps an image for the atomic pointer.
type published struct{ obj dat.Object }

func newObject(ia *adapter, typ dat.ObjectType, id dat.Handle) object {
	return object{id: id, typ: typ, ia: ia, operation: make(chan struct{}, 1)}
}

func (o *object) base() *object { return o }

// meta is the shared part of a new recorded object.
func (o *object) meta(name dat.Name, labels map[string]string) dat.Meta {
	if labels == nil {
		labels = map[string]string{}
	}
	return dat.Meta{ID: o.id, Name: name, Labels: labels, IA: o.ia.id, Node: o.ia.m.node}
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

// lockForWrite is lock for a call that needs the store. It does not wait while the store
// is away: a write whose outcome is not known yet may hold the lock.
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
		o.ia.m.names.renamed(was, img)
		return
	}
}

// announce publishes the first image of what the engine made, ahead of its record:
// who is told of a request can read it at once. Writes wait for the record.
func (o *object) announce(img dat.Object) {
	c := img.Clone()
	h := c.Head()
	h.Version, h.CreatedAt = 1, now()
	h.UpdatedAt = h.CreatedAt
	o.publish(c)
}

// ref names the object in changes and events.
func (o *object) ref() dat.ObjectRef {
	r := dat.ObjectRef{Type: o.typ, ID: o.id}
	if img := o.recorded(); img != nil {
		r.Name = img.Head().Name
	}
	return r
}

// imageOf is the recorded image with its type.
func imageOf[T dat.Object](o *object) T {
	img, _ := o.recorded().(T)
	return img
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
			return errorAway(ctx.Err())
		case <-tick.C:
		}
	}
}

// part is what a provider made for an object. It is replaced when a device
// returns, and empty while the provider has nothing for it; why says the reason.
type part[T rdma.Object] struct {
	mu  leafMutex
	hw  T
	ok  bool
	why string
}

func (p *part[T]) get() (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hw, p.ok
}

func (p *part[T]) set(hw T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hw, p.ok, p.why = hw, true, ""
}

// take empties the part and gives what was in it.
func (p *part[T]) take(why string) (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var none T
	hw, ok := p.hw, p.ok
	p.hw, p.ok, p.why = none, false, why
	return hw, ok
}

// free empties the part and frees what was in it.
func (p *part[T]) free() {
	if hw, ok := p.take(""); ok {
		hw.Free()
	}
}

func (p *part[T]) reason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}
