package manager

import (
	"context"
	"fmt"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// evd is an Event Dispatcher.
type evd struct {
	object
	hw    enginePart[rdma.EVD]
	queue *queue

	// use and users say what feeds the EVD. The registry's lock guards them.
	use   dat.EVDUse
	users dat.EVDUsers
}

func newEVD(ia *adapter, id dat.Handle, qlen int32, streams []dat.Stream, waitable bool) *evd {
	d := &evd{
		object: newObject(ia, dat.TypeEVD, id), queue: newQueue(qlen, waitable),
		use: dat.EVDUse{IA: ia.id, Streams: streams},
	}
	d.queue.lost = ia.metrics.lostEvents
	return d
}

// fill implements filler.
func (d *evd) fill(img dat.Object) {
	o, ok := img.(*dat.EVD)
	if !ok {
		return
	}
	depth, dropped := d.queue.depth()
	o.Depth, o.Dropped = int32(depth), dropped
	d.ia.mu.Lock()
	o.Mode, o.InUseBy = d.use.Mode(), d.users
	d.ia.mu.Unlock()
}

// CreateEVD is dat_evd_create. Errors: DAT_INVALID_HANDLE (ia),
// DAT_INVALID_PARAMETER (qlen, streams that the provider cannot merge),
// DAT_INSUFFICIENT_RESOURCES.
func (m *Manager) CreateEVD(ctx context.Context, c Call, in EVDCreate) (*dat.EVD, error) {
	return write(ctx, m, c, in.IA, "dat_evd_create", func(u *unit) (*object, *dat.EVD, error) {
		return u.createEVD(c, in)
	})
}

func (u *unit) createEVD(c Call, in EVDCreate) (*object, *dat.EVD, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	if err := dat.CheckEVDCreate(ia.facts.Load(), in.QLen, in.Streams); err != nil {
		return nil, nil, err
	}
	streams := dat.SortStreams(in.Streams)
	d := newEVD(ia, newID(), int32(in.QLen), streams, true)
	img := &dat.EVD{Meta: d.meta(in.Name, in.Labels), QLen: int32(in.QLen), Streams: streams, Waitable: true}
	if _, err := u.admit(ia, d, func(resolver) (dat.Object, *dat.Error) { return img, nil }); err != nil {
		return nil, nil, err
	}
	return finishCreation(u, c, "dat_evd_create", d, img, func() error { return d.create(hw, img) })
}

// ModifyEVD is dat_evd_resize, dat_evd_set_unwaitable and dat_evd_clear_unwaitable.
// Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE if a shorter
// queue would lose events.
func (m *Manager) ModifyEVD(ctx context.Context, c Call, id dat.Handle, in EVDModify) (*dat.EVD, error) {
	return write(ctx, m, c, id, in.cause(), func(u *unit) (*object, *dat.EVD, error) {
		return u.modifyEVD(c, id, in)
	})
}

// cause returns the DAT operation that the members stand for.
func (in EVDModify) cause() string {
	switch {
	case in.QLen != nil:
		return "dat_evd_resize"
	case in.Waitable != nil && *in.Waitable:
		return "dat_evd_clear_unwaitable"
	case in.Waitable != nil:
		return "dat_evd_set_unwaitable"
	}
	return "modify"
}

func (u *unit) modifyEVD(c Call, id dat.Handle, in EVDModify) (*object, *dat.EVD, error) {
	d, before, err := targetImage[*evd, *dat.EVD](u, c, dat.TypeEVD, id)
	if err != nil {
		return nil, nil, err
	}
	depth, _ := d.queue.depth()
	if in.QLen != nil {
		if err := dat.CheckEVDResize(d.ia.facts.Load(), before, depth, *in.QLen); err != nil {
			return nil, nil, err
		}
	}
	change := func(o *dat.EVD) {
		if in.QLen != nil {
			o.QLen = int32(*in.QLen)
		}
		if in.Waitable != nil {
			o.Waitable = *in.Waitable
		}
		rename(&o.Meta, in.Name, in.Labels)
	}
	after := before.Clone().(*dat.EVD)
	change(after)
	if c.DryRun || sameEVD(before, after) {
		return &d.object, after, nil
	}
	if err := u.resizeEVD(d, before.QLen, after.QLen); err != nil {
		return nil, nil, err
	}
	u.add(c, &d.object, in.cause(), applyChange(change), func() { d.queue.setWaitable(after.Waitable) })
	return &d.object, after, nil
}

// sameEVD reports whether a modification changes nothing.
func sameEVD(a, b *dat.EVD) bool {
	return a.QLen == b.QLen && a.Waitable == b.Waitable && sameMeta(&a.Meta, &b.Meta)
}

// resizeEVD gives the queue and the engine's part of an EVD their new length. The
// error is DAT_INVALID_STATE if events would be lost, or the engine's.
func (u *unit) resizeEVD(d *evd, from, to int32) error {
	if from == to {
		return nil
	}
	if !d.queue.resize(to) {
		depth, _ := d.queue.depth()
		return &dat.Error{
			Return: dat.RetInvalidState, Field: "qlen",
			Detail: fmt.Sprintf("The queue holds %d events, which %d places would lose; dequeue some first or ask for more places.", depth, to),
		}
	}
	u.undo = append(u.undo, func() { d.queue.resize(max(from, int32(d.queue.length()))) })
	if hw, err := d.engine(); err == nil {
		if err := u.m.metrics.call("resize_evd", func() error { return hw.Resize(to) }); err != nil {
			return asError(err)
		}
		u.undo = append(u.undo, func() {
			if err := u.m.metrics.call("resize_evd", func() error { return hw.Resize(from) }); err != nil {
				u.m.log.Error("a queue keeps its new length", "evd", d.id, "error", err)
			}
		})
	}
	return nil
}

// FreeEVD is dat_evd_free; a waiter gets DAT_ABORT. Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_STATE with DAT_INVALID_STATE_EVD_IN_USE, also for an adapter's async EVD.
func (m *Manager) FreeEVD(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypeEVD, id)
}

func (u *unit) freeEVD(c Call, cause string, id dat.Handle) error {
	d, err := target[*evd](u, c, dat.TypeEVD, id)
	if err != nil {
		return err
	}
	if d == d.ia.asyncEVD {
		return &dat.Error{
			Return: dat.RetInvalidState, Subtype: dat.SubInvalidStateEVDInUse,
			Detail: "This is the EVD for asynchronous events of " + string(d.ia.id) + ", which lives as long as its adapter; free another one.",
		}
	}
	return u.freeUnused(c, cause, d, func() { d.destroy(); d.queue.close() })
}

func (d *evd) create(hw rdma.IA, img *dat.EVD) error {
	made, err := created(d.m().metrics, "create_evd", func() (rdma.EVD, error) { return hw.CreateEVD(d.id, img.QLen, img.Streams) })
	if err == nil {
		d.hw.set(made)
	}
	return err
}

func (d *evd) destroy() { d.hw.free(&d.object, "") }

func (d *evd) remake(hw rdma.IA) (string, func(dat.Object), error) {
	return "", nil, d.create(hw, imageOf[*dat.EVD](&d.object))
}

func (d *evd) dropPart(why string) { d.hw.free(&d.object, why) }

func (d *evd) engine() (rdma.EVD, error) { return d.hw.engine(&d.object) }
