package verbs

import (
	"cmp"
	"slices"
)

// outstanding is the work that a queue pair has not completed. Each has a token, which names it
// to the device: a key that never repeats, and in the lowest slotBits its slot, so that it is
// found without a map. The connection's lock guards it.
type outstanding struct {
	// slots have the work, nil where free names the slot.
	slots []*work
	free  []uint32
}

// slotBits is how many bits of a token are the slot: a million, of which no device allows a tenth.
const slotBits = 20

// add adds work under a key, and gives it its token.
func (o *outstanding) add(w *work, key uint64) {
	if len(o.free) == 0 {
		o.free = append(o.free, uint32(len(o.slots)))
		o.slots = append(o.slots, nil)
	}
	last := len(o.free) - 1
	slot := o.free[last]
	o.free = o.free[:last]
	w.token = key<<slotBits | uint64(slot)
	o.slots[slot] = w
}

// take removes and returns the work of a token, nil if there is none.
func (o *outstanding) take(token uint64) *work {
	slot := token & (1<<slotBits - 1)
	if slot >= uint64(len(o.slots)) {
		return nil
	}
	w := o.slots[slot]
	if w == nil || w.token != token {
		return nil
	}
	o.slots[slot] = nil
	o.free = append(o.free, uint32(slot))
	return w
}

// count returns how much work there is.
func (o *outstanding) count() int { return len(o.slots) - len(o.free) }

// takeAll removes and returns all work, in the order of its keys.
func (o *outstanding) takeAll() []*work {
	all := slices.DeleteFunc(o.slots, func(w *work) bool { return w == nil })
	slices.SortFunc(all, func(a, b *work) int { return cmp.Compare(a.token, b.token) })
	*o = outstanding{}
	return all
}
