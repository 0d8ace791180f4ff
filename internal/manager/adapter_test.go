package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"
)

// address returns the recorded address of the first adapter.
func (node *testNode) address() string {
	ia, _ := node.m.IA(node.ia)
	return *ia.IAAttributes.IAAddress
}

func TestAnAdapterShowsTheAttributesThatItsEngineReportsLater(t *testing.T) {
	node := newNode(t)
	node.hooks.setAddress("10.8.0.1")
	node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportPort, Reason: "RTNETLINK", Detail: "the address differs"})
	node.waitUntil("the address is recorded", func() bool { return node.address() == "10.8.0.1" })
	changes := node.rec.Of(node.ia)
	if c := changes[len(changes)-1]; c.Cause != "port" || *c.Reason != "the address differs" || c.Actor != dat.ActorEngine {
		t.Errorf("the change is %+v", c)
	}
	if ep := node.endpoint(node.newEP(node.ia).ep); *ep.LocalIAAddress != "10.8.0.1" {
		t.Errorf("a new endpoint has the address %s", *ep.LocalIAAddress)
	}
}

func TestADeviceThatReturnsWithOtherAttributesShowsThem_T49(t *testing.T) {
	node := newNode(t)
	node.loseDevice()
	node.hooks.setAddress("10.9.0.1")
	node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportPort}) // it is gone: nothing to show
	node.returnDevice()
	if got := node.address(); got != "10.9.0.1" {
		t.Errorf("the address is %s", got)
	}
}

func TestAServicePointThatDoesNotListenOnALaterAddressIsLogged(t *testing.T) {
	node := newNode(t)
	evd := node.newEVD(node.ia, 8, dat.StreamCR)
	sp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.ia, EVD: evd, ConnQual: new(int64(4711))})
	node.must(err)
	for _, id := range []dat.Handle{"freed", sp.ID} { // one of a service point that is no longer there is dropped
		node.soft.Fabric().Inject("soft0", rdma.Report{
			Kind: rdma.ReportNotListening, SP: id, LocalAddress: "10.8.0.1", LocalQual: 4711, Detail: "it is in use",
		})
	}
	node.waitUntil("it is logged", func() bool {
		return len(node.log.lines("WARN", string(sp.ID), "soft0@test", "10.8.0.1", "4711", "it is in use")) == 1
	})
	if got := node.log.lines("does not listen"); len(got) != 1 {
		t.Errorf("the log has %q", got)
	}
}
