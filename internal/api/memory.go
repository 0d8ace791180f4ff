package api

import (
	"errors"
	"sync"
	"time"
)

const (
	// maxBodyMemory is how many bytes of bodies may be there at once: those that are being read and those of the calls that
	// are being carried out. It is four of the largest.
	maxBodyMemory = 64 << 20
	// maxAnswerMemory is how many bytes of large answers may wait at once for their clients to take them.
	maxAnswerMemory = 64 << 20
	// smallShare is how many bytes a request may have without counting as large; keptForSmall is how many bytes large
	// requests leave to the small ones, which therefore need not wait for them.
	smallShare   = 64 << 10
	keptForSmall = 16 << 20
	// memoryWait is how long a request waits for memory before it is refused. A request whose client made no progress for
	// silentShare may be ended in favour of one that waits.
	memoryWait  = 10 * time.Second
	silentShare = time.Second
)

// errMemoryFull reports that other requests have taken all the memory there is and still use it.
var errMemoryFull = errors.New("other requests use all the memory that there is for this")

// memory is a number of bytes that requests share. When it is used up, the request whose client made no progress for
// longest is ended; while all make progress, the others wait.
type memory struct {
	mu     sync.Mutex
	free   int64
	shares map[*memoryShare]struct{}
	// released is closed and replaced when bytes are given back.
	released chan struct{}
}

func newMemory(bytes int64) *memory {
	return &memory{free: bytes, shares: map[*memoryShare]struct{}{}, released: make(chan struct{})}
}

// memoryShare is what one request has of a memory.
type memoryShare struct {
	of *memory
	// held, progress and safe are guarded by the memory's lock. progress is when the client last sent or took something;
	// safe reports that the request does not wait for its client, or is being ended already.
	held     int64
	progress time.Time
	safe     bool

	// ending guards giveUp, which ends the request; it is nil once it must not be called any more.
	ending sync.Mutex
	giveUp func()
}

// newShare returns a share without bytes. giveUp ends its request; it must not block, and is called at most once.
func (m *memory) newShare(giveUp func()) *memoryShare { return &memoryShare{of: m, giveUp: giveUp} }

// take adds n bytes to a share. The error is errMemoryFull after memoryWait.
func (s *memoryShare) take(n int64) error {
	released, silent, ok := s.tryTake(n)
	if ok { // as a rule, and without a timer
		return nil
	}
	timeout := time.NewTimer(memoryWait)
	defer timeout.Stop()
	look := time.NewTicker(silentShare) // by then a client may have been silent for long enough
	defer look.Stop()
	for ; !ok; released, silent, ok = s.tryTake(n) {
		silent.endForOthers()
		select {
		case <-released:
		case <-look.C:
		case <-timeout.C:
			return errMemoryFull
		}
	}
	return nil
}

// reserve brings a share up to n bytes. The error is that of take.
func (s *memoryShare) reserve(n int64) error {
	s.of.mu.Lock()
	missing := n - s.held
	s.of.mu.Unlock()
	if missing <= 0 {
		return nil
	}
	return s.take(missing)
}

// tryTake adds n bytes where they are free. Where they are not, silent is the share to be ended, if any, and released is
// closed when bytes are given back.
func (s *memoryShare) tryTake(n int64) (released <-chan struct{}, silent *memoryShare, ok bool) {
	m, now := s.of, time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	s.progress = now
	mustStay := int64(0)
	if s.held+n > smallShare {
		mustStay = keptForSmall
	}
	if m.free-n >= mustStay {
		m.free -= n
		s.held += n
		m.shares[s] = struct{}{}
		return nil, nil, true
	}
	for other := range m.shares {
		if other != s && !other.safe && now.Sub(other.progress) >= silentShare && (silent == nil || other.progress.Before(silent.progress)) {
			silent = other
		}
	}
	if silent != nil {
		silent.safe = true
	}
	return m.released, silent, false
}

// endForOthers ends the share's request; nil is no share.
func (s *memoryShare) endForOthers() {
	if s == nil {
		return
	}
	s.ending.Lock()
	defer s.ending.Unlock()
	if s.giveUp != nil {
		s.giveUp()
		s.giveUp = nil
	}
}

// moved notes that the client has taken something.
func (s *memoryShare) moved() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.progress = time.Now()
}

// protect has the share not be ended for others any more.
func (s *memoryShare) protect() {
	s.ending.Lock()
	s.giveUp = nil
	s.ending.Unlock()
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.safe = true
}

// release gives all bytes of the share back.
func (s *memoryShare) release() {
	m := s.of
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.held == 0 {
		return
	}
	m.free += s.held
	s.held = 0
	delete(m.shares, s)
	close(m.released)
	m.released = make(chan struct{})
}
