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

// New returns an empty queue. Its goroutine starts with the first Put that finds no waiting
// reader, and ends with Close.
func New[T any]() *Queue[T] {
	return &Queue[T]{
		out: make(chan T), wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
	}
}

// Out returns the channel that delivers the values. Close closes it.
func (q *Queue[T]) Out() <-chan T { return q.out }

// Put adds a value and returns immediately; after Close it does nothing. A reader that waits
// is given the value directly, if nothing is before it.
func (q *Queue[T]) Put(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if len(q.items) == 0 && !q.moving {
		select {
		case q.out <- v:
			return
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
	defer close(q.ended)
	defer close(q.out)
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

// Close closes the channel and waits for the goroutine. What nobody has read yet is
// lost. It is idempotent.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		q.items = nil
		close(q.quit)
		if !q.running {
			close(q.out)
			close(q.ended)
		}
	}
	q.mu.Unlock()
	<-q.ended
}
