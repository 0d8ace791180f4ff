package rdmatest

import "github.com/datapi/datapi/internal/dat"

// delivered tells whether a completed request proves that the peer took it, and a
// refusal who refused. Over TCP (iWARP) a send completes when it is sent, a rejected
// connection is only reset, and a side that gave up still answers for a while; the
// provider says so in its attributes.
func (w *World) delivered() bool {
	return w.facts(w.A).Provider.ProviderSpecificAttr["request_completion"] != "SENT"
}

// either waits for an event that is one of two: the second where the transport
// cannot tell them apart.
func (w *World) either(evd dat.Handle, want, untold dat.EventNumber) {
	w.Helper()
	if w.delivered() {
		w.expect(evd, want)
		return
	}
	if got := w.next(evd); got.Event != want && got.Event != untold {
		w.Errorf("the event is %s, want %s or %s", got.Event, want, untold)
	}
}
