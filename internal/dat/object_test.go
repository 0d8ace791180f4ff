package dat

import (
	"math"
	"slices"
	"testing"
)

func TestEVDCreateWantsALengthAndStreamsThatMerge(t *testing.T) {
	f := newFacts()
	wantAccepted(t, CheckEVDCreate(f, 1, allStreams))
	wantAccepted(t, CheckEVDCreate(f, 65536, []Stream{StreamDTO, StreamDTO}))
	for _, qlen := range []int64{0, -1, 65537, math.MinInt64} {
		wantRefusal(t, CheckEVDCreate(f, qlen, allStreams), RetInvalidParameter, SubInvalidArg2, "qlen")
	}
	for _, streams := range [][]Stream{nil, {StreamAsync}, {StreamDTO, StreamAsync}} {
		wantRefusal(t, CheckEVDCreate(f, 8, streams), RetInvalidParameter, SubInvalidArg4, "streams")
	}
	f.Provider.EVDStreamMergingSupported[StreamDTO][StreamConnection] = false
	wantRefusal(t, CheckEVDCreate(f, 8, []Stream{StreamDTO, StreamConnection}), RetInvalidParameter, SubInvalidArg4, "streams")
}

func TestD30AStreamMergesWithItself(t *testing.T) {
	f := newFacts()
	for _, s := range allStreams {
		wantAccepted(t, CheckEVDCreate(f, 8, []Stream{s}))
	}
}

