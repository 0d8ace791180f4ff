package dat

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// modifyUnconnected modifies one parameter of an endpoint that allows all of them.
func modifyUnconnected(p Param, v any) (*Endpoint, *Error) {
	return CheckEPModify(newEndpoint(EPUnconnected), 0, Values{p: v}, newFacts(), newWorld())
}

func createWith(p Param, v any) (*Endpoint, *Error) {
	return CheckEPCreate(Values{p: v}, HandleNull, newFacts(), newWorld())
}

// numbers are the parameters that are counts or sizes, with their limits in newFacts.
var numbers = map[Param]int64{
	ParamMaxMessageSize: 1 << 30, ParamMaxRDMASize: 1<<30 + 1,
	ParamMaxRecvDTOs: 16384, ParamMaxRequestDTOs: 16384,
	ParamMaxRecvIOV: 30, ParamMaxRequestIOV: 30,
	ParamMaxRDMAReadIOV: 31, ParamMaxRDMAWriteIOV: 32,
	ParamMaxRDMAReadIn: 33, ParamMaxRDMAReadOut: 34,
}

func TestD12NegativeCountsAreRefused(t *testing.T) {
	for p := range numbers {
		for _, n := range []int64{-1, -2, math.MinInt64} {
			_, err := modifyUnconnected(p, n)
			wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, p.String())
			_, err = createWith(p, n)
			wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, p.String())
		}
	}
}

func TestC11ToC16AndC19LimitsOfTheIAAreInvalidParameter(t *testing.T) {
	for p, most := range numbers {
		for n, ok := range map[int64]bool{0: true, most: true, most + 1: false, math.MaxInt64: false} {
			after, err := modifyUnconnected(p, n)
			created, createErr := createWith(p, n)
			if !ok {
				wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, p.String())
				wantRefusal(t, createErr, RetInvalidParameter, SubInvalidArg6, p.String())
				continue
			}
			wantAccepted(t, err)
			wantAccepted(t, createErr)
			if describeField(after, p) != n || describeField(created, p) != n {
				t.Errorf("%s is %v and %v after %d was asked for", p, describeField(after, p), describeField(created, p), n)
			}
		}
	}
}

func TestRefusalsSayWhatTheLimitIsAndWhose(t *testing.T) {
	_, err := modifyUnconnected(ParamMaxRecvDTOs, int64(20000))
	want := "max_recv_dtos is 20000; soft0@alpha allows 0 to 16384 (its max_dto_per_ep)"
	if err.Detail != want {
		t.Errorf("got %q, want %q", err.Detail, want)
	}
}

func TestNullIsRefusedForNumbersAndWords(t *testing.T) {
	for p := range numParams {
		nullable := []ValueKind{ValueOther, ValueHandle, ValueWatermark}
		if slices.Contains(nullable, params[p].kind) {
			continue
		}
		_, err := modifyUnconnected(p, nil)
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, p.String())
		_, err = createWith(p, nil)
		wantAccepted(t, err)
	}
}

func TestD13RequestCompletionFlagsAreUnsignalledOrThreshold(t *testing.T) {
	for word, stored := range map[string]CompletionFlag{
		"UNSIGNALLED": CompletionUnsignalled, "EVD_THRESHOLD": CompletionEVDThreshold, "DEFAULT": CompletionEVDThreshold,
	} {
		after, err := modifyUnconnected(ParamRequestCompletionFlags, word)
		wantAccepted(t, err)
		if after.Attributes.RequestCompletionFlags != stored {
			t.Errorf("%s is stored as %s", word, after.Attributes.RequestCompletionFlags)
		}
	}
	for _, word := range []string{"SOLICITED_WAIT", "SUPPRESS", "BARRIER_FENCE", "", "unsignalled"} {
		_, err := modifyUnconnected(ParamRequestCompletionFlags, word)
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "attributes.request_completion_flags")
		_, err = createWith(ParamRequestCompletionFlags, word)
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, "attributes.request_completion_flags")
	}
}

func TestD14UnsignalledReceivesAreAllowed(t *testing.T) { // A9, A10, A12
	for word, stored := range map[string]CompletionFlag{
		"UNSIGNALLED": CompletionUnsignalled, "SOLICITED_WAIT": CompletionSolicitedWait,
		"EVD_THRESHOLD": CompletionEVDThreshold, "DEFAULT": CompletionEVDThreshold,
	} {
		created, err := createWith(ParamRecvCompletionFlags, word)
		wantAccepted(t, err)
		if created.Attributes.RecvCompletionFlags != stored {
			t.Errorf("%s is stored as %s", word, created.Attributes.RecvCompletionFlags)
		}
	}
	for _, word := range []string{"SUPPRESS", "BARRIER_FENCE"} {
		_, err := createWith(ParamRecvCompletionFlags, word)
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, "attributes.recv_completion_flags")
	}
}

func TestD4PassiveConnectionPendingLetsTheSetupGroupBeModified(t *testing.T) {
	_, err := CheckEPModify(newEndpoint(EPPassiveConnectionPending), 0, Values{ParamRecvEVD: Handle("evd1"), ParamMaxRecvDTOs: int64(3)}, newFacts(), newWorld())
	wantAccepted(t, err)
}

