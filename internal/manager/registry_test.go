package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma/soft"
)

func TestLimitsOfTheAdapterAreRefusedByName(t *testing.T) {
	node := newNode(t, soft.WithLimits(func(a *dat.IAAttributes) { a.MaxEPs, a.MaxPZs, a.MaxEVDs = 1, 1, 3 }))
	a := node.newEP(node.ia)
	_, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia})
	if d := node.expectRefusal(err, dat.RetInsufficientResources); d.Subtype != dat.SubResourceTEP {
		t.Errorf("subtype %s", d.Subtype)
	}
	_, err = node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: node.ia})
	if d := node.expectRefusal(err, dat.RetInsufficientResources); d.Subtype != dat.SubResourceProtectionDomain {
		t.Errorf("subtype %s", d.Subtype)
	}
	for err = nil; err == nil; err = node.tryCreateEVD() {
	}
	if d := node.expectRefusal(err, dat.RetInsufficientResources); d.Subtype != dat.SubResourceTEVD {
		t.Errorf("subtype %s", d.Subtype)
	}
	node.must(node.m.FreeEP(node.ctx(), testCall, a.ep))
	_, err = node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia})
	node.must(err)
}
