package dat

import (
	"errors"
	"strings"
	"testing"
)

// The rules on states said once more as sentences: in these states this input
// leads there and reports that. "=" keeps the state, "." has no effect, "x" is
// the end, "!" is DAT_INVALID_STATE; what no sentence mentions is "!" for an
// operation and nothing (T50) for an event.
const stateRules = `
T2  free                 ACTIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION UNCONNECTED -> x
T3  free                 RESERVED PASSIVE TENTATIVE -> !
T4  create_rsp           UNCONNECTED -> RESERVED
T5  create_rsp           RESERVED PASSIVE ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> !
T6  free_rsp             RESERVED -> UNCONNECTED
T7  free_rsp             PASSIVE UNCONNECTED ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> .
T8  request              RESERVED -> PASSIVE DAT_CONNECTION_REQUEST_EVENT
T12 accept_own           PASSIVE TENTATIVE -> COMPLETION
T13 accept               UNCONNECTED -> COMPLETION
T14 established          COMPLETION -> CONNECTED DAT_CONNECTION_EVENT_ESTABLISHED
T15 accept_failed        COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR
T15 peer_rejected        COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR
T15 non_peer_rejected    COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR
T15 unreachable          COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR
T15 disconnected         COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR
T15 broken               COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR
T15 ep_error             COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR
T17 reject               PASSIVE -> UNCONNECTED
T18 reject               TENTATIVE -> x
T19 handoff              PASSIVE -> UNCONNECTED
T19 handoff              TENTATIVE -> x
T20 connect              UNCONNECTED -> ACTIVE
T20 dup_connect          UNCONNECTED -> ACTIVE
T22 established          ACTIVE -> CONNECTED DAT_CONNECTION_EVENT_ESTABLISHED
T23 peer_rejected        ACTIVE -> DISCONNECTED DAT_CONNECTION_EVENT_PEER_REJECTED
T24 unreachable          ACTIVE -> DISCONNECTED DAT_CONNECTION_EVENT_UNREACHABLE
T25 timed_out            ACTIVE -> DISCONNECTED DAT_CONNECTION_EVENT_TIMED_OUT
T26 non_peer_rejected    ACTIVE -> DISCONNECTED DAT_CONNECTION_EVENT_NON_PEER_REJECTED
T26 disconnected         ACTIVE -> DISCONNECTED DAT_CONNECTION_EVENT_NON_PEER_REJECTED
T26 broken               ACTIVE -> DISCONNECTED DAT_CONNECTION_EVENT_NON_PEER_REJECTED
T26 ep_error             ACTIVE -> DISCONNECTED DAT_CONNECTION_EVENT_NON_PEER_REJECTED
T28 disconnect_graceful  CONNECTED -> DISCONNECT_PENDING
T28 drained              DISCONNECT_PENDING -> DISCONNECTED DAT_CONNECTION_EVENT_DISCONNECTED
T29 disconnect_abrupt    CONNECTED -> DISCONNECTED DAT_CONNECTION_EVENT_DISCONNECTED
T30 disconnect_abrupt    DISCONNECT_PENDING -> DISCONNECTED DAT_CONNECTION_EVENT_DISCONNECTED
T31 disconnect_graceful  DISCONNECT_PENDING -> .
T32 disconnect_abrupt    ACTIVE COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_DISCONNECTED
T32 disconnect_graceful  ACTIVE COMPLETION -> DISCONNECTED DAT_CONNECTION_EVENT_DISCONNECTED
T33 disconnect_abrupt    DISCONNECTED -> .
T33 disconnect_graceful  DISCONNECTED -> .
T34 disconnect_abrupt    UNCONNECTED RESERVED PASSIVE TENTATIVE -> !
T34 disconnect_graceful  UNCONNECTED RESERVED PASSIVE TENTATIVE -> !
T36 disconnected         CONNECTED DISCONNECT_PENDING -> DISCONNECTED DAT_CONNECTION_EVENT_DISCONNECTED
T37 broken               CONNECTED DISCONNECT_PENDING -> DISCONNECTED DAT_CONNECTION_EVENT_BROKEN
W7  hard_watermark       CONNECTED DISCONNECT_PENDING -> DISCONNECTED DAT_CONNECTION_EVENT_BROKEN
T38 ep_error             CONNECTED DISCONNECT_PENDING -> DISCONNECTED DAT_ASYNC_ERROR_EP_BROKEN
T39 reset                DISCONNECTED -> UNCONNECTED
T40 reset                UNCONNECTED -> .
T46 request_gone         PASSIVE TENTATIVE -> =
T48 device_gone          ACTIVE COMPLETION CONNECTED DISCONNECT_PENDING -> DISCONNECTED DAT_CONNECTION_EVENT_BROKEN
T48 device_gone          UNCONNECTED RESERVED DISCONNECTED -> =
T48 device_gone          PASSIVE -> UNCONNECTED
T48 device_gone          TENTATIVE -> x
T49 device_back          UNCONNECTED RESERVED PASSIVE ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> =
T42 modify               UNCONNECTED RESERVED PASSIVE ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> =
W3  set_watermark        UNCONNECTED RESERVED PASSIVE ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> =
--  query                UNCONNECTED RESERVED PASSIVE ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> =
S1  get_status           UNCONNECTED RESERVED PASSIVE ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> =
--  recv_query           UNCONNECTED RESERVED PASSIVE ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> =
--  post_recv            UNCONNECTED RESERVED PASSIVE ACTIVE TENTATIVE CONNECTED DISCONNECT_PENDING DISCONNECTED COMPLETION -> =
--  post_send            CONNECTED DISCONNECTED -> =
--  post_rdma_write      CONNECTED DISCONNECTED -> =
--  post_rdma_read       CONNECTED DISCONNECTED -> =
--  bind_rmr             CONNECTED DISCONNECTED -> =
`

