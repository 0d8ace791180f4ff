//go:build verbs

package verbs

// cmHandler is who the events of a CM id go to. id is the new id of a request, else
// that of the event.
type cmHandler interface{ handleCM(e cmEvent, id cmID) }

// route lets the events of a key go to a handler; nil ends that.
func (h *hardware) route(key uint64, to cmHandler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if to == nil {
		delete(h.handlers, key)
		return
	}
	h.handlers[key] = to
}

// handleCMEvent takes one event of the connection manager to whom it concerns.
func (h *hardware) handleCMEvent() error {
	h.cmLock.Lock()
	e, id, err := h.cm.event()
	h.cmLock.Unlock()
	if err != nil {
		return err
	}
	if e.kind == cmDeviceRemoval {
		if h.owns(e.key) {
			h.ia.p.deviceGone(h.ia.devicePort.device)
		}
		return nil
	}
	key := e.key
	if e.kind == cmConnectRequest {
		key = e.listener
	}
	h.mu.RLock()
	handler := h.handlers[key]
	if h.closed && e.kind != cmConnectRequest {
		handler = nil // what ends because this end closes is no event of the peer's
	}
	h.mu.RUnlock()
	if handler != nil {
		handler.handleCM(e, id)
	} else if e.kind == cmConnectRequest {
		h.destroyID(id)
	}
	return nil
}
