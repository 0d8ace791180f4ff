package dat

import (
	"math"
	"testing"
)

var posts = []Input{OpPostRecv, OpPostSend, OpPostRDMAWrite, OpPostRDMARead, OpBindRMR}

func TestPostsAreBoundedByTheDTOCountOfTheirDirection(t *testing.T) {
	e := newEndpoint(EPConnected)
	for _, in := range posts {
		wantAccepted(t, CheckPost(e, in, 15, 1, 10, nil))
		wantRefusal(t, CheckPost(e, in, 15, 2, 10, nil), RetInsufficientResources, SubNone, "count")
		wantRefusal(t, CheckPost(e, in, 0, math.MaxInt32, 10, nil), RetInsufficientResources, SubNone, "count")
		wantRefusal(t, CheckPost(e, in, 0, 0, 10, nil), RetInvalidParameter, SubInvalidArg2, "count")
		wantRefusal(t, CheckPost(e, in, 0, 1, -1, nil), RetInvalidParameter, SubInvalidArg2, "size")
	}
}

func TestPostsLongerThanTheEndpointAllowsAreLengthErrors(t *testing.T) {
	e := newEndpoint(EPConnected)
	e.Attributes.MaxMessageSize, e.Attributes.MaxRDMASize = 100, 200
	for in, most := range map[Input]int64{OpPostRecv: 100, OpPostSend: 100, OpPostRDMAWrite: 200, OpPostRDMARead: 200} {
		wantAccepted(t, CheckPost(e, in, 0, 1, most, nil))
		wantRefusal(t, CheckPost(e, in, 0, 1, most+1, nil), RetLengthError, SubNone, "size")
	}
	wantAccepted(t, CheckPost(e, OpBindRMR, 0, 1, 1<<40, nil))
}

func TestCountsAndSegmentsOfZeroMeanThatNothingCanBePosted(t *testing.T) {
	for in, empty := range map[Input]func(*EPAttributes){
		OpPostRecv:      func(a *EPAttributes) { a.MaxRecvIOV = 0 },
		OpPostSend:      func(a *EPAttributes) { a.MaxRequestIOV = 0 },
		OpPostRDMAWrite: func(a *EPAttributes) { a.MaxRDMAWriteIOV = 0 },
		OpPostRDMARead:  func(a *EPAttributes) { a.MaxRDMAReadIOV = 0 },
	} {
		e := newEndpoint(EPConnected)
		empty(&e.Attributes)
		wantRefusal(t, CheckPost(e, in, 0, 1, 1, nil), RetInvalidParameter, SubInvalidArg2, "")
	}
	e := newEndpoint(EPConnected)
	e.Attributes.MaxRecvDTOs, e.Attributes.MaxRequestDTOs = 0, 0
	for _, in := range posts {
		wantRefusal(t, CheckPost(e, in, 0, 1, 1, nil), RetInsufficientResources, SubNone, "count")
	}
	e = newEndpoint(EPConnected)
	e.Attributes.MaxRDMAReadOut = 0
	wantRefusal(t, CheckPost(e, OpPostRDMARead, 0, 1, 1, nil), RetInsufficientResources, SubNone, "count")
}

func TestD27AndA21RequestsTakeEveryPostingFlag(t *testing.T) {
	e := newEndpoint(EPConnected)
	e.Attributes.RequestCompletionFlags = CompletionUnsignalled
	all := []CompletionFlag{CompletionSuppress, CompletionSolicitedWait, CompletionBarrierFence, CompletionUnsignalled, CompletionDefault}
	for _, in := range []Input{OpPostSend, OpPostRDMAWrite, OpPostRDMARead, OpBindRMR} {
		wantAccepted(t, CheckPost(e, in, 0, 1, 1, all))
	}
}

func TestPostingFlagsThatTheOperationLacksAreRefused(t *testing.T) {
	e := newEndpoint(EPConnected)
	for in, sub := range map[Input]Subtype{OpPostRecv: SubInvalidArg5, OpPostSend: SubInvalidArg5, OpPostRDMAWrite: SubInvalidArg6, OpPostRDMARead: SubInvalidArg6, OpBindRMR: SubInvalidArg6} {
		for _, f := range []CompletionFlag{CompletionEVDThreshold, CompletionUnsignalled} {
			wantRefusal(t, CheckPost(e, in, 0, 1, 1, []CompletionFlag{f}), RetInvalidParameter, sub, "completion_flags")
		}
	}
	for _, f := range []CompletionFlag{CompletionSuppress, CompletionBarrierFence} {
		wantRefusal(t, CheckPost(e, OpPostRecv, 0, 1, 1, []CompletionFlag{f}), RetInvalidParameter, SubInvalidArg5, "completion_flags")
	}
}
