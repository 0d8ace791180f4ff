package manager

import (
	"context"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// Dequeue is dat_evd_dequeue, or with wait > 0 dat_evd_wait: it returns up to max
// events once threshold are there, or what there is when the wait is over. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE (R12, unwaitable,
// another waiter), DAT_ABORT if the EVD is freed meanwhile.
func (m *Manager) Dequeue(ctx context.Context, id dat.Handle, max, threshold int, wait time.Duration) ([]dat.Event, error) {
	d, err := lookup[*evd](m, dat.TypeEVD, id, "")
	if err != nil {
		return nil, err
	}
	d.ia.mu.Lock()
	mode := d.use.Mode()
	d.ia.mu.Unlock()
	img := imageOf[*dat.EVD](&d.object)
	if err := dat.CheckDequeue(img, mode, int64(max), int64(threshold), wait > 0); err != nil {
		return nil, err
	}
	if wait <= 0 {
		return d.queue.take(max, &d.object)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return d.queue.wait(ctx, max, threshold, mode, &d.object)
}

// Look returns up to limit events from the head of an EVD without removing them.
// The error is DAT_INVALID_HANDLE.
func (m *Manager) Look(id dat.Handle, limit int) ([]dat.Event, error) {
	d, err := lookup[*evd](m, dat.TypeEVD, id, "")
	if err != nil {
		return nil, err
	}
	return d.queue.peek(limit), nil
}

// PostSE is dat_evd_post_se. Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER if
// the EVD has no SOFTWARE stream, DAT_QUEUE_FULL where the queue has no room or the
// software events of all queues have too much data.
func (m *Manager) PostSE(ctx context.Context, c Call, id dat.Handle, data SoftwareEvent) (dat.Event, error) {
	d, err := lookup[*evd](m, dat.TypeEVD, id, "")
	if err != nil {
		return dat.Event{}, err
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
		At: now(), Data: dat.EventData{Software: data},
	}
	size := int64(len(data))
	if err := m.claimEventMemory(size); err != nil {
		return dat.Event{}, err
	}
	giveBack := func() { m.eventMemory.Add(-size) }
	if c.DryRun {
		giveBack()
		if depth, _ := d.queue.depth(); depth >= int(imageOf[*dat.EVD](&d.object).QLen) {
			return dat.Event{}, errQueueFull(d)
		}
		return ev, nil
	}
	if !d.queue.postIfRoom(queued{ev: ev, notification: true, reaped: giveBack}) {
		giveBack()
		return dat.Event{}, errQueueFull(d)
	}
	return ev, nil
}

// emit puts an event on an EVD and reports whether it is there; on the null EVD it
// is dropped. An overflow is reported on the adapter's async EVD.
func (m *Manager) emit(h dat.Handle, e queued) bool {
	d, ok := find[*evd](m, h)
	if !ok {
		return false
	}
	e.ev.EVD, e.ev.IA = d.id, d.ia.id
	if e.ev.At.IsZero() {
		e.ev.At = now()
	}
	posted, overflow := d.queue.post(e)
	if overflow {
		m.log.Warn("an event queue overflowed", "evd", d.id, "ia", d.ia.id)
		d.ia.overflow(d)
	}
	return posted
}
