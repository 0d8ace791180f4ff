package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestAModificationThatChangesNothingIsNotRecorded(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	n := len(node.rec.Changes())
	for _, v := range []dat.Values{{}, {dat.ParamPZ: a.pz}, {dat.ParamMaxRecvDTOs: int64(16)}} {
		e, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Values: v})
		node.must(err)
		if e.Version != 1 {
			t.Errorf("%v made version %d", v, e.Version)
		}
	}
	if got := len(node.rec.Changes()); got != n {
		t.Errorf("%d changes, want %d", got, n)
	}
	node.must(node.m.FreeEP(node.ctx(), testCall, a.ep))
	node.must(node.m.FreePZ(node.ctx(), testCall, a.pz))
}

func TestAModificationThatTheEngineRefusesIsNotRecorded(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	version := node.endpoint(a.ep).Version
	node.hooks.refuse("Modify", errRefused)
	_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(3)}})
	node.expectRefusal(err, dat.RetInsufficientResources)
	if e := node.endpoint(a.ep); e.Version != version || e.Attributes.MaxRecvDTOs == 3 {
		t.Errorf("after the refusal: %+v", e)
	}
	changes := node.rec.Of(a.ep)
	if last := changes[len(changes)-1]; last.Outcome != dat.RetInsufficientResources || last.Version != version {
		t.Errorf("the refusal in the log: %+v", last)
	}
	node.hooks.refuse("PostRecv", errRefused)
	_, err = node.m.PostRecv(node.ctx(), testCall, a.ep, manager.RecvPost{Count: 2, Size: 8})
	node.expectRefusal(err, dat.RetInsufficientResources)
	if s := node.status(a.ep); !s.RecvIdle {
		t.Errorf("%d receives are outstanding after none was taken", s.Recvs)
	}
}
