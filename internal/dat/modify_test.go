package dat

import (
	"slices"
	"strings"
	"testing"
)

// The states as docs/rules/modify.md writes them, said again here so that
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

func TestModifyAgreesWithThePageForEveryStateAndParameter(t *testing.T) { // A1–A5, A7, A8, A13, A14, A18, A19
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
	wantRefusal(t, unknownParam("colour"), RetInvalidParameter, SubInvalidArg2, "colour")
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
