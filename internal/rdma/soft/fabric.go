package soft

import (
	"net/netip"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// Fabric is the wires and the memory between the adapters of one Provider. Its
// methods are the faults that a test or a demonstration can cause (fault.go).
//
// All methods may be called from several goroutines.
type Fabric struct {
	// mu guards everything of the fabric, its adapters and their objects.
	mu       sync.Mutex
	provider *Provider
	closed   bool
	adapters []*adapter
	byAddr   map[netip.Addr]*adapter
	// cuts are the pairs of adapters, in order of name, that cannot reach each other.
	cuts map[[2]string]bool

	// wire is what is on its way, oldest first; it is empty on a fast fabric. timer
	// runs until the oldest is due. held: nothing arrives.
	wire  []transmission
	timer *time.Timer
	delay time.Duration
	held  bool

	// shared is the memory of MemSharedVirtual by its id, memory the size of all
	// blocks and memoryLimit the most that it may be, in bytes.
	shared              map[string]*block
	memory, memoryLimit int64
	nextAddress         uint64

	// What the options of New set.
	limits           []func(*dat.IAAttributes)
	backlog          int
	rnrTime, ackTime time.Duration

	lastQP   uint32
	sequence uint64
}

// transmission is something that arrives at the other end of a wire.
type transmission struct {
	due    time.Time
	arrive func()
}

// transmit calls arrive when it has reached the other end: immediately on a fast
// fabric, else after the delay and after everything sent before. The lock is held,
// also while arrive runs.
func (f *Fabric) transmit(arrive func()) {
	if f.closed {
		return
	}
	if f.delay == 0 && !f.held && len(f.wire) == 0 {
		arrive()
		return
	}
	due := time.Now().Add(f.delay)
	if n := len(f.wire); n > 0 && f.wire[n-1].due.After(due) {
		due = f.wire[n-1].due
	}
	f.wire = append(f.wire, transmission{due, arrive})
	f.startTimer()
}

// startTimer starts the timer for the oldest transmission.
func (f *Fabric) startTimer() {
	if f.timer != nil || f.held || f.closed || len(f.wire) == 0 {
		return
	}
	f.timer = time.AfterFunc(time.Until(f.wire[0].due), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.timer = nil
		f.deliverDue()
	})
}

// deliverDue delivers what is due. What that sends is behind it on the wire.
func (f *Fabric) deliverDue() {
	for len(f.wire) > 0 && !f.held && !f.wire[0].due.After(time.Now()) {
		f.wire[0].arrive()
		f.wire[0] = transmission{}
		f.wire = f.wire[1:]
	}
	f.startTimer()
}

// after calls do, under the lock, when d has passed, unless the provider was closed.
func (f *Fabric) after(d time.Duration, do func()) *time.Timer {
	return time.AfterFunc(d, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.closed {
			do()
		}
	})
}

// reaches reports whether packets pass between two adapters.
func (f *Fabric) reaches(a, b *adapter) bool {
	return a.state == dat.IAUp && b.state == dat.IAUp && !f.cuts[cutKey(a.name, b.name)]
}

// passes reports whether packets pass between two endpoints.
func (f *Fabric) passes(a, b *ep) bool {
	return !a.silent && !b.silent && f.reaches(a.ia, b.ia)
}

// cutKey is the key of a pair of adapters in Fabric.cuts, whatever their order.
func cutKey(a, b string) [2]string {
	if b < a {
		a, b = b, a
	}
	return [2]string{a, b}
}
