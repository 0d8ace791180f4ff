package dat

import (
	"math"
	"testing"
)

var badQuals = []int64{0, -1, 65536, 1 << 32, 1<<32 + 7}

func TestD38QualifiersAreNeverFolded(t *testing.T) {
	f, w, e := newFacts(), newWorld(), newEndpoint(EPUnconnected)
	for _, qual := range badQuals {
		_, err := CheckConnect(e, f, ConnectRequest{RemoteIAAddress: "10.77.0.2", RemotePortQual: qual})
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "remote_port_qual")
		wantRefusal(t, CheckPSPCreate(f, &qual, "evd1", PSPConsumer, w), RetInvalidParameter, SubInvalidArg2, "conn_qual")
		wantRefusal(t, CheckRSPCreate(f, qual, e, "evd1", w), RetInvalidParameter, SubInvalidArg2, "conn_qual")
		wantRefusal(t, CheckHandoff(qual), RetInvalidParameter, SubInvalidArg2, "conn_qual")
	}
	for _, qual := range []int64{1, 65535} {
		_, err := CheckConnect(e, f, ConnectRequest{RemoteIAAddress: "fd00::2", RemotePortQual: qual})
		wantAccepted(t, err)
		wantAccepted(t, CheckPSPCreate(f, &qual, "evd1", PSPConsumer, w))
		wantAccepted(t, CheckRSPCreate(f, qual, e, "evd1", w))
		wantAccepted(t, CheckHandoff(qual))
	}
	wantAccepted(t, CheckPSPCreate(f, nil, "evd1", PSPProvider, w))
}

// connectTo is a good request with one thing changed.
func connectTo(change func(*ConnectRequest)) ConnectRequest {
	q := ConnectRequest{RemoteIAAddress: "10.77.0.2", RemotePortQual: 7}
	change(&q)
	return q
}

func TestT27ConnectRefusesAddressesThatAreNone(t *testing.T) {
	for address, sub := range map[string]Subtype{
		"": SubInvalidAddressMalformed, "ost-7": SubInvalidAddressMalformed, "10.77.0.300": SubInvalidAddressMalformed, "10.77.0.2:7": SubInvalidAddressMalformed,
		"0.0.0.0": SubInvalidAddressUnsupported, "::": SubInvalidAddressUnsupported, "224.0.0.1": SubInvalidAddressUnsupported,
	} {
		_, err := CheckConnect(newEndpoint(EPUnconnected), newFacts(), connectTo(func(q *ConnectRequest) { q.RemoteIAAddress = address }))
		wantRefusal(t, err, RetInvalidAddress, sub, "remote_ia_address")
	}
}

func TestT27ConnectRefusesTimeoutsThatAreNone(t *testing.T) {
	for n, ok := range map[int64]bool{1: true, math.MaxUint32 - 1: true, 0: false, -1: false, math.MaxUint32: false} {
		_, err := CheckConnect(newEndpoint(EPUnconnected), newFacts(), connectTo(func(q *ConnectRequest) { q.TimeoutUS = &n }))
		if ok {
			wantAccepted(t, err)
		} else {
			wantRefusal(t, err, RetInvalidParameter, SubInvalidArg4, "timeout_us")
		}
	}
}

func TestT27ConnectTakesAQOSOfTheProvider(t *testing.T) {
	e, f := newEndpoint(EPUnconnected), newFacts()
	e.Attributes.QOS = QOSLowLatency
	qos, err := CheckConnect(e, f, connectTo(func(*ConnectRequest) {}))
	wantAccepted(t, err)
	if qos != QOSLowLatency {
		t.Errorf("without a qos %s is asked for, want the endpoint's", qos)
	}
	_, err = CheckConnect(e, f, connectTo(func(q *ConnectRequest) { q.QOS = ptr("PREMIUM") }))
	wantRefusal(t, err, RetModelNotSupported, SubNone, "qos")
	_, err = CheckConnect(e, f, connectTo(func(q *ConnectRequest) { q.QOS = ptr("premium") }))
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg7, "qos")
}

func TestD29MultipathIsRefusedWhereItIsNotSupported(t *testing.T) {
	f, multipath := newFacts(), connectTo(func(q *ConnectRequest) { q.ConnectFlags = ptr("MULTIPATH") })
	_, err := CheckConnect(newEndpoint(EPUnconnected), f, multipath)
	wantRefusal(t, err, RetModelNotSupported, SubNone, "connect_flags")
	_, err = CheckConnect(newEndpoint(EPUnconnected), f, connectTo(func(q *ConnectRequest) { q.ConnectFlags = ptr("DEFAULT") }))
	wantAccepted(t, err)
	_, err = CheckConnect(newEndpoint(EPUnconnected), f, connectTo(func(q *ConnectRequest) { q.ConnectFlags = ptr("FAST") }))
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg8, "connect_flags")
	f.Provider.SupportsMultipath = true
	_, err = CheckConnect(newEndpoint(EPUnconnected), f, multipath)
	wantAccepted(t, err)
}