func TestD5SizesQOSReadsAndNamedAttributesAreStored(t *testing.T) {
	v := Values{
		ParamMaxRDMASize: int64(4096), ParamQOS: "LOW_LATENCY", ParamMaxRDMAReadIn: int64(1), ParamMaxRDMAReadOut: int64(2),
		ParamEPTransportSpecific: map[string]*string{"tos": ptr("32")}, ParamEPProviderSpecific: map[string]*string{"max_inline_data": ptr("64")},
	}
	after, err := CheckEPModify(newEndpoint(EPUnconnected), 0, v, newFacts(), newWorld())
	wantAccepted(t, err)
	a := after.Attributes
	if a.MaxRDMASize != 4096 || a.QOS != QOSLowLatency || a.MaxRDMAReadIn != 1 || a.MaxRDMAReadOut != 2 ||
		a.EPTransportSpecific["tos"] != "32" || a.EPProviderSpecific["max_inline_data"] != "64" {
		t.Errorf("something was dropped: %+v", a)
	}
}

func TestD6ReadsAndIOVMaximaNeedASetupState(t *testing.T) {
	for _, p := range []Param{ParamMaxRDMAReadIn, ParamMaxRDMAReadOut, ParamMaxRDMAReadIOV, ParamMaxRDMAWriteIOV} {
		_, err := CheckEPModify(newEndpoint(EPDisconnected), 0, Values{p: int64(1)}, newFacts(), newWorld())
		wantRefusal(t, err, RetInvalidState, SubInvalidStateEPDisconnected, p.String())
	}
}

func TestD8ModifyReadsNothingButItsMask(t *testing.T) {
	e := newEndpoint(EPUnconnected) // its EVDs are null, its counts are not
	_, err := CheckEPModify(e, 0, Values{ParamMaxRecvDTOs: int64(5)}, newFacts(), newWorld())
	wantAccepted(t, err)
}

func TestD9EVDsNeedTheStreamOfTheirUse(t *testing.T) {
	wrong := map[Param]Handle{ParamRecvEVD: "evd-conn", ParamRequestEVD: "evd-conn", ParamConnectEVD: "evd-dto"}
	subtypes := map[Param]Subtype{
		ParamRecvEVD: SubInvalidHandleEVDRecv, ParamRequestEVD: SubInvalidHandleEVDRequest, ParamConnectEVD: SubInvalidHandleEVDConn,
	}
	for p, h := range wrong {
		_, err := modifyUnconnected(p, h)
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, p.String())
		_, err = createWith(p, h)
		wantRefusal(t, err, RetInvalidHandle, subtypes[p], p.String())
		if !strings.Contains(err.Detail, params[p].stream.String()) {
			t.Errorf("the detail does not name the stream that is needed: %s", err.Detail)
		}
	}
}

func TestD33AndA16HandlesOfAnotherIAOrFreedOnesAreRefused(t *testing.T) {
	for p, handles := range map[Param][]Handle{
		ParamPZ: {"pz-foreign", "freed"}, ParamRecvEVD: {"evd-foreign", "freed"},
		ParamRequestEVD: {"evd-foreign", "freed"}, ParamConnectEVD: {"evd-foreign", "freed"},
	} {
		for _, h := range handles {
			_, err := modifyUnconnected(p, h)
			wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, p.String())
			_, err = createWith(p, h)
			wantRefusal(t, err, RetInvalidHandle, params[p].subtype, p.String())
		}
	}
}

func TestC10AQOSThatTheProviderLacksHasAReturnPerCall(t *testing.T) {
	_, err := createWith(ParamQOS, "PREMIUM")
	wantRefusal(t, err, RetModelNotSupported, SubNone, "attributes.qos")
	_, err = modifyUnconnected(ParamQOS, "PREMIUM")
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "attributes.qos")
	_, err = createWith(ParamQOS, "GOLD")
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, "attributes.qos")
}

func TestC7ServiceTypeIsRC(t *testing.T) {
	_, err := createWith(ParamServiceType, "UD")
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, "attributes.service_type")
}

func TestA15NamedAttributesMergeByName(t *testing.T) {
	e := newEndpoint(EPUnconnected)
	e.Attributes.EPTransportSpecific = map[string]string{"tos": "8", "retry_count": "7"}
	v := Values{ParamEPTransportSpecific: map[string]*string{"tos": nil, "ack_timeout": ptr("31")}}
	after, err := CheckEPModify(e, 0, v, newFacts(), newWorld())
	wantAccepted(t, err)
	if want := map[string]string{"retry_count": "7", "ack_timeout": "31"}; !maps.Equal(after.Attributes.EPTransportSpecific, want) {
		t.Errorf("got %v, want %v", after.Attributes.EPTransportSpecific, want)
	}
	if len(e.Attributes.EPTransportSpecific) != 2 {
		t.Error("the endpoint itself was changed")
	}
}

func TestA15UnknownNamesAndBadValuesAreRefused(t *testing.T) {
	good := map[string][]string{"retry_count": {"0", "7"}, "rnr_retry_count": {"0", "6"}, "ack_timeout": {"0", "31"}, "tos": {"0", "255"}}
	bad := map[string][]string{
		"retry_count": {"8", "-1"}, "rnr_retry_count": {"7"}, "ack_timeout": {"32"}, "tos": {"256", "07", " 7", "+7", "7.0", "", "x"}, "colour": {"1"},
	}
	for name, values := range good {
		for _, s := range values {
			_, err := modifyUnconnected(ParamEPTransportSpecific, map[string]*string{name: &s})
			wantAccepted(t, err)
		}
	}
	for name, values := range bad {
		for _, s := range values {
			_, err := modifyUnconnected(ParamEPTransportSpecific, map[string]*string{name: &s})
			wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "attributes.ep_transport_specific")
		}
	}
	_, err := modifyUnconnected(ParamEPProviderSpecific, map[string]*string{"colour": nil})
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "attributes.ep_provider_specific")
	wantAccepted(t, second(modifyUnconnected(ParamEPTransportSpecific, map[string]*string{})))
}

func second(_ *Endpoint, err *Error) *Error { return err }
