package rdmatest

import "github.com/datapi/datapi/internal/dat"

// reportsDelivery reports whether a completed request proves that the peer took it,
// and a rejection who rejected. Over TCP (iWARP) a send completes when it is sent, a
// rejected connection is only reset, and a peer that gave up still answers for a
// while; the provider says so in its attributes.
func (w *World) reportsDelivery() bool {
	return w.facts(w.A).Provider.ProviderSpecificAttr["request_completion"] != "SENT"
}

// tellsSolicited reports whether the transport tells messages whose senders ask to wake a
// waiter from others; where it does not, every message wakes it.
func (w *World) tellsSolicited() bool {
	return w.facts(w.B).Provider.ProviderSpecificAttr["solicited_wait"] != "EVERY_MESSAGE"
}

// expectEither demands that the next event of an EVD is the first of two, or the
// second where the transport cannot tell them apart.
func (w *World) expectEither(evd dat.Handle, want, indistinct dat.EventNumber) {
	w.Helper()
	if w.reportsDelivery() {
		w.expectEvent(evd, want)
		return
	}
	got := w.nextEvent(evd)
	w.check(got.Event == want || got.Event == indistinct, "the event is %s, want %s or %s", got.Event, want, indistinct)
}
