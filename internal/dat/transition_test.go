package dat

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryStateAndInputHasANextStateOrANamedRefusal(t *testing.T) {
	for s := range EPState(numStates) {
		for in := range numInputs {
			v := Judge(s, in)
			if v.Kind == Undecided || v.Rule == "" {
				t.Errorf("%s × %s is a hole in the table", s, in.Word())
			}
			if v.Kind == Refuse && (v.Return != RetInvalidState || !in.Operation()) {
				t.Errorf("%s × %s refuses with %s; operations refuse with DAT_INVALID_STATE, events never", s, in.Word(), v.Return)
			}
			if v.Kind == Ignore && in.Operation() {
				t.Errorf("%s × %s ignores a caller", s, in.Word())
			}
			if v.Kind == Move && (!v.Next.Occurs() || v.Next == s) {
				t.Errorf("%s × %s moves to %s", s, in.Word(), v.Next)
			}
			if v.Kind != Move && (v.Next != s || v.Event != EventNone) {
				t.Errorf("%s × %s is %s but gives %s and %s", s, in.Word(), v.Kind, v.Next, v.Event)
			}
		}
	}
}

func TestA6StatesThatNeverOccurAreJudgedAsTheirSiblings(t *testing.T) {
	pairs := map[EPState]EPState{
		EPUnconfiguredUnconnected: EPUnconnected,
		EPUnconfiguredReserved:    EPReserved,
		EPUnconfiguredPassive:     EPPassiveConnectionPending,
		EPUnconfiguredTentative:   EPTentativeConnectionPending,
		EPConnectedSinglePath:     EPConnected,
		EPConnectedMultiPath:      EPConnected,
	}
	for s, sibling := range pairs {
		if s.Occurs() {
			t.Errorf("%s occurs", s)
		}
		for in := range numInputs {
			a, b := Judge(s, in), Judge(sibling, in)
			if a.Kind != b.Kind || a.Event != b.Event || a.Rule != b.Rule || a.Return != b.Return {
				t.Errorf("%s × %s is %+v, its sibling %+v", s, in.Word(), a, b)
			}
		}
		for p := range numParams {
			if p.ModifiableIn(s) != p.ModifiableIn(sibling) {
				t.Errorf("%s is modifiable in one of %s and %s", p, s, sibling)
			}
		}
	}
	if n := len(occurring()); n != 9 {
		t.Errorf("%d states occur, want nine", n)
	}
}

func TestNoStateIsATrap(t *testing.T) {
	for _, s := range occurring() {
		free := slices.ContainsFunc([]Input{OpFree, OpFreeRSP, OpReject, OpDisconnectAbrupt}, func(in Input) bool {
			k := Judge(s, in).Kind
			return k == Move || k == End
		})
		if !free {
			t.Errorf("nothing that a caller does leads out of %s", s)
		}
	}
}

func TestD17GracefulDisconnectInDisconnectPendingHasNoEffect(t *testing.T) {
	if v := Judge(EPDisconnectPending, OpDisconnectGraceful); v.Kind != NoEffect || v.Return != RetSuccess || v.Event != EventNone {
		t.Errorf("T31 gives %+v", v)
	}
}

func TestD18AndD40AcceptThatFailsIsAnAcceptCompletionError(t *testing.T) {
	for _, in := range []Input{EvAcceptFailed, EvUnreachable, EvNonPeerRejected, EvPeerRejected, EvDisconnected, EvBroken, EvEPError} {
		v := Judge(EPCompletionPending, in)
		if v.Kind != Move || v.Next != EPDisconnected || v.Event != EventAcceptCompletionError {
			t.Errorf("T15 on %s gives %+v", in.Word(), v)
		}
	}
}

func TestD20TheConsumersTimerActsInActiveConnectionPendingOnly(t *testing.T) {
	for _, s := range occurring() {
		v := Judge(s, EvTimedOut)
		if active := s == EPActiveConnectionPending; active != (v.Kind == Move) || active != (v.Event == EventTimedOut) {
			t.Errorf("T25 in %s gives %+v", s, v)
		}
	}
}

func TestD19AndT24UnreachableEndsInDisconnected(t *testing.T) {
	if v := Judge(EPActiveConnectionPending, EvUnreachable); v.Next != EPDisconnected || v.Event != EventUnreachable {
		t.Errorf("T24 gives %+v", v)
	}
}

