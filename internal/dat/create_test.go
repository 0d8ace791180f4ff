package dat

import (
	"encoding/json"
	"math"
	"testing"
)

func TestCreateFillsInUsableDefaults(t *testing.T) {
	e, err := CheckEPCreate(nil, HandleNull, newFacts(), newWorld())
	wantAccepted(t, err)
	print, _ := json.MarshalIndent(e, "", " ")
	golden(t, "defaults.json", append(print, '\n'))
	if e.State != EPUnconnected || e.IA != ourIA || e.Labels == nil {
		t.Errorf("T1 gives %s on %s", e.State, e.IA)
	}
}

func TestDefaultsNeverExceedTheIA(t *testing.T) {
	f := newFacts()
	f.Attributes = IAAttributes{MaxDTOPerEP: 2, MaxIOVSegmentsPerDTO: 1, MaxMessageSize: 100, MaxRDMASize: 50}
	e, err := CheckEPCreate(nil, HandleNull, f, newWorld())
	wantAccepted(t, err)
	if a := e.Attributes; a.MaxRecvDTOs != 2 || a.MaxRecvIOV != 1 || a.MaxMessageSize != 100 || a.MaxRDMASize != 50 || a.MaxRDMAReadIn != 0 || a.MaxRDMAReadIOV != 0 {
		t.Errorf("the defaults are %+v", a)
	}
}

func TestD15NullHandlesAreLegalAtCreate(t *testing.T) {
	v := Values{ParamPZ: nil, ParamRecvEVD: HandleNull, ParamRequestEVD: nil, ParamConnectEVD: HandleNull}
	e, err := CheckEPCreate(v, HandleNull, newFacts(), newWorld())
	wantAccepted(t, err)
	if e.PZ != "" || e.RecvEVD != "" || e.RequestEVD != "" || e.ConnectEVD != "" {
		t.Errorf("null handles became %+v", e.Refs())
	}
}

func TestDTOCountsAreNotCoupledToNullEVDs(t *testing.T) {
	v := Values{ParamMaxRecvDTOs: int64(100), ParamRequestEVD: Handle("evd1"), ParamMaxRequestDTOs: int64(0), ParamMaxRecvIOV: int64(0)}
	e, err := CheckEPCreate(v, HandleNull, newFacts(), newWorld())
	wantAccepted(t, err)
	if e.Attributes.MaxRecvDTOs != 100 || e.Attributes.MaxRequestDTOs != 0 {
		t.Errorf("C1–C6 were enforced: %+v", e.Attributes)
	}
}

func TestCreateLooksAtHandlesBeforeAttributes(t *testing.T) {
	v := Values{ParamMaxRecvDTOs: int64(-1), ParamRequestEVD: Handle("freed")}
	_, err := CheckEPCreate(v, HandleNull, newFacts(), newWorld())
	wantRefusal(t, err, RetInvalidHandle, SubInvalidHandleEVDRequest, "request_evd")
	v[ParamConnectEVD] = Handle("freed")
	_, err = CheckEPCreate(v, HandleNull, newFacts(), newWorld())
	wantRefusal(t, err, RetInvalidHandle, SubInvalidHandleEVDConn, "connect_evd")
}

func TestCreateTakesNoParametersOfTheConnection(t *testing.T) {
	for _, p := range []Param{ParamIA, ParamState, ParamComm, ParamLocalIAAddress, ParamLocalPortQual, ParamRemoteIAAddress, ParamRemotePortQual, ParamSRQ} {
		_, err := CheckEPCreate(Values{p: nil}, HandleNull, newFacts(), newWorld())
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, p.String())
	}
	_, err := CheckEPCreate(Values{numParams: nil}, HandleNull, newFacts(), newWorld())
	if err == nil || err.Return != RetInvalidParameter {
		t.Errorf("an unknown parameter gives %v", err)
	}
}

func TestC20OneEVDMayTakeEveryStreamOfAnEndpoint(t *testing.T) {
	v := Values{ParamRecvEVD: Handle("evd1"), ParamRequestEVD: Handle("evd1"), ParamConnectEVD: Handle("evd1")}
	_, err := CheckEPCreate(v, HandleNull, newFacts(), newWorld())
	wantAccepted(t, err)
}

