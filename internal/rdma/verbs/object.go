//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// rank orders objects so that children are freed before parents.
type rank uint8

const (
	rankListener rank = iota
	rankRequest
	rankEP
	rankWindow
	rankRegion
	rankSRQ
	rankEVD
	rankPZ
)

// object is what all objects of an open device share: they are freed once.
type object struct {
	hw   *hardware
	id   dat.Handle
	rank rank
	once sync.Once
}

// add makes o one of the objects of the device, which release frees. It refuses
// where the device is no longer open.
func (h *hardware) add(o *object, id dat.Handle, r rank, release func()) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return h.ia.errGone()
	}
	o.hw, o.id, o.rank = h, id, r
	h.live[o] = release
	return nil
}

// free releases the object once; later calls wait for the first.
func (o *object) free() {
	o.once.Do(func() {
		o.hw.mu.Lock()
		release := o.hw.live[o]
		delete(o.hw.live, o)
		o.hw.tasks.Add(1) // close waits for it
		o.hw.mu.Unlock()
		defer o.hw.tasks.Done()
		release()
	})
}

// zoneOf returns the provider's own zone. It refuses one of another device, or of
// this device before it vanished and came back.
func (h *hardware) zoneOf(o rdma.Object) (*pz, error) {
	z, ok := o.(*pz)
	if !ok || z == nil || z.hw != h {
		return nil, errStale("protection zone")
	}
	return z, nil
}

// errStale is the refusal of an object that went with its device, which is back: it is made
// again by whoever is told of that.
func errStale(what string) error {
	return &dat.Error{
		Return: dat.RetInvalidState, Kind: "ia-gone",
		Detail: "The " + what + " went with its device, which is back, and is being made again; try again in a moment.",
	}
}

// heldPart is a part of the device that queue pairs use: a PD, a CQ or an SRQ. The device
// destroys none that is in use, and a queue pair can outlive its endpoint while the kernel
// waits for a peer that does not answer. So a part is destroyed when it was freed and
// nothing holds it any more.
type heldPart struct {
	mu      sync.Mutex
	holders int
	freed   bool
	destroy func()
}

// hold keeps the part until drop.
func (p *heldPart) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holders++
}

// drop ends a hold; it destroys the part where that was freed and this was the last hold.
func (p *heldPart) drop() {
	p.mu.Lock()
	p.holders--
	last := p.freed && p.holders == 0
	p.mu.Unlock()
	if last {
		p.destroy()
	}
}

// freePart destroys the part, or leaves that to the last drop. It is called once.
func (p *heldPart) freePart() {
	p.mu.Lock()
	p.freed = true
	unheld := p.holders == 0
	p.mu.Unlock()
	if unheld {
		p.destroy()
	}
}
