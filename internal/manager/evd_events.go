package manager

import (
	"context"
	"time"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// emit puts an event on an EVD; a null EVD drops it. It tells whether the event
// is there. An overflow is reported on the adapter's async EVD.
func (m *Manager) emit(h dat.Handle, e queued) bool {
	d, ok := find[*evd](m, h)
	if !ok {
		return false
	}
	e.ev.EVD, e.ev.IA = d.id, d.ia.id
	if e.ev.At.IsZero() {
		e.ev.At = dat.At(time.Now())
	}
	taken, overflow := d.queue.post(e)
	if overflow {
		m.log.Warn("an event queue overflowed", "evd", d.id, "ia", d.ia.id)
		d.ia.overflow(d)
	}
	return taken
}

// overflow reports that an EVD lost an event. The async EVD's own overflow is
// only counted: there is nowhere to report it.
func (ia *adapter) overflow(d *evd) {
	if ia.asyncEVD == nil || d == ia.asyncEVD {
		return
	}
	reason := "DAT_EVD_OVERFLOW_ERROR"
	ref := d.ref()
	ia.asyncEvent(dat.Event{Event: dat.EventAsyncErrorEVDOverflow, Object: &ref, Reason: &reason})
}

// asyncEvent puts an event on the adapter's async EVD.
func (ia *adapter) asyncEvent(ev dat.Event) {
	if ia.asyncEVD == nil {
		return
	}
	ev.Stream, ev.EVD, ev.IA, ev.At = dat.StreamAsync, ia.asyncEVD.id, ia.id, dat.At(time.Now())
	ia.asyncEVD.queue.post(queued{ev: ev, notification: true})
}

// PostSE is dat_evd_post_se. Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER
// where the EVD has no SOFTWARE stream, DAT_QUEUE_FULL.
func (m *Manager) PostSE(ctx context.Context, c Call, id dat.Handle, data SoftwareEvent) (dat.Event, error) {
	d, ok := find[*evd](m, id)
	if !ok || d.recorded() == nil {
		return dat.Event{}, errHandle(dat.TypeEVD, id)
	}
	if err := m.checkOpen(); err != nil {
		return dat.Event{}, err
	}
	if err := matchVersion(c, d.recorded()); err != nil {
		return dat.Event{}, err
	}
	if err := dat.CheckPostSE(imageOf[*dat.EVD](&d.object)); err != nil {
		return dat.Event{}, err
	}
	ref := d.ref()
	ev := dat.Event{
		Event: dat.EventSoftware, Stream: dat.StreamSoftware, EVD: d.id, IA: d.ia.id, Object: &ref,
		At: dat.At(time.Now()), Data: dat.EventData{Software: data},
	}
	if c.DryRun {
		if depth, _ := d.queue.depth(); depth >= int(imageOf[*dat.EVD](&d.object).QLen) {
			return dat.Event{}, errQueueFull(d)
		}
		return ev, nil
	}
	if !d.queue.postIfRoom(queued{ev: ev, notification: true}) {
		return dat.Event{}, errQueueFull(d)
	}
	return ev, nil
}

func errQueueFull(d *evd) *dat.Error {
	return &dat.Error{
		Return: dat.RetQueueFull,
		Detail: "The queue of EVD " + string(d.id) + " is full; dequeue events or make it longer, then post again.",
	}
}

func (d *evd) create(hw rdma.IA, img *dat.EVD) error {
	made, err := hw.CreateEVD(d.id, img.QLen, img.Streams)
	if err == nil {
		d.hw.set(made)
	}
	return err
}

func (d *evd) destroy() { d.hw.free() }

// dispatcher is the provider's part of an EVD: nil for null.
func (m *Manager) dispatcher(h dat.Handle) (rdma.EVD, error) {
	d, ok := find[*evd](m, h)
	if !ok {
		return nil, nil
	}
	hw, ok := d.hw.get()
	if !ok {
		return nil, errNoPart(&d.object, d.hw.reason())
	}
	return hw, nil
}
