package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"
)

// srqWithEndpoint returns an SRQ with two receives and an endpoint on it.
func (node *testNode) srqWithEndpoint(zone, evd dat.Handle) (srq, ep dat.Handle) {
	node.Helper()
	q, err := node.m.CreateSRQ(node.ctx(), testCall, manager.SRQCreate{IA: node.ia, PZ: zone, MaxRecvDTOs: 2, MaxRecvIOV: 1})
	node.must(err)
	e, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia, SRQ: q.ID, Values: dat.Values{dat.ParamPZ: zone, dat.ParamRecvEVD: evd}})
	node.must(err)
	_, err = node.m.PostSRQRecv(node.ctx(), testCall, q.ID, manager.RecvPost{Count: 2, Size: 8})
	node.must(err)
	return q.ID, e.ID
}

// outstandingRecvs returns the number of an SRQ's outstanding receives.
func (node *testNode) outstandingRecvs(srq dat.Handle) int32 {
	node.Helper()
	o, ok := node.m.Get(dat.TypeSRQ, srq)
	if !ok {
		node.Fatal("no srq")
	}
	return *o.(*dat.SRQ).OutstandingDTOCount
}

func TestCompletionsLostWithTheirEVDAreNotOutstandingOnTheSRQ(t *testing.T) {
	node := newNode(t)
	zone, evd := node.newPZ(node.ia), node.newEVD(node.ia, 8, dat.StreamDTO)
	q, ep := node.srqWithEndpoint(zone, evd)
	for wr := uint64(1); wr <= 2; wr++ {
		node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportCompletion, EP: ep, WR: wr, Status: dat.DTOSuccess})
	}
	node.waitUntil("both completed", func() bool { got, _ := node.m.Look(evd, 2); return len(got) == 2 })
	if n := node.outstandingRecvs(q); n != 2 {
		t.Fatalf("%d outstanding before the consumer has them", n)
	}
	node.must(node.m.FreeEP(node.ctx(), testCall, ep))
	node.must(node.m.FreeEVD(node.ctx(), testCall, evd))
	if n := node.outstandingRecvs(q); n != 0 {
		t.Errorf("%d outstanding", n)
	}
}

func TestAReceiveTakenByAFreedEndpointIsNotOutstandingOnTheSRQ(t *testing.T) {
	node := newNode(t)
	q, ep := node.srqWithEndpoint(node.newPZ(node.ia), dat.HandleNull)
	node.must(node.m.FreeEP(node.ctx(), testCall, ep))
	node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportRecvTaken, EP: ep, SRQ: q, WR: 1})
	node.waitUntil("it left", func() bool { return node.outstandingRecvs(q) == 1 })
	node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportCompletion, EP: ep, SRQ: q, WR: 2, Status: dat.DTOErrFlushed})
	node.waitUntil("so did the other", func() bool { return node.outstandingRecvs(q) == 0 })
}

func TestALowWatermarkThatTheEngineRefusesIsReverted(t *testing.T) {
	node := newNode(t)
	q, _ := node.srqWithEndpoint(node.newPZ(node.ia), dat.HandleNull)
	node.hooks.refuse("SetLowWatermark", errRefused)
	_, err := node.m.SetSRQLowWatermark(node.ctx(), testCall, q, 1)
	node.expectRefusal(err, dat.RetInsufficientResources)
	o, _ := node.m.Get(dat.TypeSRQ, q)
	if low := o.(*dat.SRQ).LowWatermark; low != 0 {
		t.Errorf("the mark is %d", low)
	}
}