// fullState writes out the short names of the sentences above.
var fullState = strings.NewReplacer(
	"ACTIVE", "ACTIVE_CONNECTION_PENDING", "PASSIVE", "PASSIVE_CONNECTION_PENDING",
	"TENTATIVE", "TENTATIVE_CONNECTION_PENDING", "COMPLETION", "COMPLETION_PENDING",
)

// outcome is a verdict in the notation of the sentences.
func outcome(v Verdict) string {
	word := map[VerdictKind]string{Move: v.Next.String(), Stay: "=", NoEffect: ".", End: "x", Refuse: "!", Ignore: ""}[v.Kind]
	return strings.TrimSpace(word + " " + v.Event.String())
}

func TestTheTransitionTableIsTheRulesT1ToT50(t *testing.T) {
	said := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(stateRules)) {
		from, next, _ := strings.Cut(line, "->")
		words := strings.Fields(from)
		next, event, _ := strings.Cut(strings.TrimSpace(next), " ")
		for _, s := range words[2:] {
			key := fullState.Replace(s) + " " + words[1]
			if _, twice := said[key]; twice {
				t.Fatalf("two rules speak of %s", key)
			}
			said[key] = strings.TrimSpace(fullState.Replace(next) + " " + event)
		}
	}
	for _, s := range occurring() {
		for in := range numInputs {
			key := s.String() + " " + in.Word()
			want, ok := said[key]
			if !ok && in.Operation() {
				want = "!"
			}
			if got := outcome(Judge(s, in)); got != want {
				t.Errorf("%s: the table says %q, the rules %q", key, got, want)
			}
			delete(said, key)
		}
	}
	for key := range said {
		t.Errorf("a rule speaks of %s, which is no state and input", key)
	}
}

func TestD11EveryRefusalCarriesItsReturn(t *testing.T) {
	for s := range EPState(numStates) {
		for in := range numInputs {
			if err := Judge(s, in).Err(s, in); err != nil && err.Return == RetSuccess {
				t.Errorf("%s × %s is refused with DAT_SUCCESS", s, in.Word())
			}
		}
	}
}

func TestErrorsReadAsOneLine(t *testing.T) {
	err := refuse(RetInvalidParameter, SubInvalidArg3, "pz", "no such %s", "zone")
	err.Cause = refuse(RetInternalError, SubNone, "", "below")
	want := "DAT_INVALID_PARAMETER/DAT_INVALID_ARG3 pz: no such zone: DAT_INTERNAL_ERROR: below"
	if err.Error() != want || !errors.Is(err, err.Cause) {
		t.Errorf("got %q, want %q", err.Error(), want)
	}
}
