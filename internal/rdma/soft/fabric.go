package soft

import (
	"net/netip"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// Fabric is the wires and the memory between the adapters of one Provider. Its
// methods are the faults that a test or a demonstration can cause.
//
// All methods may be called from several goroutines.
type Fabric struct {
	mu       sync.Mutex
	provider *Provider
	closed   bool
	adapters []*adapter
	byAddr   map[netip.Addr]*adapter
	// cuts are the pairs of adapters, in order of name, that cannot reach each other.
	cuts map[[2]string]bool

	// wire is what is on its way, oldest first; empty on a fast fabric.
	wire  []parcel
	timer *time.Timer
	delay time.Duration
	held  bool

	// shared is the memory of MemSharedVirtual by its id.
	shared              map[string]*block
	memory, memoryLimit int64
	nextAddress         uint64

	limits           []func(*dat.IAAttributes)
	backlog          int
	rnrTime, ackTime time.Duration
	lastQP           uint32
	sequence         uint64
}

// parcel is something that happens at the other end of a wire.
type parcel struct {
	due time.Time
	do  func()
}

// deliver lets do happen at the other end: at once on a fast fabric, else
// after the delay and everything sent before. The lock is held, also by do.
func (f *Fabric) deliver(do func()) {
	if f.closed {
		return
	}
	if f.delay == 0 && !f.held && len(f.wire) == 0 {
		do()
		return
	}
	due := time.Now().Add(f.delay)
	if n := len(f.wire); n > 0 && f.wire[n-1].due.After(due) {
		due = f.wire[n-1].due
	}
	f.wire = append(f.wire, parcel{due, do})
	f.arm()
}

// arm sets the timer for the oldest parcel.
func (f *Fabric) arm() {
	if f.timer != nil || f.held || f.closed || len(f.wire) == 0 {
		return
	}
	f.timer = time.AfterFunc(time.Until(f.wire[0].due), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.timer = nil
		f.carry()
	})
}

// carry delivers what is due. What a delivery sends is behind it in the queue.
func (f *Fabric) carry() {
	for len(f.wire) > 0 && !f.held && !f.wire[0].due.After(time.Now()) {
		do := f.wire[0].do
		do()
		f.wire[0] = parcel{}
		f.wire = f.wire[1:]
	}
	f.arm()
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

// reaches tells whether packets pass between two adapters.
func (f *Fabric) reaches(a, b *adapter) bool {
	return a.state == dat.IAUp && b.state == dat.IAUp && !f.cuts[pair(a.name, b.name)]
}

// passes tells whether packets pass between two endpoints.
func (f *Fabric) passes(a, b *ep) bool {
	return !a.silent && !b.silent && f.reaches(a.ia, b.ia)
}

func pair(a, b string) [2]string {
	if b < a {
		a, b = b, a
	}
	return [2]string{a, b}
}
