package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// Scope: what lies outside of it is not there, and nothing is left outside of it
func TestAWriteStaysInTheScopeOfItsCaller(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	mine := map[string]string{"team": "a"}
	ctx := manager.WithScope(node.ctx(), func(o dat.Object) bool { return o.Type() == dat.TypeIA || o.Head().Labels["team"] == "a" })
	zone, err := node.m.CreatePZ(ctx, testCall, manager.PZCreate{IA: node.ia, Labels: mine})
	node.must(err)
	before, usage := node.soft.Fabric().Census(), node.usage()

	_, err = node.m.CreatePZ(ctx, testCall, manager.PZCreate{IA: node.ia})
	node.expectRefusal(err, dat.RetPrivilegesViolation)
	_, err = node.m.CreateEP(ctx, testCall, manager.EPCreate{IA: node.ia, Labels: mine, Values: dat.Values{dat.ParamPZ: a.pz}})
	node.expectRefusal(err, dat.RetInvalidHandle)
	_, err = node.m.ModifyEP(ctx, testCall, a.ep, manager.EPModify{Labels: &mine})
	node.expectRefusal(err, dat.RetInvalidHandle)
	node.expectRefusal(node.m.FreeEVD(ctx, testCall, a.evd), dat.RetInvalidHandle)
	batch, err := node.m.BeginBatch(ctx, a.ep, zone.ID)
	node.must(err)
	_, err = batch.CreatePZ(testCall, manager.PZCreate{IA: node.ia, Labels: map[string]string{"team": "b"}})
	node.expectRefusal(err, dat.RetPrivilegesViolation)

	if after := node.soft.Fabric().Census(); after != before {
		t.Errorf("the engine has %+v, had %+v", after, before)
	}
	if after := node.usage(); after != usage {
		t.Errorf("there are %+v, were %+v", after, usage)
	}
	node.must(node.m.FreePZ(ctx, testCall, zone.ID))
	node.must(node.m.FreeEP(node.ctx(), testCall, a.ep))
}
