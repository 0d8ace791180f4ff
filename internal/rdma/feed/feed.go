// Package feed hands values to a channel without ever making the sender wait: the
// reports and the arriving adapters of a provider.
package feed

import "sync"

// Queue is a queue without a bound in front of a channel. It keeps the order of
// Put. All methods may be called from several goroutines.
type Queue[T any] struct {
	out chan T
	// wake says that there are items, quit that nobody will read any more, ended
	// that the channel is closed.
	wake  chan struct{}
	quit  chan struct{}
	ended chan struct{}

	mu      sync.Mutex
	items   []T
	running bool
	closed  bool
	// moving: the goroutine has taken items and not handed over all of them yet.
	moving bool
}

// room is how many values wait in the channel itself: a reader that is a little behind needs
// no goroutine.
const room = 64

// New returns an empty queue. Its goroutine starts with the first Put that finds the channel
// full, and ends with Close.
func New[T any]() *Queue[T] {
	return &Queue[T]{
		out: make(chan T, room), wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
	}
}

// Out returns the channel that delivers the values. Close closes it.
func (q *Queue[T]) Out() <-chan T { return q.out }

// Put adds a value and returns immediately; after Close it does nothing. It reports whether the
// value was given to a reader that waited.
func (q *Queue[T]) Put(v T) (taken bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if len(q.items) == 0 && !q.moving {
		select {
		case q.out <- v:
			return len(q.out) == 0
		default:
		}
	}
	if !q.running {
		q.running = true
		go q.run()
	}
	q.items = append(q.items, v)
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return false
}

// take returns the items so far.
func (q *Queue[T]) take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	q.moving = len(items) > 0
	return items
}

// run moves items to the channel until Close.
func (q *Queue[T]) run() {
	defer q.end()
	for {
		select {
		case <-q.wake:
		case <-q.quit:
			return
		}
		for items := q.take(); len(items) > 0; items = q.take() {
			for _, v := range items {
				select {
				case q.out <- v:
				case <-q.quit:
					return
				}
			}
		}
	}
}

// end closes the channel. Nothing is put into it any more.
func (q *Queue[T]) end() {
	defer close(q.ended)
	defer close(q.out)
	for {
		select {
		case <-q.out:
		default:
			return
		}
	}
}

// Close closes the channel and waits for the goroutine. What nobody has read yet is
// lost. It is idempotent.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		q.items = nil
		close(q.quit)
		if !q.running {
			q.end()
		}
	}
	q.mu.Unlock()
	<-q.ended
}
