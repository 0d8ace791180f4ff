package soft

import "sync"

// feed is a queue without bound in front of a channel: put never blocks, and
// the order is kept.
type feed[T any] struct {
	mu      sync.Mutex
	queue   []T
	started bool
	closed  bool
	wake    chan struct{}
	stop    chan struct{}
	gone    chan struct{}
	out     chan T
}

func newFeed[T any]() *feed[T] {
	return &feed[T]{
		wake: make(chan struct{}, 1), stop: make(chan struct{}), gone: make(chan struct{}), out: make(chan T),
	}
}

// start runs the goroutine that fills the channel.
func (f *feed[T]) start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = true
	go f.run()
}

// put queues v; after close it is dropped.
func (f *feed[T]) put(v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.queue = append(f.queue, v)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *feed[T]) run() {
	defer close(f.gone)
	defer close(f.out)
	for {
		select {
		case <-f.wake:
		case <-f.stop:
			return
		}
		f.mu.Lock()
		batch := f.queue
		f.queue = nil
		f.mu.Unlock()
		for _, v := range batch {
			select {
			case f.out <- v:
			case <-f.stop:
				return
			}
		}
	}
}

// close ends the channel and waits until it is closed. What was not read is
// lost. It is idempotent.
func (f *feed[T]) close() {
	f.mu.Lock()
	first := !f.closed
	f.closed = true
	if first && !f.started {
		close(f.out)
		close(f.gone)
	}
	if first {
		f.queue = nil
		close(f.stop)
	}
	f.mu.Unlock()
	<-f.gone
}
