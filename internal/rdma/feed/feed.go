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
}

// New returns an empty queue. Its goroutine starts with the first Put and ends with Close.
func New[T any]() *Queue[T] {
	return &Queue[T]{
		out: make(chan T), wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
	}
}

// Out returns the channel that delivers the values. Close closes it.
func (q *Queue[T]) Out() <-chan T { return q.out }

// Put adds a value and returns immediately; after Close it does nothing.
func (q *Queue[T]) Put(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
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
		for _, v := range q.take() {
			select {
			case q.out <- v:
			case <-q.quit:
				return
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
