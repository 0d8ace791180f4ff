package dat

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The states as section 2.1 of the rules writes them, said again here so that
// the table is held against something that was not made from it.
const (
	statesNever = ""
	statesPZ    = "UNCONNECTED TENTATIVE_CONNECTION_PENDING"
	statesSetup = "UNCONNECTED RESERVED PASSIVE_CONNECTION_PENDING TENTATIVE_CONNECTION_PENDING"
	statesQuiet = "UNCONNECTED"
)

// pageSays is what dat_ep_modify says of each parameter.
var pageSays = map[string]string{
	"ia": statesNever, "state": statesNever, "comm": statesNever, "srq": statesNever,
	"local_ia_address": statesNever, "local_port_qual": statesNever,
	"remote_ia_address": statesNever, "remote_port_qual": statesNever,
	"pz":       statesPZ,
	"recv_evd": statesSetup, "request_evd": statesSetup, "connect_evd": statesSetup,
	"attributes.service_type": statesSetup, "attributes.max_message_size": statesSetup,
	"attributes.max_rdma_size": statesSetup, "attributes.qos": statesSetup,
	"attributes.recv_completion_flags": statesSetup, "attributes.request_completion_flags": statesSetup,
	"attributes.max_recv_dtos": statesSetup, "attributes.max_request_dtos": statesSetup,
	"attributes.max_recv_iov": statesSetup, "attributes.max_request_iov": statesSetup,
	"attributes.max_rdma_read_in": statesSetup, "attributes.max_rdma_read_out": statesSetup,
	"attributes.srq_soft_hw":       statesNever,
	"attributes.max_rdma_read_iov": statesSetup, "attributes.max_rdma_write_iov": statesSetup,
	"attributes.ep_transport_specific": statesQuiet, "attributes.ep_provider_specific": statesQuiet,
}

// goodValue is one that every state that allows the parameter accepts.
func goodValue(p Param) any {
	switch p {
	case ParamPZ:
		return Handle("pz2")
	case ParamRecvEVD, ParamRequestEVD, ParamConnectEVD:
		return Handle("evd2")
	case ParamServiceType:
		return "RC"
	case ParamQOS:
		return "LOW_LATENCY"
	case ParamRecvCompletionFlags, ParamRequestCompletionFlags:
		return "EVD_THRESHOLD"
	case ParamEPTransportSpecific:
		return map[string]*string{"tos": ptr("32")}
	case ParamEPProviderSpecific:
		return map[string]*string{"max_inline_data": ptr("64")}
	default:
		return int64(7)
	}
}

func allowedByPage(p Param, s EPState) bool {
	return slices.Contains(strings.Fields(pageSays[p.String()]), s.String())
}

func TestModifyAgreesWithThePageForEveryStateAndParameter(t *testing.T) {
	if len(pageSays) != int(numParams) {
		t.Fatalf("the table has %d parameters, the page %d", numParams, len(pageSays))
	}
	for _, s := range occurring() {
		for p := range numParams {
			_, err := CheckEPModify(newEndpoint(s), 0, Values{p: goodValue(p)}, newFacts(), newWorld())
			switch {
			case pageSays[p.String()] == statesNever:
				wantRefusal(t, err, RetInvalidParameter, SubInvalidArg2, p.String())
			case !allowedByPage(p, s):
				wantRefusal(t, err, RetInvalidState, stateSubtypes[s], p.String())
			case err != nil:
				t.Errorf("%s in %s was refused: %v", p, s, err)
			}
		}
	}
}

func TestModifiableListsWhatModifyWouldAccept(t *testing.T) {
	for _, s := range occurring() {
		for _, posted := range []int{0, 3} {
			listed := Modifiable(newEndpoint(s), posted == 0)
			for p := range numParams {
				_, err := CheckEPModify(newEndpoint(s), posted, Values{p: goodValue(p)}, newFacts(), newWorld())
				if got := slices.Contains(listed, p.String()); got != (err == nil) {
					t.Errorf("%s in %s with %d posted: listed %v, but judged %v", p, s, posted, got, err)
				}
			}
		}
	}
}

func TestM2AnEmptyMaskSucceedsInEveryState(t *testing.T) {
	for _, s := range occurring() {
		e := newEndpoint(s)
		after, err := CheckEPModify(e, 5, Values{}, newFacts(), newWorld())
		wantAccepted(t, err)
		if after == nil || after == e || after.State != s {
			t.Errorf("%s: an empty mask gives %v", s, after)
		}
	}
}

