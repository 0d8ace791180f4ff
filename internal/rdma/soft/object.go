package soft

import (
	"fmt"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// kind is the kind of an object; the order is that in which objects are freed,
// children before parents.
type kind uint8

const (
	kindListener kind = iota
	kindEP
	kindRMR
	kindLMR
	kindSRQ
	kindEVD
	kindPZ
	numKinds
)

// kinds has the limit of each kind, its name, and the subtype of the refusal beyond it.
var kinds = [numKinds]struct {
	limit   func(*dat.IAAttributes) int32
	name    string
	subtype dat.Subtype
}{
	kindListener: {func(*dat.IAAttributes) int32 { return 65535 }, "qualifiers", dat.SubNone},
	kindEP:       {func(t *dat.IAAttributes) int32 { return t.MaxEPs }, "max_eps", dat.SubResourceTEP},
	kindRMR:      {func(t *dat.IAAttributes) int32 { return t.MaxRMRs }, "max_rmrs", dat.SubResourceMemoryRegion},
	kindLMR:      {func(t *dat.IAAttributes) int32 { return t.MaxLMRs }, "max_lmrs", dat.SubResourceMemoryRegion},
	kindSRQ:      {func(t *dat.IAAttributes) int32 { return t.MaxSRQs }, "max_srqs", dat.SubResourceSRQ},
	kindEVD:      {func(t *dat.IAAttributes) int32 { return t.MaxEVDs }, "max_evds", dat.SubResourceTEVD},
	kindPZ:       {func(t *dat.IAAttributes) int32 { return t.MaxPZs }, "max_pzs", dat.SubResourceProtectionDomain},
}

// object is what all objects of an adapter share.
type object struct {
	ia   *adapter
	id   dat.Handle
	kind kind
	// sequence orders objects by their creation.
	sequence uint64
	// alive: neither freed nor gone with the device.
	alive bool
}

// freeable is an object of an adapter. release undoes what its creation did; the
// fabric's lock is held.
type freeable interface {
	common() *object
	release()
}

func (o *object) common() *object { return o }

// create makes f one of the adapter's objects.
func (a *adapter) create(f freeable, k kind, id dat.Handle) error {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	return a.add(f, k, id)
}

// add is create for a caller that holds the fabric's lock.
func (a *adapter) add(f freeable, k kind, id dat.Handle) error {
	if err := a.checkDevice(); err != nil {
		return err
	}
	if err := injected("soft.create"); err != nil {
		return err
	}
	if most := kinds[k].limit(&a.attributes); a.count[k] >= int(most) {
		return &dat.Error{
			Return: dat.RetInsufficientResources, Subtype: kinds[k].subtype,
			Detail: fmt.Sprintf("All %d of %s (%s) are in use; free one first.", most, a.name, kinds[k].name),
		}
	}
	a.fabric.sequence++
	*f.common() = object{ia: a, id: id, kind: k, sequence: a.fabric.sequence, alive: true}
	a.live[f] = struct{}{}
	a.count[k]++
	return nil
}

// free is Free of every object.
func (o *object) free(f freeable) {
	o.ia.fabric.mu.Lock()
	defer o.ia.fabric.mu.Unlock()
	o.retire(f)
}

// retire is free for a caller that holds the fabric's lock.
func (o *object) retire(f freeable) {
	if !o.alive {
		return
	}
	o.alive = false
	delete(o.ia.live, f)
	o.ia.count[o.kind]--
	f.release()
}

// whileAlive runs a call on the object under the fabric's lock. It refuses the call
// where the object is freed or its device is gone.
func (o *object) whileAlive(do func() error) error {
	o.ia.fabric.mu.Lock()
	defer o.ia.fabric.mu.Unlock()
	if err := o.checkAlive(); err != nil {
		return err
	}
	if err := injected("soft.call"); err != nil {
		return err
	}
	return do()
}

// checkAlive refuses a call on an object whose device is gone, or went and came back: it is
// made again by whoever is told of that.
func (o *object) checkAlive() error {
	if err := o.ia.checkDevice(); err != nil {
		return err
	}
	if !o.alive {
		return &dat.Error{
			Return: dat.RetInvalidState, Kind: "ia-gone",
			Detail: "The object went with its device, which is back, and is being made again; try again in a moment.",
		}
	}
	return nil
}

// pz implements the protection zones: the identity of one is all that it has.
type pz struct{ object }

// CreatePZ implements rdma.IA.
func (a *adapter) CreatePZ(id dat.Handle) (rdma.Object, error) {
	z := &pz{}
	if err := a.create(z, kindPZ, id); err != nil {
		return nil, err
	}
	return z, nil
}

// Free implements rdma.Object.
func (z *pz) Free() { z.free(z) }

func (z *pz) release() {}

// asPZ returns the provider's own zone, nil for null.
func asPZ(o rdma.Object) *pz {
	z, _ := o.(*pz)
	return z
}

// evd implements rdma.EVD. The Manager queues the events, so there is nothing in it.
type evd struct{ object }

// CreateEVD implements rdma.IA.
func (a *adapter) CreateEVD(id dat.Handle, _ int32, _ []dat.Stream) (rdma.EVD, error) {
	d := &evd{}
	if err := a.create(d, kindEVD, id); err != nil {
		return nil, err
	}
	return d, nil
}

// Free implements rdma.Object.
func (d *evd) Free() { d.free(d) }

func (d *evd) release() {}

// Resize implements rdma.EVD.
func (d *evd) Resize(int32) error { return d.whileAlive(func() error { return nil }) }