func TestR8FlagsThatClashAreArg6AtCreateAndArg3AtModify(t *testing.T) {
	v := Values{ParamRecvEVD: Handle("evd1"), ParamRequestEVD: Handle("evd1"), ParamRecvCompletionFlags: "UNSIGNALLED"}
	_, err := CheckEPCreate(v, HandleNull, newFacts(), newWorld())
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, "attributes.recv_completion_flags")

	world, e := newWorld(), newEndpoint(EPUnconnected)
	e.RecvEVD, e.RequestEVD = "evd1", "evd1"
	world.feed(e)
	_, err = CheckEPModify(e, 0, Values{ParamRequestCompletionFlags: "UNSIGNALLED"}, newFacts(), world)
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "attributes.request_completion_flags")
	both := Values{ParamRequestCompletionFlags: "UNSIGNALLED", ParamRecvCompletionFlags: "UNSIGNALLED"}
	_, err = CheckEPModify(e, 0, both, newFacts(), world)
	wantAccepted(t, err)
}

func TestSRQEndpointsTakeDefaultsAndARGSevenForAttributes(t *testing.T) {
	f, w := newFacts(), newWorld()
	e, err := CheckEPCreate(Values{ParamPZ: Handle("pz1")}, "srq1", f, w)
	wantAccepted(t, err)
	if e.SRQ != "srq1" || e.Attributes.MaxRecvDTOs != 16 || e.Watermarks.HardArmed {
		t.Errorf("B10: max_recv_dtos of an SRQ endpoint is no mark: %+v", e.Watermarks)
	}
	_, err = CheckEPCreate(Values{ParamMaxRecvDTOs: int64(-1)}, "srq1", f, w)
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg7, "attributes.max_recv_dtos")
}

func TestSRQEndpointsRefuseBadQueues(t *testing.T) {
	f, w := newFacts(), newWorld()
	for h, want := range map[Handle]struct {
		ret Return
		sub Subtype
	}{
		"none":        {RetInvalidHandle, SubInvalidHandleSRQ},
		"srq-foreign": {RetInvalidHandle, SubInvalidHandleSRQ},
		"srq-broken":  {RetInvalidState, SubInvalidStateSRQError},
	} {
		_, err := CheckEPCreate(nil, h, f, w)
		wantRefusal(t, err, want.ret, want.sub, "srq")
	}
	f.Provider.SRQSupported = false
	_, err := CheckEPCreate(nil, "srq1", f, w)
	wantRefusal(t, err, RetModelNotSupported, SubNone, "srq")
}

func TestSRQEndpointsNeedTheSRQsZoneWhereTheProviderSaysSo(t *testing.T) { // C21
	f, w := newFacts(), newWorld()
	_, err := CheckEPCreate(Values{ParamPZ: Handle("pz2")}, "srq1", f, w)
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg2, "pz")
	e, err := CheckEPCreate(nil, "srq1", f, w)
	wantAccepted(t, err)
	_, err = CheckEPModify(e, 0, Values{ParamPZ: Handle("pz2")}, f, w)
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "pz")
	f.Provider.SRQEPPZDifferenceSupported = true
	_, err = CheckEPModify(e, 0, Values{ParamPZ: Handle("pz2")}, f, w)
	wantAccepted(t, err)
}

func TestB10SRQSoftHWIsTheSoftMarkAtCreate(t *testing.T) {
	e, err := createWith(ParamSRQSoftHW, ptr(int64(3)))
	wantAccepted(t, err)
	want := Watermarks{SoftHigh: 3, HardHigh: WatermarkInfinite, SoftArmed: true}
	if e.Watermarks != want || e.Attributes.SRQSoftHW != 3 {
		t.Errorf("got %+v and %d", e.Watermarks, e.Attributes.SRQSoftHW)
	}
	for _, n := range []int64{-1, math.MaxInt32 + 1} {
		_, err = createWith(ParamSRQSoftHW, &n)
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, "attributes.srq_soft_hw")
	}
	f := newFacts()
	f.Provider.SRQWatermarksSupported = SRQWatermarks{}
	_, err = CheckEPCreate(Values{ParamSRQSoftHW: ptr(int64(3))}, HandleNull, f, newWorld())
	wantRefusal(t, err, RetModelNotSupported, SubNone, "attributes.srq_soft_hw")
	var none *int64
	_, err = CheckEPCreate(Values{ParamSRQSoftHW: none}, HandleNull, f, newWorld())
	wantAccepted(t, err)
}

func TestCreatedEndpointsHaveInfiniteMarks(t *testing.T) {
	e, _ := CheckEPCreate(nil, HandleNull, newFacts(), newWorld())
	if want := (Watermarks{SoftHigh: WatermarkInfinite, HardHigh: WatermarkInfinite}); e.Watermarks != want {
		t.Errorf("W2 gives %+v", e.Watermarks)
	}
}
