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
	wake      chan struct{}
}

// wait blocks until threshold events are there, then takes up to max. At the end
// of ctx it takes what there is, perhaps nothing. Errors: DAT_INVALID_STATE with
// DAT_INVALID_STATE_EVD_UNWAITABLE or _EVD_WAITER, DAT_ABORT when the EVD ends.
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
	taken := q.takeLocked(max)
	q.mu.Unlock()
	return reap(taken), nil
}

// mayWaitLocked judges a wait.
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

// wokenLocked tells why a wait ended: nil where events are to be taken. Who has
// gone away takes none.
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

// readyLocked tells whether a waiter has what it waits for: threshold events, and
// outside of THRESHOLD mode a notification among them (R12).
func (q *queue) readyLocked(w *waiter) bool {
	if len(q.events) < w.threshold {
		return false
	}
	if w.mode == dat.ModeNotify || w.mode == dat.ModeSolicited {
		return q.notifications > 0
	}
	return true
}

func (q *queue) wakeLocked() {
	if q.waiter != nil {
		close(q.waiter.wake)
		q.waiter = nil
	}
}