func TestM3AndD7UnknownParametersAreRefusedFirst(t *testing.T) {
	v := Values{numParams + 3: 1, ParamIA: ourIA, ParamMaxRecvDTOs: int64(-1)}
	_, err := CheckEPModify(newEndpoint(EPConnected), 0, v, newFacts(), newWorld())
	if err == nil || err.Return != RetInvalidParameter || err.Subtype != SubInvalidArg2 {
		t.Errorf("refused with %v", err)
	}
	wantRefusal(t, UnknownParam("colour"), RetInvalidParameter, SubInvalidArg2, "colour")
}

func TestD7SRQSoftHWAndCommAreRefusedNotIgnored(t *testing.T) {
	for _, p := range []Param{ParamSRQ, ParamSRQSoftHW, ParamComm} {
		_, err := CheckEPModify(newEndpoint(EPUnconnected), 0, Values{p: nil}, newFacts(), newWorld())
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg2, p.String())
	}
}

func TestM4OneBadValueChangesNothing(t *testing.T) {
	e := newEndpoint(EPUnconnected)
	e.Attributes.EPTransportSpecific["tos"] = "8"
	before := e.Copy()
	v := Values{
		ParamPZ: Handle("pz2"), ParamMaxMessageSize: int64(1), ParamMaxRDMAWriteIOV: int64(-1),
		ParamEPTransportSpecific: map[string]*string{"tos": nil, "retry_count": ptr("3")},
	}
	after, err := CheckEPModify(e, 0, v, newFacts(), newWorld())
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "attributes.max_rdma_write_iov")
	if after != nil || !equalEndpoints(e, before) {
		t.Errorf("a refused call changed the endpoint or gave one: %+v", after)
	}
}

func TestM5NeverComesBeforeStateAndStateBeforeValues(t *testing.T) {
	world, facts := newWorld(), newFacts()
	_, err := CheckEPModify(newEndpoint(EPConnected), 0, Values{ParamPZ: Handle("pz2"), ParamSRQ: Handle("x")}, facts, world)
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg2, "srq")
	_, err = CheckEPModify(newEndpoint(EPReserved), 0, Values{ParamMaxRecvDTOs: int64(-1), ParamPZ: Handle("pz2")}, facts, world)
	wantRefusal(t, err, RetInvalidState, SubInvalidStateEPReserved, "pz")
}

func TestA20ModifyInAWrongStateIsRefusedWithoutADifferenceToo(t *testing.T) {
	e := newEndpoint(EPConnected)
	v := Values{ParamMaxRecvDTOs: int64(e.Attributes.MaxRecvDTOs)}
	_, err := CheckEPModify(e, 0, v, newFacts(), newWorld())
	wantRefusal(t, err, RetInvalidState, SubInvalidStateEPConnected, "attributes.max_recv_dtos")
	if !strings.Contains(err.Detail, "RESERVED") {
		t.Errorf("the detail does not say where it would be right: %s", err.Detail)
	}
}

func TestModifyRefusesPZWhenConnected(t *testing.T) {
	_, err := CheckEPModify(newEndpoint(EPConnected), 0, Values{ParamPZ: Handle("pz2")}, newFacts(), newWorld())
	wantRefusal(t, err, RetInvalidState, SubInvalidStateEPConnected, "pz")
}

func TestM7ThePZMayChangeWithReceivesOutstanding(t *testing.T) {
	after, err := CheckEPModify(newEndpoint(EPUnconnected), 9, Values{ParamPZ: nil, ParamRecvEVD: Handle("evd2")}, newFacts(), newWorld())
	wantAccepted(t, err)
	if after.PZ != HandleNull || after.RecvEVD != "evd2" {
		t.Errorf("M7 and M10 give pz %q and recv_evd %q", after.PZ, after.RecvEVD)
	}
}

func TestM8ReceiveFlagsChangeOnlyWhileNoReceiveIsOutstanding(t *testing.T) {
	v := Values{ParamRecvCompletionFlags: "SOLICITED_WAIT"}
	_, err := CheckEPModify(newEndpoint(EPUnconnected), 1, v, newFacts(), newWorld())
	wantRefusal(t, err, RetInvalidState, SubNone, "attributes.recv_completion_flags")
	_, err = CheckEPModify(newEndpoint(EPUnconnected), 0, v, newFacts(), newWorld())
	wantAccepted(t, err)
}

