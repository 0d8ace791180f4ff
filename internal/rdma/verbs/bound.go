//go:build verbs

package verbs

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
	for _, id := range h.takeBound(wanted) {
		h.destroyID(id)
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
	id, err := h.cm.createID(h.newKey())
	if err != nil {
		return false
	}
	if id.bind(a.withPort(0), a.scope) != nil || !id.isOf(h.ctx, h.ia.port) {
		h.destroyID(id)
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bound[a] = id
	return true
}

// takeBound removes the ids of addresses that are not wanted, and returns them.
func (h *hardware) takeBound(wanted map[address]bool) []cmID {
	h.mu.Lock()
	defer h.mu.Unlock()
	var others []cmID
	for a, id := range h.bound {
		if !wanted[a] {
			others = append(others, id)
			delete(h.bound, a)
		}
	}
	return others
}
