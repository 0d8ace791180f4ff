package manager_test

import (
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// errNotRecorded is the answer of a store that cannot record.
var errNotRecorded = &dat.Error{Return: dat.RetInterruptedCall, Kind: "store-away", Detail: "the disk is full; try again later"}

// whileRecordsFail runs f while every record fails.
func (node *testNode) whileRecordsFail(f func()) {
	node.rec.Refuse(func([]dat.Entry) error { return errNotRecorded })
	defer node.rec.Refuse(nil)
	f()
}

func TestACreationWhoseRecordFailsIsUndone(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	before, usage := node.soft.Fabric().Census(), node.usage()
	creations := map[string]func() error{
		"pz": func() error {
			_, err := node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: node.ia})
			return err
		},
		"evd": func() error { return node.tryCreateEVD() },
		"srq": func() error {
			_, err := node.m.CreateSRQ(node.ctx(), testCall, manager.SRQCreate{IA: node.ia, PZ: a.pz, MaxRecvDTOs: 8, MaxRecvIOV: 1})
			return err
		},
		"lmr": func() error {
			_, err := node.m.CreateLMR(node.ctx(), testCall, manager.LMRCreate{IA: node.ia, PZ: a.pz, Length: 4096})
			return err
		},
		"rmr": func() error {
			_, err := node.m.CreateRMR(node.ctx(), testCall, manager.RMRCreate{IA: node.ia, PZ: a.pz})
			return err
		},
		"endpoint": func() error {
			_, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia, Values: dat.Values{dat.ParamPZ: a.pz, dat.ParamRecvEVD: a.evd}})
			return err
		},
		"psp": func() error {
			_, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.ia, EVD: a.evd})
			return err
		},
		"rsp": func() error {
			_, err := node.m.CreateRSP(node.ctx(), testCall, manager.RSPCreate{IA: node.ia, ConnQual: 7000, Endpoint: a.ep, EVD: a.evd})
			return err
		},
	}
	for what, create := range creations {
		node.whileRecordsFail(func() {
			if err := create(); !errors.Is(err, errNotRecorded) {
				t.Errorf("%s: %v", what, err)
			}
		})
		if after := node.soft.Fabric().Census(); after != before {
			t.Errorf("%s left %+v, was %+v", what, after, before)
		}
		if after := node.usage(); after != usage {
			t.Errorf("%s left %+v, was %+v", what, after, usage)
		}
	}
	if s := node.state(a.ep); s != dat.EPUnconnected {
		t.Errorf("the endpoint of the RSP is %s", s)
	}
	node.must(node.m.FreeEP(node.ctx(), testCall, a.ep))
	node.must(node.m.FreePZ(node.ctx(), testCall, a.pz))
	node.must(node.m.FreeEVD(node.ctx(), testCall, a.evd))
}

func TestAModificationWhoseRecordFailsIsUndone(t *testing.T) {
	node := newNode(t)
	a, other := node.newEP(node.ia), node.newPZ(node.ia)
	was := node.endpoint(a.ep)
	node.whileRecordsFail(func() {
		_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: other, dat.ParamMaxRecvDTOs: int64(3)}})
		node.expectRefusal(err, dat.RetInterruptedCall)
		_, err = node.m.SetWatermark(node.ctx(), testCall, a.ep, new(int64(1)), nil)
		node.expectRefusal(err, dat.RetInterruptedCall)
		_, err = node.m.ModifyEVD(node.ctx(), testCall, a.evd, manager.EVDModify{QLen: new(int64(2))})
		node.expectRefusal(err, dat.RetInterruptedCall)
	})
	now := node.endpoint(a.ep)
	if now.Version != was.Version || now.PZ != was.PZ || now.Attributes.MaxRecvDTOs != was.Attributes.MaxRecvDTOs || now.Watermarks != was.Watermarks {
		t.Errorf("after the failure %+v, was %+v", now, was)
	}
	if live := node.m.Live(a.ep); live.PZ != was.PZ || live.Watermarks != was.Watermarks {
		t.Errorf("live %+v", live)
	}
	node.must(node.m.FreePZ(node.ctx(), testCall, other))
	node.expectRefusal(node.m.FreePZ(node.ctx(), testCall, a.pz), dat.RetInvalidState)
	for range 256 {
		node.postRecvs(a.ep, 1)
		if node.status(a.ep).Recvs == 16 {
			break
		}
	}
}

func TestAFreeWhoseRecordFailsFreesNothing(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	node.whileRecordsFail(func() {
		node.expectRefusal(node.m.FreeEP(node.ctx(), testCall, a.ep), dat.RetInterruptedCall)
	})
	if s := node.state(a.ep); s != dat.EPConnected {
		t.Errorf("the endpoint is %s", s)
	}
	node.must(node.m.FreeEP(node.ctx(), testCall, a.ep))
	node.expectEvent(b.evd, dat.EventDisconnected)
}