func TestM9FewerReceivesThanPostedAreInvalidState(t *testing.T) {
	for posted, ok := range map[int]bool{10: true, 11: false} {
		_, err := CheckEPModify(newEndpoint(EPUnconnected), posted, Values{ParamMaxRecvDTOs: int64(10)}, newFacts(), newWorld())
		if ok {
			wantAccepted(t, err)
		} else {
			wantRefusal(t, err, RetInvalidState, SubNone, "attributes.max_recv_dtos")
		}
	}
}

// equalEndpoints compares what a call could change.
func equalEndpoints(a, b *Endpoint) bool {
	x, y := a.Attributes, b.Attributes
	same := maps.Equal(x.EPTransportSpecific, y.EPTransportSpecific) && maps.Equal(x.EPProviderSpecific, y.EPProviderSpecific)
	for p := range numParams {
		if row := params[p]; row.field != nil && row.kind != ValueNamed {
			same = same && describeField(a, p) == describeField(b, p)
		}
	}
	return same && a.State == b.State && a.Watermarks == b.Watermarks
}

// describeField is the value of a parameter as Values would have it.
func describeField(e *Endpoint, p Param) any {
	switch f := params[p].field(e).(type) {
	case *Handle:
		return *f
	case *int32:
		return int64(*f)
	case *int64:
		return *f
	case *CompletionFlag:
		return f.String()
	case *QOS:
		return f.String()
	case *ServiceType:
		return f.String()
	case *Watermark:
		return *f
	default:
		panic("a parameter of an unknown type")
	}
}

// maskGen draws any mask with any values, good ones more often than not.
func maskGen() *rapid.Generator[Values] {
	return rapid.Custom(func(t *rapid.T) Values {
		v := Values{}
		for range rapid.IntRange(0, 5).Draw(t, "size") {
			p := Param(rapid.IntRange(0, int(numParams)-1).Draw(t, "parameter"))
			v[p] = goodValue(p)
			if rapid.IntRange(0, 3).Draw(t, "quality") == 0 {
				v[p] = anyValue(t)
			}
		}
		return v
	})
}

func anyValue(t *rapid.T) any {
	return rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Int64Range(-2, 40), func(n int64) any { return n }),
		rapid.Map(rapid.SampledFrom([]string{"RC", "UD", "DEFAULT", "UNSIGNALLED", "SUPPRESS", "SOLICITED_WAIT", "PREMIUM", ""}), func(s string) any { return s }),
		rapid.Map(rapid.SampledFrom([]Handle{"", "pz1", "pz-foreign", "evd1", "evd-dto", "evd-conn", "evd-foreign", "none"}), func(h Handle) any { return h }),
		rapid.Map(rapid.SampledFrom([]string{"0", "6", "7", "-1", "007", "x"}), func(s string) any {
			return map[string]*string{"rnr_retry_count": &s}
		}),
		rapid.Just[any](map[string]*string{"colour": nil}),
	).Draw(t, "value")
}

// naiveModify is the order of refusal read aloud: the stage that refuses, or
// success. It knows nothing of the tables but the page above.
func naiveModify(s EPState, posted int, v Values, f *Facts) Return {
	state, value := false, false
	for p, x := range v {
		if pageSays[p.String()] == statesNever {
			return RetInvalidParameter
		}
		state = state || !allowedByPage(p, s) || p == ParamRecvCompletionFlags && posted > 0
		value = value || !naiveValue(p, x, f)
	}
	switch n, asked := v[ParamMaxRecvDTOs].(int64); {
	case state:
		return RetInvalidState
	case value:
		return RetInvalidParameter
	case asked && n < int64(posted):
		return RetInvalidState
	default:
		return RetSuccess
	}
}

