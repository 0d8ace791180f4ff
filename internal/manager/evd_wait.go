package manager

import (
	"context"
	"errors"

	"github.com/datapi/datapi/internal/dat"
)

// waiter is a dat_evd_wait under way.
type waiter struct {
	threshold int
	mode      dat.EVDMode
	wake      chan struct{} // closed to wake it
}

// wait blocks until threshold events are there, then removes up to max. At the end
// of ctx it removes what there is, perhaps nothing. Errors: DAT_INVALID_STATE with
// DAT_INVALID_STATE_EVD_UNWAITABLE or _EVD_WAITER, DAT_ABORT if the EVD ends; the
// context's if it was cancelled, and then nothing is removed.
func (q *queue) wait(ctx context.Context, max, threshold int, mode dat.EVDMode, o *object) ([]dat.Event, error) {
	q.mu.Lock()
	if err := q.checkWaitLocked(o); err != nil {
		q.mu.Unlock()
		return nil, err
	}
	w := &waiter{threshold: threshold, mode: mode, wake: make(chan struct{})}
	if !q.readyLocked(w) {
		q.waiter = w
		q.mu.Unlock()
		select {
		case <-w.wake:
		case <-ctx.Done():
		}
		q.mu.Lock()
		if err := q.wakeReasonLocked(ctx, w, o); err != nil {
			q.mu.Unlock()
			return nil, err
		}
	}
	taken := q.takeLocked(q.headLocked(max))
	q.mu.Unlock()
	return reap(taken), nil
}

// checkWaitLocked returns the refusal of a wait, or nil. The queue's lock is held.
func (q *queue) checkWaitLocked(o *object) error {
	switch {
	case q.closed:
		return errAborted(o)
	case !q.waitable:
		return errUnwaitable(o)
	case q.waiter != nil:
		return errWaiter(o)
	}
	return nil
}

// wakeReasonLocked ends the wait of w. It returns nil if w may take events, else
// the reason why the wait ended. The queue's lock is held.
func (q *queue) wakeReasonLocked(ctx context.Context, w *waiter, o *object) error {
	if q.waiter == w {
		q.waiter = nil
	}
	switch {
	case q.closed:
		return errAborted(o)
	case !q.waitable:
		return errUnwaitable(o)
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	}
	return nil
}

// readyLocked reports whether a waiter has what it waits for: threshold events, and
// outside of THRESHOLD mode a notification among them (R12). The queue's lock is
// held.
func (q *queue) readyLocked(w *waiter) bool {
	if len(q.events) < w.threshold {
		return false
	}
	if w.mode == dat.ModeNotify || w.mode == dat.ModeSolicited {
		return q.notifications > 0
	}
	return true
}

// wakeLocked wakes the waiter if there is one. The queue's lock is held.
func (q *queue) wakeLocked() {
	if q.waiter != nil {
		close(q.waiter.wake)
		q.waiter = nil
	}
}
