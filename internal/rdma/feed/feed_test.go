package feed

import (
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestValuesArriveInTheOrderOfPut(t *testing.T) {
	q := New[int]()
	defer q.Close()
	const n = 1000
	for i := range n {
		q.Put(i) // nobody reads yet, and Put returns all the same
	}
	for want := range n {
		if got := <-q.Out(); got != want {
			t.Fatalf("value %d is %d", want, got)
		}
	}
}

func TestAValuePutWhileTheReaderWaitsIsDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[string]()
		defer q.Close()
		q.Put("one")
		<-q.Out()
		got := make(chan string, 1)
		go func() { got <- <-q.Out() }()
		synctest.Wait()
		q.Put("two")
		if v := <-got; v != "two" {
			t.Fatalf("%q was delivered", v)
		}
	})
}

func TestCloseEndsTheChannelWhateverWaits(t *testing.T) {
	for name, prepare := range map[string]func(*Queue[int]){
		"never used":            func(*Queue[int]) {},
		"with an unread value":  func(q *Queue[int]) { q.Put(1) },
		"with a value half out": func(q *Queue[int]) { q.Put(1); q.Put(2); <-q.Out() },
		"with many unread values": func(q *Queue[int]) {
			for i := range 2 * room {
				q.Put(i)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := New[int]()
			prepare(q)
			q.Close()
			q.Close()
			q.Put(3)
			if v, open := <-q.Out(); open {
				t.Fatalf("the closed channel delivers %d", v)
			}
		})
	}
}

func TestTheOrderHoldsWhereAReaderThatWaitsIsServedDirectly(t *testing.T) {
	q := New[int]()
	defer q.Close()
	const n = 20_000
	go func() {
		for i := range n {
			q.Put(i)
		}
	}()
	for want := range n { // sometimes this waits, sometimes it is behind
		if got := <-q.Out(); got != want {
			t.Fatalf("value %d is %d", want, got)
		}
	}
}

func TestPutReportsWhetherTheReaderWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[string]()
		defer q.Close()
		got := make(chan string, 1)
		go func() { got <- <-q.Out() }()
		synctest.Wait()
		if !q.Put("directly") {
			t.Error("a reader that waits is not reported")
		}
		if v := <-got; v != "directly" {
			t.Errorf("%q was delivered", v)
		}
		if q.Put("later") {
			t.Error("a reader is reported, and there is none")
		}
	})
}

func TestAReaderThatIsALittleBehindNeedsNoGoroutine(t *testing.T) {
	q := New[int]()
	defer q.Close()
	for i := range room {
		q.Put(i)
	}
	if q.running {
		t.Error("a goroutine hands over what has room in the channel")
	}
	q.Put(room)
	for want := range room + 1 {
		if got := <-q.Out(); got != want {
			t.Fatalf("value %d is %d", want, got)
		}
	}
}
