package api

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Promise 14: the memory of bodies is bounded in all, and who does not go on sending makes room for others.
func TestAClientThatIsSilentMakesRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(maxBodyMemory)
		const each = 12 << 20 // four of them are all that large bodies may have
		ended := make(chan int, 8)
		var shares []*memoryShare
		for i := range 4 {
			s := m.newShare(func() { ended <- i })
			must(t, s.take(each))
			shares = append(shares, s)
			time.Sleep(time.Second)
		}
		shares[0].moved() // the second is now the one that was silent longest
		go func() {
			shares[<-ended].release()
		}()
		start, late := time.Now(), m.newShare(nil)
		must(t, late.take(each))
		if shares[1].held != 0 || shares[0].held == 0 {
			t.Error("another one than the longest silent was ended")
		}
		if took := time.Since(start); took > silentShare {
			t.Errorf("it waited %v for one that was silent", took)
		}
	})
}

func TestWhereAllMakeProgressOthersWaitAndAreThenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(maxBodyMemory)
		var ended atomic.Int32
		busy := m.newShare(func() { ended.Add(1) })
		must(t, busy.take(maxBodyMemory-keptForSmall))
		stop := make(chan struct{})
		go func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(silentShare / 2):
					busy.moved()
				}
			}
		}()
		start := time.Now()
		if err := m.newShare(nil).take(smallShare + 1); !errors.Is(err, errMemoryFull) || time.Since(start) != memoryWait {
			t.Errorf("a large one after %v: %v", time.Since(start), err)
		}
		must(t, m.newShare(nil).take(smallShare)) // small ones do not wait for the large
		time.AfterFunc(time.Second, busy.release)
		must(t, m.newShare(nil).take(smallShare+1))
		close(stop)
		if ended.Load() != 0 {
			t.Error("one that made progress was ended")
		}
	})
}

func TestACallThatIsCarriedOutIsNotEndedForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(maxBodyMemory)
		running := m.newShare(func() { t.Error("it was ended") })
		must(t, running.take(maxBodyMemory-keptForSmall))
		running.protect()
		if err := m.newShare(nil).take(smallShare + 1); !errors.Is(err, errMemoryFull) {
			t.Error(err)
		}
		running.release()
		running.release()
		if m.free != maxBodyMemory || len(m.shares) != 0 {
			t.Errorf("%d bytes are free and %d shares are left", m.free, len(m.shares))
		}
	})
}