// naiveValue says 2.2 again, value by value.
func naiveValue(p Param, x any, f *Facts) bool {
	a := f.Attributes
	count := func(most int32) bool { n, ok := x.(int64); return ok && n >= 0 && n <= int64(most) }
	word := func(words ...string) bool { w, ok := x.(string); return ok && slices.Contains(words, w) }
	handle := func(handles ...Handle) bool {
		h, ok := x.(Handle)
		return x == nil || ok && (h == "" || slices.Contains(handles, h))
	}
	switch p {
	case ParamPZ:
		return handle("pz1", "pz2")
	case ParamRecvEVD, ParamRequestEVD:
		return handle("evd1", "evd2", "evd-dto")
	case ParamConnectEVD:
		return handle("evd1", "evd2", "evd-conn")
	case ParamServiceType:
		return word("RC")
	case ParamQOS:
		return word("BEST_EFFORT", "LOW_LATENCY")
	case ParamRecvCompletionFlags:
		return word("DEFAULT", "UNSIGNALLED", "SOLICITED_WAIT", "EVD_THRESHOLD")
	case ParamRequestCompletionFlags:
		return word("DEFAULT", "UNSIGNALLED", "EVD_THRESHOLD")
	case ParamMaxMessageSize:
		n, ok := x.(int64)
		return ok && n >= 0 && n <= a.MaxMessageSize
	case ParamMaxRDMASize:
		n, ok := x.(int64)
		return ok && n >= 0 && n <= a.MaxRDMASize
	case ParamMaxRecvDTOs, ParamMaxRequestDTOs:
		return count(a.MaxDTOPerEP)
	case ParamMaxRecvIOV, ParamMaxRequestIOV:
		return count(a.MaxIOVSegmentsPerDTO)
	case ParamMaxRDMAReadIOV:
		return count(a.MaxIOVSegmentsPerRDMARead)
	case ParamMaxRDMAWriteIOV:
		return count(a.MaxIOVSegmentsPerRDMAWrite)
	case ParamMaxRDMAReadIn:
		return count(a.MaxRDMAReadPerEPIn)
	case ParamMaxRDMAReadOut:
		return count(a.MaxRDMAReadPerEPOut)
	default:
		return naiveNamed(p, x)
	}
}

func naiveNamed(p Param, x any) bool {
	m, ok := x.(map[string]*string)
	for name, s := range m {
		known := p == ParamEPTransportSpecific && (name == "rnr_retry_count" || name == "tos") ||
			p == ParamEPProviderSpecific && name == "max_inline_data"
		if !known || s != nil && !slices.Contains([]string{"0", "6", "32", "64"}, *s) {
			return false
		}
	}
	return ok
}

func TestModifyAgreesWithANaiveReadingForAnyMask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(occurring()).Draw(t, "state")
		posted := rapid.SampledFrom([]int{0, 0, 3, 8}).Draw(t, "posted")
		v := maskGen().Draw(t, "mask")
		e, f := newEndpoint(s), newFacts()
		before := e.Copy()
		after, err := CheckEPModify(e, posted, v, f, newWorld())
		want := naiveModify(s, posted, v, f)
		if want == RetSuccess && flagsClash(before, v) {
			want = RetInvalidParameter
		}
		if got := returnOf(err); got != want {
			t.Fatalf("%v in %s with %d posted: %v, want %s", v, s, posted, err, want)
		}
		if !equalEndpoints(e, before) {
			t.Fatal("the judge changed its argument")
		}
		if err == nil {
			wantOnlyMaskChanged(t, before, after, v)
		}
	})
}

// flagsClash says R5 again for one endpoint alone on its EVDs.
func flagsClash(e *Endpoint, v Values) bool {
	read := func(p Param, present any) any {
		switch x, asked := v[p]; {
		case asked && x == nil:
			return Handle("")
		case asked && x == "DEFAULT":
			return "EVD_THRESHOLD"
		case asked:
			return x
		}
		return present
	}
	recv, request := read(ParamRecvEVD, e.RecvEVD).(Handle), read(ParamRequestEVD, e.RequestEVD).(Handle)
	connect := read(ParamConnectEVD, e.ConnectEVD).(Handle)
	recvFlag, requestFlag := read(ParamRecvCompletionFlags, "EVD_THRESHOLD"), read(ParamRequestCompletionFlags, "EVD_THRESHOLD")
	return recv != "" && recv == request && recvFlag != requestFlag ||
		recv != "" && recv == connect && recvFlag != "EVD_THRESHOLD" ||
		request != "" && request == connect && requestFlag != "EVD_THRESHOLD"
}

func returnOf(err *Error) Return {
	if err == nil {
		return RetSuccess
	}
	return err.Return
}

// wantOnlyMaskChanged demands that what the mask names has the value asked for
// and everything else the old one (M1, D5, D8).
func wantOnlyMaskChanged(t *rapid.T, before, after *Endpoint, v Values) {
	for p := range numParams {
		if params[p].field == nil || params[p].kind == ValueNamed {
			continue
		}
		want := describeField(before, p)
		switch x, asked := v[p]; {
		case asked && x == nil:
			want = HandleNull
		case asked && x == "DEFAULT":
			want = "EVD_THRESHOLD"
		case asked:
			want = x
		}
		if got := describeField(after, p); got != want {
			t.Fatalf("%s is %v after the call, want %v", p, got, want)
		}
	}
}
