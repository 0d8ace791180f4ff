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
	q, ok := find[*evd](m, h)
	if !ok {
		return false
	}
	e.ev.EVD, e.ev.IA = q.id, q.ia.id
	if e.ev.At.IsZero() {
		e.ev.At = dat.At(time.Now())
	}
	taken, overflow := q.q.post(e)
	if overflow {
		m.log.Warn("an event queue overflowed", "evd", q.id, "ia", q.ia.id)
		q.ia.overflow(q)
	}
	return taken
}

// overflow reports that an EVD lost an event. The async EVD's own overflow is
// only counted: there is nowhere to report it.
func (ia *adapter) overflow(q *evd) {
	if ia.asyncEVD == nil || q == ia.asyncEVD {
		return
	}
	reason := "DAT_EVD_OVERFLOW_ERROR"
	ref := q.ref()
	ia.asyncEvent(dat.Event{Event: dat.EventAsyncErrorEVDOverflow, Object: &ref, Reason: &reason})
}

// asyncEvent puts an event on the adapter's async EVD.
func (ia *adapter) asyncEvent(ev dat.Event) {
	if ia.asyncEVD == nil {
		return
	}
	ev.Stream, ev.EVD, ev.IA, ev.At = dat.StreamAsync, ia.asyncEVD.id, ia.id, dat.At(time.Now())
	ia.asyncEVD.q.post(queued{ev: ev, wakes: true})
}

// PostSE is dat_evd_post_se. Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER
// where the EVD has no SOFTWARE stream, DAT_QUEUE_FULL.
func (m *Manager) PostSE(ctx context.Context, c Call, id dat.Handle, data SoftwareEvent) (dat.Event, error) {
	q, ok := find[*evd](m, id)
	if !ok || q.recorded() == nil {
		return dat.Event{}, errHandle(dat.TypeEVD, id)
	}
	if err := m.open(); err != nil {
		return dat.Event{}, err
	}
	if err := matches(c, q.recorded()); err != nil {
		return dat.Event{}, err
	}
	if err := dat.CheckPostSE(imageOf[*dat.EVD](&q.object)); err != nil {
		return dat.Event{}, err
	}
	ref := q.ref()
	ev := dat.Event{
		Event: dat.EventSoftware, Stream: dat.StreamSoftware, EVD: q.id, IA: q.ia.id, Object: &ref,
		At: dat.At(time.Now()), Data: dat.EventData{Software: data},
	}
	if c.DryRun {
		if depth, _ := q.q.depth(); depth >= int(imageOf[*dat.EVD](&q.object).QLen) {
			return dat.Event{}, errQueueFull(q)
		}
		return ev, nil
	}
	if !q.q.offer(queued{ev: ev, wakes: true}) {
		return dat.Event{}, errQueueFull(q)
	}
	return ev, nil
}

func errQueueFull(q *evd) *dat.Error {
	return &dat.Error{
		Return: dat.RetQueueFull,
		Detail: "The queue of EVD " + string(q.id) + " is full; dequeue events or make it longer, then post again.",
	}
}

func (q *evd) create(hw rdma.IA, img *dat.EVD) error {
	made, err := hw.CreateEVD(q.id, img.QLen, img.Streams)
	if err == nil {
		q.hw.set(made)
	}
	return err
}

func (q *evd) destroy() { q.hw.free() }

// dispatcher is the provider's part of an EVD: nil for null.
func (m *Manager) dispatcher(h dat.Handle) (rdma.EVD, error) {
	q, ok := find[*evd](m, h)
	if !ok {
		return nil, nil
	}
	hw, ok := q.hw.get()
	if !ok {
		return nil, errMissing(&q.object, q.hw.reason())
	}
	return hw, nil
}
