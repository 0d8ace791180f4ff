//go:build verbs

package verbs

// boundID is a CM id that is bound to an address of the port, and the key that names it.
type boundID struct {
	id  cmID
	key uint64
}

// bindTo binds a CM id to each candidate that has none yet, ends those of other
// addresses, and returns the candidates that are the port's: the connection manager says
// of an id which device and port its address belongs to. The ids stay: they also tell
// when the device vanishes, even while there is no connection. Calls for one hardware
// are made one after the other.
func (h *hardware) bindTo(candidates []localAddress) []localAddress {
	var local []localAddress
	wanted := map[address]bool{}
	for _, c := range candidates {
		if !wanted[c.address] && h.bind(c.address) {
			wanted[c.address] = true
			local = append(local, c)
		}
	}
	for _, b := range h.takeBound(wanted) {
		h.destroyID(b.id)
	}
	return local
}

// bind binds an id to an address, if there is none, and reports whether the address is
// the port's.
func (h *hardware) bind(a address) bool {
	h.mu.RLock()
	_, bound := h.bound[a]
	h.mu.RUnlock()
	if bound {
		return true
	}
	key := h.newKey()
	id, err := h.cm.createID(key)
	if err != nil {
		return false
	}
	if id.bind(a.withPort(0), a.scope) != nil || !id.isOf(h.ctx, h.ia.port) {
		h.destroyID(id)
		return false
	}
	h.mu.Lock()
	closed := h.closed
	if !closed {
		h.bound[a] = boundID{id, key}
	}
	h.mu.Unlock()
	if closed {
		h.destroyID(id)
	}
	return !closed
}

// takeBound removes the ids of addresses that are not wanted, and returns them.
func (h *hardware) takeBound(wanted map[address]bool) []boundID {
	h.mu.Lock()
	defer h.mu.Unlock()
	var others []boundID
	for a, b := range h.bound {
		if !wanted[a] {
			others = append(others, b)
			delete(h.bound, a)
		}
	}
	return others
}

// owns reports whether a key names an id of this device. An address that is tried may be
// of another one.
func (h *hardware) owns(key uint64) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.handlers[key] != nil {
		return true
	}
	for _, b := range h.bound {
		if b.key == key {
			return true
		}
	}
	return false
}