func TestD35AndD42InvalidStateNamesTheRealState(t *testing.T) {
	seen := map[Subtype]EPState{}
	for s := range EPState(numStates) {
		sub := stateSubtypes[s]
		if s == EPConnectedSinglePath || s == EPConnectedMultiPath {
			continue // DAT has no subtype for them
		}
		if other, twice := seen[sub]; sub == SubNone || twice {
			t.Errorf("%s has subtype %s like %s", s, sub, other)
		}
		seen[sub] = s
		if err := Judge(s, OpPostSend).Err(s, OpPostSend); err != nil && (err.Subtype != sub || err.State == nil || *err.State != s) {
			t.Errorf("post_send in %s is refused with %s", s, err.Subtype)
		}
	}
}

func TestRefusalsNameTheStatesThatWouldAllowTheCall(t *testing.T) {
	err := Judge(EPConnected, OpConnect).Err(EPConnected, OpConnect)
	wantRefusal(t, err, RetInvalidState, SubInvalidStateEPConnected, "")
	for _, word := range []string{"dat_ep_connect", "CONNECTED", "possible in UNCONNECTED", "T21"} {
		if !strings.Contains(err.Detail, word) {
			t.Errorf("the detail lacks %q: %s", word, err.Detail)
		}
	}
	if err := Judge(EPUnconnected, OpConnect).Err(EPUnconnected, OpConnect); err != nil {
		t.Errorf("an allowed call is refused: %v", err)
	}
}

// TestT48 also says what becomes of endpoints whose request ends with the device.
func TestT48TheDeviceGoesAndConnectionsBreak(t *testing.T) {
	want := map[EPState]cell{
		EPActiveConnectionPending:    disconnects(EventBroken, "T48"),
		EPCompletionPending:          disconnects(EventBroken, "T48"),
		EPConnected:                  disconnects(EventBroken, "T48"),
		EPDisconnectPending:          disconnects(EventBroken, "T48"),
		EPPassiveConnectionPending:   moves(EPUnconnected, "T48, T17"),
		EPTentativeConnectionPending: ends("T48, T18"),
		EPUnconnected:                stays("T48"),
		EPReserved:                   stays("T48"),
		EPDisconnected:               stays("T48"),
	}
	for _, s := range occurring() {
		if got := transitions[s][EvDeviceGone]; got != want[s] {
			t.Errorf("%s: %+v, want %+v", s, got, want[s])
		}
	}
}

func TestNullPZIsNotReady(t *testing.T) {
	e := newEndpoint(EPConnected)
	e.PZ = HandleNull
	for _, in := range []Input{OpConnect, OpDupConnect, OpAccept, OpAcceptOwn, OpPostRecv, OpPostSend, OpPostRDMAWrite, OpPostRDMARead, OpBindRMR} {
		wantRefusal(t, Ready(e, in), RetInvalidState, SubInvalidStateEPNotready, "pz")
	}
	for _, in := range []Input{OpModify, OpSetWatermark, OpQuery, OpGetStatus, OpFree, OpReset, OpCreateRSP, OpDisconnectAbrupt} {
		wantAccepted(t, Ready(e, in))
	}
}

func TestReceivesOfAnSRQEndpointGoToTheSRQ(t *testing.T) {
	e := newEndpoint(EPUnconnected)
	e.SRQ = "srq1"
	wantRefusal(t, Ready(e, OpPostRecv), RetInvalidState, SubInvalidStateSRQInUse, "srq")
	wantAccepted(t, Ready(e, OpPostSend))
}

func TestD44ANullConnectEVDIsReadyAndTheStateComesFirst(t *testing.T) {
	e := newEndpoint(EPUnconnected)
	wantAccepted(t, Ready(e, OpConnect))
	if !slices.Contains(Operations(e), "connect") {
		t.Error("connect is missing for an endpoint without connect EVD (W23)")
	}
}

func TestOperationsAreThoseOfTheAPIInItsOrder(t *testing.T) {
	want := "modify set_watermark connect dup_connect accept create_rsp reset free post_recv"
	if got := strings.Join(Operations(newEndpoint(EPUnconnected)), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, op := range operations {
		for _, in := range op.inputs {
			if !in.Operation() {
				t.Errorf("%s stands for the event %s", op.word, in.Word())
			}
		}
	}
}