func TestPrivateDataIsBoundedByTheProvider(t *testing.T) {
	f := newFacts()
	for in, sub := range map[Input]Subtype{
		OpConnect: SubInvalidArg5, OpDupConnect: SubInvalidArg4, OpAccept: SubInvalidArg3, OpAcceptOwn: SubInvalidArg3, OpReject: SubInvalidArg2,
	} {
		wantAccepted(t, CheckPrivateData(f, in, 256))
		wantRefusal(t, CheckPrivateData(f, in, 257), RetInvalidParameter, sub, "private_data")
	}
	_, err := CheckConnect(newEndpoint(EPUnconnected), f, connectTo(func(q *ConnectRequest) { q.PrivateData = make([]byte, 257) }))
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg5, "private_data")
}

func TestDupConnectWantsAConnectedEndpointOfTheSameIA(t *testing.T) {
	e, f := newEndpoint(EPUnconnected), newFacts()
	_, err := CheckDupConnect(e, newEndpoint(EPConnected), f, ConnectRequest{})
	wantAccepted(t, err)
	_, err = CheckDupConnect(e, nil, f, ConnectRequest{})
	wantRefusal(t, err, RetInvalidHandle, SubInvalidHandleEP, "endpoint")
	_, err = CheckDupConnect(e, &Endpoint{Meta: Meta{IA: foreignIA}, State: EPConnected}, f, ConnectRequest{})
	wantRefusal(t, err, RetInvalidHandle, SubInvalidHandleEP, "endpoint")
	_, err = CheckDupConnect(e, newEndpoint(EPDisconnected), f, ConnectRequest{})
	wantRefusal(t, err, RetInvalidState, SubInvalidStateEPDisconnected, "endpoint")
	_, err = CheckDupConnect(e, newEndpoint(EPConnected), f, ConnectRequest{TimeoutUS: ptr(int64(0))})
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "timeout_us")
}

func TestServicePointsWantAnEVDForRequests(t *testing.T) {
	f, w, e := newFacts(), newWorld(), newEndpoint(EPUnconnected)
	for _, evd := range []Handle{"", "freed", "evd-foreign", "evd-dto"} {
		wantRefusal(t, CheckPSPCreate(f, nil, evd, PSPConsumer, w), RetInvalidHandle, SubInvalidHandleEVDCR, "evd")
		wantRefusal(t, CheckRSPCreate(f, 7, e, evd, w), RetInvalidHandle, SubInvalidHandleEVDCR, "evd")
	}
}

func TestR10ServicePointsMustNotBreakTheFlagsOnTheirEVD(t *testing.T) {
	f, w, e := newFacts(), newWorld(), newEndpoint(EPUnconnected)
	e.RecvEVD, e.Attributes.RecvCompletionFlags = "evd1", CompletionSolicitedWait
	w.feed(e)
	wantRefusal(t, CheckPSPCreate(f, nil, "evd1", PSPConsumer, w), RetInvalidParameter, SubInvalidArg3, "evd")
	wantRefusal(t, CheckRSPCreate(f, 7, e, "evd1", w), RetInvalidParameter, SubInvalidArg4, "evd")
	wantAccepted(t, CheckPSPCreate(f, nil, "evd2", PSPConsumer, w))
}

func TestD28PSPFlagsThatTheProviderRefusesAreModelNotSupported(t *testing.T) {
	f, w := newFacts(), newWorld()
	f.Provider.EPCreator = EPCreatorNever
	wantRefusal(t, CheckPSPCreate(f, nil, "evd1", PSPProvider, w), RetModelNotSupported, SubNone, "ep_creator")
	wantAccepted(t, CheckPSPCreate(f, nil, "evd1", PSPConsumer, w))
	f.Provider.EPCreator = EPCreatorAlways
	wantRefusal(t, CheckPSPCreate(f, nil, "evd1", PSPConsumer, w), RetModelNotSupported, SubNone, "ep_creator")
}

func TestT5RSPsWantAnUnconnectedEndpointOfTheIA(t *testing.T) {
	f, w := newFacts(), newWorld()
	for _, s := range occurring() {
		err := CheckRSPCreate(f, 7, newEndpoint(s), "evd1", w)
		if s == EPUnconnected {
			wantAccepted(t, err)
		} else {
			wantRefusal(t, err, RetInvalidState, stateSubtypes[s], "")
		}
	}
	wantRefusal(t, CheckRSPCreate(f, 7, nil, "evd1", w), RetInvalidHandle, SubInvalidHandleEP, "endpoint")
	wantRefusal(t, CheckRSPCreate(f, 7, &Endpoint{Meta: Meta{IA: foreignIA}}, "evd1", w), RetInvalidHandle, SubInvalidHandleEP, "endpoint")
}
