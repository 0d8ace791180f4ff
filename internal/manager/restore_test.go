package manager_test

import (
	"context"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// restart closes the node and starts another one on what it recorded.
func (node *testNode) restart(opts ...soft.Option) *testNode {
	node.Helper()
	node.close()
	return startNode(node.T, node.rec, node.rec.Living(), opts...)
}

func TestARestartWithoutLossRecordsNothing(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(3)}})
	node.must(err)
	_, err = node.m.SetWatermark(node.ctx(), testCall, a.ep, new(int64(1)), new(int64(9)))
	node.must(err)
	was, n := node.endpoint(a.ep), len(node.rec.Changes())
	node = node.restart()
	if got := node.rec.Changes()[n:]; len(got) > 0 {
		t.Errorf("changes of a restart: %+v", got)
	}
	now := node.endpoint(a.ep)
	if now.Version != was.Version || now.Attributes.MaxRecvDTOs != 3 || now.Watermarks != was.Watermarks {
		t.Errorf("after %+v, before %+v", now, was)
	}
	node.expectRefusal(node.m.FreePZ(node.ctx(), testCall, a.pz), dat.RetInvalidState)
	b := node.newEP(node.peer)
	node.connect(a, b)
	if ia, _ := node.m.IA(node.ia); ia.Usage.Endpoints != 1 || ia.Usage.EVDs != 2 {
		t.Errorf("usage %+v", ia.Usage)
	}
}

func TestARestartRecordsWhichConnectionsWereLost(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	node.waitForState(a.ep, dat.EPConnected)
	node.waitForState(b.ep, dat.EPConnected)
	node = node.restart()
	for _, ep := range []dat.Handle{a.ep, b.ep} {
		e := node.endpoint(ep)
		if e.State != dat.EPUnconnected || e.Peer != nil || e.RemoteIAAddress != nil || e.LastEvent == nil {
			t.Errorf("after the restart: %+v", e)
		}
		changes := node.rec.Of(ep)
		if last := changes[len(changes)-1]; last.Cause != "restore" || last.Reason == nil {
			t.Errorf("the last change is %+v", last)
		}
	}
	node.connect(a, b)
}

func TestARestartKeepsReservationsAndEndsRequests(t *testing.T) {
	node := newNode(t)
	waiting, asked, caller := node.newEP(node.peer), node.newEP(node.peer), node.newEP(node.ia)
	for i, e := range []testEP{waiting, asked} {
		_, err := node.m.CreateRSP(node.ctx(), testCall, manager.RSPCreate{IA: node.peer, ConnQual: int64(7000 + i), Endpoint: e.ep, EVD: e.evd})
		node.must(err)
	}
	_, err := node.m.ConnectEP(node.ctx(), testCall, caller.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 7001})
	node.must(err)
	cr := node.expectEvent(asked.evd, dat.EventConnectionRequest).Data.CR
	node.waitForState(asked.ep, dat.EPPassiveConnectionPending)
	node.waitUntil("the request is recorded", func() bool { return node.rec.Image(cr) != nil })
	node = node.restart()
	for _, e := range []testEP{waiting, asked} {
		if s := node.endpoint(e.ep).State; s != dat.EPReserved {
			t.Errorf("an endpoint with an RSP is %s", s)
		}
	}
	if _, ok := node.m.Get(dat.TypeCR, cr); ok || node.rec.Image(cr) != nil {
		t.Error("the request of the last process still lives")
	}
	_, err = node.m.ConnectEP(node.ctx(), testCall, caller.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 7001})
	node.must(err)
	_, err = node.m.AcceptCR(node.ctx(), testCall, node.expectEvent(asked.evd, dat.EventConnectionRequest).Data.CR, manager.CRAccept{})
	node.must(err)
	node.expectEvent(caller.evd, dat.EventEstablished)
}

func TestAnEndpointThatARequestBroughtEndsWithItAtARestart(t *testing.T) { // T18
	node := newNode(t)
	caller, evd := node.newEP(node.ia), node.newEVD(node.peer, 8, dat.StreamCR)
	psp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.peer, EVD: evd, EPCreator: dat.PSPProvider})
	node.must(err)
	_, err = node.m.ConnectEP(node.ctx(), testCall, caller.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(psp.ConnQual)})
	node.must(err)
	brought := node.expectEvent(evd, dat.EventConnectionRequest).Endpoint
	zone := node.newPZ(node.peer)
	node.waitUntil("the endpoint is recorded", func() bool { return node.rec.Image(brought) != nil })
	_, err = node.m.ModifyEP(node.ctx(), testCall, brought, manager.EPModify{Values: dat.Values{dat.ParamPZ: zone}})
	node.must(err)
	node = node.restart()
	if _, ok := node.m.Get(dat.TypeEndpoint, brought); ok || node.rec.Image(brought) != nil {
		t.Error("the endpoint outlives its request")
	}
	changes := node.rec.Of(brought)
	if last := changes[len(changes)-1]; last.Cause != "restore" || last.Reason == nil {
		t.Errorf("its last change is %+v", last)
	}
	node.must(node.m.FreePZ(node.ctx(), testCall, zone)) // nothing refers to it any more
	if u := node.usage(); u.Endpoints != 1 {
		t.Errorf("usage %+v", u)
	}
}

// closedProvider is a provider that cannot be opened.
type closedProvider struct{ rdma.Provider }

func (closedProvider) Open(context.Context) ([]rdma.IA, error) {
	return nil, &dat.Error{Return: dat.RetProviderNotFound, Detail: "The library is missing; install it."}
}

func TestAnAdapterWhoseProviderCannotBeOpenedSaysWhy(t *testing.T) {
	node := newNode(t)
	node.close()
	m := manager.NewManager("test", node.rec)
	if err := m.AddProvider(t.Context(), closedProvider{soft.New(2)}); err == nil {
		t.Fatal("a provider that cannot be opened was added")
	}
	node.must(m.Restore(t.Context(), node.rec.Living()))
	ia, ok := m.IA(node.ia)
	if !ok || ia.State != dat.IAGone || ia.Detail == nil || *ia.Detail != "The library is missing; install it." {
		t.Errorf("the adapter is %+v", ia)
	}
	_, err := m.Close(t.Context())
	node.must(err)
}

func TestAnObjectThatTheEngineRefusesToMakeAgainIsListedAndCanBeFreed(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	node.close()
	restarted := &testNode{T: t, rec: node.rec, soft: soft.New(2), hooks: &hooks{}}
	restarted.hooks.refuse("CreateEP", errRefused)
	restarted.start(node.rec, node.rec.Living())
	e := restarted.endpoint(a.ep)
	if e.LastEvent == nil || e.LastEvent.Detail == nil || *e.LastEvent.Reason != errRefused.Return.String() {
		t.Errorf("the reason is not shown: %+v", e.LastEvent)
	}
	_, err := restarted.m.ConnectEP(t.Context(), testCall, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 9})
	restarted.expectRefusal(err, dat.RetInvalidState)
	restarted.must(restarted.m.FreeEP(t.Context(), testCall, a.ep))
	restarted.must(restarted.m.FreePZ(t.Context(), testCall, a.pz))
}
