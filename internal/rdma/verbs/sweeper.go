//go:build verbs

package verbs

import (
	"slices"
	"sync"
	"time"
)

// A completion queue in solicited mode makes an event only for messages whose senders ask
// for it, and for failures. Other messages must be looked for. The sweeper does that for
// all such queues of a device with one timer, and what it does at a tick is bounded: it
// costs the same however many queues there are.
const (
	// sweepInterval is the time between two ticks after something was found, which tells
	// that more may come; longestSweepInterval that to which it grows while nothing is.
	sweepInterval        = 5 * time.Millisecond
	longestSweepInterval = 250 * time.Millisecond
	// sweepBudget is how many queues are looked into at a tick, beside those in which
	// something was found at the last.
	sweepBudget = 32
)

// sweeper looks for messages without events.
type sweeper struct {
	hw *hardware

	mu sync.Mutex
	// queues are all queues in solicited mode; next is where the next tick begins.
	queues []*cq
	next   int
	// fresh are those in which something was found at the last tick. An entry does not say
	// what it is: it is taken as unsolicited when a tick later there is still no event.
	fresh []*cq
	// running: the goroutine runs. woken tells it to look soon, or to end.
	running bool
	woken   chan struct{}
	// looks counts how often a queue was looked into.
	looks int64
}

// add begins to look into a queue.
func (s *sweeper) add(q *cq) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.sweepAt = len(s.queues)
	s.queues = append(s.queues, q)
	if s.woken == nil {
		s.woken = make(chan struct{}, 1)
	}
	if !s.running {
		s.running = s.hw.startTask(s.run)
	}
	s.wakeLocked()
}

// remove ends that; with the last queue the goroutine ends.
func (s *sweeper) remove(q *cq) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.queues) - 1
	s.queues[q.sweepAt] = s.queues[last]
	s.queues[q.sweepAt].sweepAt = q.sweepAt
	s.queues[last] = nil
	s.queues = s.queues[:last]
	s.fresh = slices.DeleteFunc(s.fresh, func(o *cq) bool { return o == q })
	if last == 0 {
		s.wakeLocked()
	}
}

// wakeLocked shortens the present pause; it never blocks.
func (s *sweeper) wakeLocked() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// run sweeps until there is no queue left.
func (s *sweeper) run() {
	pause := sweepInterval
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.woken:
			pause = sweepInterval
		}
		now, stale, ok := s.turn()
		if !ok {
			return
		}
		// What has its event by now is solicited.
		_ = s.hw.handleCQEvents()
		for _, q := range stale {
			q.deliverUnsolicited()
		}
		var fresh []*cq
		for _, q := range now {
			if q.look() {
				fresh = append(fresh, q)
			}
		}
		s.mu.Lock()
		s.fresh = fresh
		s.mu.Unlock()
		if len(fresh) > 0 {
			pause = sweepInterval
		} else {
			pause = min(2*pause, longestSweepInterval)
		}
		timer.Reset(pause)
	}
}

// turn returns the queues to look into, and those in which something was found at the last
// tick, which are looked into again. It reports false where there is none left.
func (s *sweeper) turn() (now, stale []*cq, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queues) == 0 {
		s.running = false
		return nil, nil, false
	}
	stale = s.fresh
	now = slices.Clone(stale)
	for range min(sweepBudget, len(s.queues)) {
		q := s.queues[s.next%len(s.queues)]
		s.next = s.next%len(s.queues) + 1
		if !slices.Contains(stale, q) {
			now = append(now, q)
		}
	}
	s.looks += int64(len(now))
	return now, stale, true
}
