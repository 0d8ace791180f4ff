package verbs

import "sync"

// feed hands what is put into it to a channel, in order and without bound: put
// never waits for the reader.
type feed[T any] struct {
	out  chan T
	quit chan struct{}
	done chan struct{}

	mu    sync.Mutex
	items []T
	more  *sync.Cond
	ended bool
}

func newFeed[T any]() *feed[T] {
	f := &feed[T]{out: make(chan T), quit: make(chan struct{}), done: make(chan struct{})}
	f.more = sync.NewCond(&f.mu)
	go f.run()
	return f
}

func (f *feed[T]) put(v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ended {
		f.items = append(f.items, v)
		f.more.Signal()
	}
}

// next waits for items; none is the end.
func (f *feed[T]) next() []T {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.items) == 0 && !f.ended {
		f.more.Wait()
	}
	if f.ended {
		return nil
	}
	items := f.items
	f.items = nil
	return items
}

func (f *feed[T]) run() {
	defer close(f.done)
	defer close(f.out)
	for items := f.next(); items != nil; items = f.next() {
		for _, v := range items {
			select {
			case f.out <- v:
			case <-f.quit:
				return
			}
		}
	}
}

// close ends the channel; what nobody has read yet is lost. It is idempotent and
// waits for the goroutine.
func (f *feed[T]) close() {
	f.mu.Lock()
	if !f.ended {
		f.ended = true
		close(f.quit)
		f.more.Signal()
	}
	f.mu.Unlock()
	<-f.done
}
