package manager

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

// R12: of the events of an EVD that endpoints share, the notification is that of the endpoint that was asked to wake.
func TestAMessageThatIsToldAsSolicitedLaterWakesForItsOwnEndpoint(t *testing.T) {
	q := newQueue(8, true)
	for _, e := range []struct {
		endpoint dat.Handle
		kind     dat.DTOKind
	}{{"x", dat.KindRecv}, {"x", dat.KindRecv}, {"x", dat.KindSend}, {"y", dat.KindRecv}} {
		q.post(queued{ev: dat.Event{Endpoint: e.endpoint, Data: dat.EventData{Operation: &e.kind}}})
	}
	q.notifyLastReceive("x")
	q.notifyLastReceive("x")
	q.notifyLastReceive("z")
	for n, want := range []bool{false, true, false, false} {
		if q.events[n].notification != want {
			t.Errorf("event %d is a notification: %v, want %v", n, !want, want)
		}
	}
	if q.notifications != 1 {
		t.Errorf("%d notifications, want 1", q.notifications)
	}
}