func TestSortStreamsGivesTheOrderOfTheMatrix(t *testing.T) {
	got := SortStreams([]Stream{StreamConnection, StreamSoftware, StreamConnection, StreamDTO})
	if want := []Stream{StreamSoftware, StreamDTO, StreamConnection}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEVDResizeLosesNoEvent(t *testing.T) {
	f, evd, async := newFacts(), &EVD{Streams: allStreams}, &EVD{Streams: []Stream{StreamAsync}}
	wantAccepted(t, CheckEVDResize(f, evd, 5, 5))
	wantRefusal(t, CheckEVDResize(f, evd, 5, 4), RetInvalidState, SubNone, "qlen")
	wantRefusal(t, CheckEVDResize(f, evd, 0, 0), RetInvalidParameter, SubInvalidArg2, "qlen")
	wantRefusal(t, CheckEVDResize(f, evd, 0, 65537), RetInvalidParameter, SubInvalidArg2, "qlen")
	wantRefusal(t, CheckEVDResize(f, async, 0, MinAsyncQLen-1), RetInvalidParameter, SubInvalidArg2, "qlen")
	wantAccepted(t, CheckEVDResize(f, async, 0, MinAsyncQLen))
}

func TestR12WaitingInNotifyAndSolicitedModeTakesThresholdOne(t *testing.T) {
	evd := &EVD{Meta: Meta{ID: "evd1"}, QLen: 10, Waitable: true}
	for mode, sub := range map[EVDMode]Subtype{ModeNotify: SubInvalidStateEVDConfigNotify, ModeSolicited: SubInvalidStateEVDConfigSolicited} {
		wantRefusal(t, CheckDequeue(evd, mode, 1, 2, true), RetInvalidState, sub, "threshold")
		wantAccepted(t, CheckDequeue(evd, mode, 1, 1, true))
		wantAccepted(t, CheckDequeue(evd, mode, 5, 2, false))
	}
	wantAccepted(t, CheckDequeue(evd, ModeThreshold, 1, 10, true))
	wantAccepted(t, CheckDequeue(evd, ModeNone, 1, 2, true))
}

func TestDequeueWantsAMaximumAThresholdAndAWaitableEVD(t *testing.T) {
	evd := &EVD{Meta: Meta{ID: "evd1"}, QLen: 10}
	wantRefusal(t, CheckDequeue(evd, ModeNone, 0, 1, false), RetInvalidParameter, SubInvalidArg2, "max")
	for _, threshold := range []int64{0, -1, 11} {
		wantRefusal(t, CheckDequeue(evd, ModeNone, 1, threshold, false), RetInvalidParameter, SubInvalidArg3, "threshold")
	}
	wantRefusal(t, CheckDequeue(evd, ModeNone, 1, 1, true), RetInvalidState, SubInvalidStateEVDUnwaitable, "")
	wantAccepted(t, CheckDequeue(evd, ModeNone, 1, 1, false))
}

func TestSoftwareEventsNeedAnEVDMadeForThem(t *testing.T) {
	wantAccepted(t, CheckPostSE(&EVD{Streams: []Stream{StreamSoftware}}))
	wantRefusal(t, CheckPostSE(&EVD{Streams: []Stream{StreamDTO}}), RetInvalidParameter, SubInvalidArg1, "streams")
}

func TestSRQCreateWantsAZoneAndCountsWithinTheIA(t *testing.T) {
	f, w := newFacts(), newWorld()
	wantAccepted(t, CheckSRQCreate(f, "pz1", 1000, 30, w))
	wantAccepted(t, CheckSRQCreate(f, "pz1", 0, 0, w))
	for _, pz := range []Handle{"", "freed", "pz-foreign"} {
		wantRefusal(t, CheckSRQCreate(f, pz, 1, 1, w), RetInvalidHandle, SubInvalidHandlePZ, "pz")
	}
	for _, n := range []int64{-1, 1001} {
		wantRefusal(t, CheckSRQCreate(f, "pz1", n, 1, w), RetInvalidParameter, SubInvalidArg3, "max_recv_dtos")
	}
	for _, n := range []int64{-1, 31} {
		wantRefusal(t, CheckSRQCreate(f, "pz1", 1, n, w), RetInvalidParameter, SubInvalidArg3, "max_recv_iov")
	}
	f.Provider.SRQSupported = false
	wantRefusal(t, CheckSRQCreate(f, "pz1", 1, 1, w), RetModelNotSupported, SubNone, "")
}

func TestSRQResizeKeepsWhatIsPostedAndTheLowMark(t *testing.T) {
	f, s := newFacts(), &SRQ{MaxRecvDTOs: 100, LowWatermark: 20}
	wantAccepted(t, CheckSRQResize(f, s, 20, 20))
	wantRefusal(t, CheckSRQResize(f, s, 21, 20), RetInvalidState, SubNone, "max_recv_dtos")
	wantRefusal(t, CheckSRQResize(f, s, 0, 19), RetInvalidState, SubNone, "max_recv_dtos")
	wantRefusal(t, CheckSRQResize(f, s, 0, -1), RetInvalidParameter, SubInvalidArg2, "max_recv_dtos")
	wantRefusal(t, CheckSRQResize(f, s, 0, 1001), RetInvalidParameter, SubInvalidArg2, "max_recv_dtos")
	s.State = SRQError
	wantRefusal(t, CheckSRQResize(f, s, 0, 20), RetInvalidState, SubInvalidStateSRQError, "srq")
}

func TestSRQLowWatermarkIsAtMostTheQueue(t *testing.T) {
	f, s := newFacts(), &SRQ{MaxRecvDTOs: 100}
	for low, ok := range map[int64]bool{0: true, 100: true, 101: false, -1: false} {
		if ok {
			wantAccepted(t, CheckSRQLowWatermark(f, s, low))
		} else {
			wantRefusal(t, CheckSRQLowWatermark(f, s, low), RetInvalidParameter, SubInvalidArg2, "low")
		}
	}
	f.Provider.SRQWatermarksSupported.SRQLowWatermark = false
	wantRefusal(t, CheckSRQLowWatermark(f, s, 1), RetModelNotSupported, SubNone, "low")
	wantAccepted(t, CheckSRQLowWatermark(f, s, 0))
}

func TestSRQPostsAreBoundedByTheQueue(t *testing.T) {
	f, s := newFacts(), &SRQ{MaxRecvDTOs: 10, MaxRecvIOV: 1}
	wantAccepted(t, CheckSRQPost(f, s, 4, 6, 100))
	wantRefusal(t, CheckSRQPost(f, s, 5, 6, 100), RetInsufficientResources, SubNone, "count")
	wantRefusal(t, CheckSRQPost(f, s, 0, 1, 1<<30+1), RetLengthError, SubNone, "size")
	wantRefusal(t, CheckSRQPost(f, s, 0, 0, 1), RetInvalidParameter, SubInvalidArg2, "count")
	wantRefusal(t, CheckSRQPost(f, s, 0, 1, -1), RetInvalidParameter, SubInvalidArg2, "size")
	s.MaxRecvIOV = 0
	wantRefusal(t, CheckSRQPost(f, s, 0, 1, 1), RetInvalidParameter, SubInvalidArg2, "")
}

func TestLMRCreateWantsAZoneATypeAndALength(t *testing.T) {
	f, w := newFacts(), newWorld()
	q := LMRRequest{PZ: "pz1", MemType: MemVirtual, Length: 1 << 20}
	wantAccepted(t, CheckLMRCreate(f, q, w))
	for _, n := range []int64{0, -1, 1<<20 + 1} {
		q.Length = n
		wantRefusal(t, CheckLMRCreate(f, q, w), RetInvalidParameter, SubInvalidArg4, "length")
	}
	q = LMRRequest{PZ: "pz-foreign", Length: 1}
	wantRefusal(t, CheckLMRCreate(f, q, w), RetInvalidHandle, SubInvalidHandlePZ, "pz")
	q = LMRRequest{PZ: "pz1", MemType: MemSharedVirtual, Length: 1}
	wantRefusal(t, CheckLMRCreate(f, q, w), RetInvalidParameter, SubInvalidArg3, "shared_id")
	q.SharedID = ptr("pool")
	wantAccepted(t, CheckLMRCreate(f, q, w))
	f.Provider.LMRMemTypesSupported = []MemType{MemVirtual}
	wantRefusal(t, CheckLMRCreate(f, q, w), RetModelNotSupported, SubNone, "mem_type")
}

func TestLMRsOfLMRsLieInside(t *testing.T) {
	f, w := newFacts(), newWorld()
	region := &LMR{Meta: Meta{ID: "lmr1", IA: ourIA}, Length: 100}
	q := LMRRequest{PZ: "pz1", MemType: MemLMR, LMR: "lmr1", Of: region, Offset: 40, Length: 60}
	wantAccepted(t, CheckLMRCreate(f, q, w))
	q.Length = 61
	wantRefusal(t, CheckLMRCreate(f, q, w), RetInvalidParameter, SubInvalidArg3, "length")
	q.Offset = -1
	wantRefusal(t, CheckLMRCreate(f, q, w), RetInvalidParameter, SubInvalidArg3, "offset")
	q.Of = nil
	wantRefusal(t, CheckLMRCreate(f, q, w), RetInvalidHandle, SubInvalidHandleLMR, "lmr")
	q.Of = &LMR{Meta: Meta{ID: "lmr1", IA: foreignIA}, Length: 100}
	wantRefusal(t, CheckLMRCreate(f, q, w), RetInvalidHandle, SubInvalidHandleLMR, "lmr")
}

func TestRMRCreateWantsAZoneOnAnIAWithWindows(t *testing.T) {
	f, w := newFacts(), newWorld()
	wantAccepted(t, CheckRMRCreate(f, "pz1", w))
	wantRefusal(t, CheckRMRCreate(f, "", w), RetInvalidHandle, SubInvalidHandlePZ, "pz")
	f.Attributes.MaxRMRs = 0
	wantRefusal(t, CheckRMRCreate(f, "pz1", w), RetModelNotSupported, SubNone, "")
}

func TestBindsAndRDMAStayInTheirZoneRangeAndPrivileges(t *testing.T) {
	e, rmr := newEndpoint(EPConnected), &RMR{Meta: Meta{ID: "rmr1"}, PZ: "pz1"}
	lmr := &LMR{Meta: Meta{ID: "lmr1"}, PZ: "pz1", Length: 100, Privileges: []Privilege{PrivLocalRead}}
	wantAccepted(t, CheckBind(e, rmr, lmr, 0, 100, []Privilege{PrivRemoteRead}))
	wantAccepted(t, CheckBind(e, rmr, nil, 0, 0, nil))
	wantRefusal(t, CheckBind(e, rmr, nil, 0, 1, nil), RetInvalidParameter, SubInvalidArg2, "length")
	wantRefusal(t, CheckBind(e, rmr, lmr, 1, 100, nil), RetInvalidParameter, SubInvalidArg2, "length")
	wantRefusal(t, CheckBind(e, rmr, lmr, 0, 1, []Privilege{PrivRemoteWrite}), RetPrivilegesViolation, SubPrivilegesWrite, "")
	wantRefusal(t, CheckBind(e, &RMR{PZ: "pz2"}, lmr, 0, 1, nil), RetProtectionViolation, SubNone, "rmr")
	wantRefusal(t, CheckBind(e, rmr, &LMR{PZ: "pz2"}, 0, 1, nil), RetProtectionViolation, SubNone, "lmr")

	wantAccepted(t, CheckRDMA(e, OpPostRDMAWrite, lmr, 100, 0))
	wantRefusal(t, CheckRDMA(e, OpPostRDMARead, lmr, 0, 1), RetPrivilegesViolation, SubPrivilegesWrite, "")
	wantRefusal(t, CheckRDMA(e, OpPostRDMAWrite, lmr, math.MaxInt64, 1), RetInvalidParameter, SubInvalidArg3, "offset")
	wantRefusal(t, CheckRDMA(e, OpPostRDMAWrite, lmr, 1, math.MaxInt64), RetInvalidParameter, SubInvalidArg3, "length")
	wantRefusal(t, CheckRDMA(e, OpPostRDMAWrite, &LMR{PZ: "pz2"}, 0, 0), RetProtectionViolation, SubNone, "lmr")
}

func TestSRQsTakeAsManyEndpointsAsTheIAAllows(t *testing.T) {
	f, s := newFacts(), &SRQ{}
	wantAccepted(t, CheckSRQUsers(f, s, 1))
	wantRefusal(t, CheckSRQUsers(f, s, 2), RetInsufficientResources, SubResourceSRQ, "srq")
}

func TestObjectsNameTheirTypeAndWhatTheyUse(t *testing.T) {
	for _, c := range []struct {
		object Object
		typ    ObjectType
		refs   []Handle
	}{
		{&IA{AsyncEVD: "a"}, TypeIA, []Handle{"a"}},
		{&PZ{}, TypePZ, nil},
		{&EVD{}, TypeEVD, nil},
		{&SRQ{PZ: "a"}, TypeSRQ, []Handle{"a"}},
		{&LMR{PZ: "a", LMR: "b"}, TypeLMR, []Handle{"a", "b"}},
		{&RMR{PZ: "a"}, TypeRMR, []Handle{"a"}},
		{&Endpoint{PZ: "a", ConnectEVD: "b", SRQ: "c"}, TypeEndpoint, []Handle{"a", "b", "c"}},
		{&PSP{EVD: "a"}, TypePSP, []Handle{"a"}},
		{&RSP{EVD: "a", Endpoint: "b"}, TypeRSP, []Handle{"a", "b"}},
		{&CR{PSP: "a"}, TypeCR, []Handle{"a"}},
	} {
		if c.object.Type() != c.typ || !slices.Equal(c.object.Refs(), c.refs) {
			t.Errorf("%s uses %v, want %s and %v", c.object.Type(), c.object.Refs(), c.typ, c.refs)
		}
		c.object.Head().Name = "changed"
		if c.object.Clone().Head().Name != "changed" {
			t.Errorf("Head of %s is not its own", c.typ)
		}
	}
}
