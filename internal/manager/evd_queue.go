package manager

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/datapi/datapi/internal/dat"
)

// queued is an event in a queue.
type queued struct {
	ev dat.Event
	// notification says that the event may wake a waiter of an EVD in NOTIFY or
	// SOLICITED mode. In THRESHOLD mode every event counts.
	notification bool
	// reaped, which may be nil, runs when the consumer has taken the event.
	reaped func()
}

// queue is the bounded event queue of an EVD.
type queue struct {
	mu            leafMutex
	events        []queued
	max           int
	notifications int // of the events
	dropped       int64
	// lost, which may be nil, counts what is dropped.
	lost prometheus.Counter
	// full says that the last event was dropped: an overflow is reported only once
	// until there is room again.
	full     bool
	waitable bool
	closed   bool
	waiter   *waiter
}

func newQueue(qlen int32, waitable bool) *queue {
	return &queue{max: int(qlen), waitable: waitable}
}

// post appends an event. posted reports whether there was room, overflow whether the
// loss must be reported now.
func (q *queue) post(e queued) (posted, overflow bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.postLocked(e)
}

// postIfRoom is post for an event that is not lost if there is no room: a full
// queue refuses it and counts nothing.
func (q *queue) postIfRoom(e queued) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.events) >= q.max {
		return false
	}
	posted, _ := q.postLocked(e)
	return posted
}

// postLocked is post with the queue's lock held.
func (q *queue) postLocked(e queued) (posted, overflow bool) {
	if q.closed {
		return false, false
	}
	if len(q.events) >= q.max {
		q.dropped++
		if q.lost != nil {
			q.lost.Inc()
		}
		first := !q.full
		q.full = true
		return false, first
	}
	q.full = false
	q.events = append(q.events, e)
	if e.notification {
		q.notifications++
	}
	if q.waiter != nil && q.readyLocked(q.waiter) {
		q.wakeLocked()
	}
	return true, false
}

// notifyLastReceive makes the last completion of a receive of an endpoint a notification,
// if there is one in the queue.
func (q *queue) notifyLastReceive(ep dat.Handle) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n := range slices.Backward(q.events) {
		e := &q.events[n]
		if e.ev.Endpoint != ep || e.ev.Data.Operation == nil || *e.ev.Data.Operation != dat.KindRecv {
			continue
		}
		if !e.notification {
			e.notification = true
			q.notifications++
		}
		break
	}
	if q.waiter != nil && q.readyLocked(q.waiter) {
		q.wakeLocked()
	}
}

// take removes events from the head, as many as headLocked allows. Errors: DAT_INVALID_STATE while a
// consumer waits on the EVD, DAT_ABORT if the EVD has ended.
func (q *queue) take(max int, o *object) ([]dat.Event, error) {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil, errAborted(o)
	}
	if q.waiter != nil {
		q.mu.Unlock()
		return nil, errWaiter(o)
	}
	taken := q.takeLocked(q.headLocked(max))
	q.mu.Unlock()
	return reap(taken), nil
}

// takeLocked removes up to max events from the head. The queue's lock is held.
func (q *queue) takeLocked(max int) []queued {
	n := min(max, len(q.events))
	taken := make([]queued, n)
	copy(taken, q.events)
	clear(q.events[:n])
	q.events = q.events[n:]
	for _, e := range taken {
		if e.notification {
			q.notifications--
		}
	}
	if n > 0 {
		q.full = false
	}
	return taken
}

// reap returns the events that a consumer takes, and runs what belongs to that.
func reap(taken []queued) []dat.Event {
	events := make([]dat.Event, len(taken))
	for i, e := range taken {
		events[i] = e.ev
		if e.reaped != nil {
			e.reaped()
		}
	}
	return events
}

// peek returns events from the head without removing them, as many as headLocked allows.
func (q *queue) peek(limit int) []dat.Event {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.headLocked(limit)
	events := make([]dat.Event, n)
	for i := range n {
		events[i] = q.events[i].ev
	}
	return events
}

// depth returns the number of queued events and of dropped ones.
func (q *queue) depth() (int, int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.events), q.dropped
}

// length returns the number of queued events.
func (q *queue) length() int { n, _ := q.depth(); return n }

// resize changes the length. It reports false, and changes nothing, if events would
// be lost.
func (q *queue) resize(qlen int32) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if int(qlen) < len(q.events) {
		return false
	}
	q.max = int(qlen)
	return true
}

// setWaitable sets whether consumers may wait. If they no longer may, a waiter is
// woken with the refusal.
func (q *queue) setWaitable(w bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waitable = w
	if !w {
		q.wakeLocked()
	}
}

// close ends the queue: a waiter gets DAT_ABORT, and what was not dequeued is lost.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.wakeLocked()
	lost := q.takeLocked(len(q.events))
	q.mu.Unlock()
	reap(lost)
}
