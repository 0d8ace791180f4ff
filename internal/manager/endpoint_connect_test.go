package manager_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestAConnectThatTheEngineRefusesIsReverted(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	node.hooks.refuse("Connect", errRefused)
	_, err := node.m.ConnectEP(node.ctx(), testCall, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 9})
	node.expectRefusal(err, dat.RetInsufficientResources)
	if e := node.endpoint(a.ep); e.State != dat.EPUnconnected || e.RemoteIAAddress != nil {
		t.Errorf("after the refusal: %+v", e)
	}
	if got, want := node.causes(a.ep), []string{"dat_ep_create", "dat_ep_connect", "dat_ep_connect"}; !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}

func TestAPeerThatIsFoundUnreachableDuringTheCallIsAnEvent_D19(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	node.hooks.refuse("Connect", &dat.Error{Return: dat.RetInvalidAddress, Subtype: dat.SubInvalidAddressUnreachable, Detail: "no route; name an address that there is a route to"})
	_, err := node.m.ConnectEP(node.ctx(), testCall, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.9", RemotePortQual: 9})
	node.must(err)
	node.expectEvent(a.evd, dat.EventUnreachable)
	node.waitForState(a.ep, dat.EPDisconnected)
}

func TestAnAcceptThatTheEngineRefusesDisconnectsTheEndpoint_D18(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	sp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.peer, EVD: b.evd})
	node.must(err)
	_, err = node.m.ConnectEP(node.ctx(), testCall, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(sp.ConnQual), TimeoutUS: new(int64(50000))})
	node.must(err)
	cr := node.expectEvent(b.evd, dat.EventConnectionRequest).Data.CR
	node.hooks.refuse("Accept", errRefused)
	_, err = node.m.AcceptCR(node.ctx(), testCall, cr, manager.CRAccept{Endpoint: b.ep})
	node.must(err)
	node.expectEvent(b.evd, dat.EventAcceptCompletionError)
	node.waitForState(b.ep, dat.EPDisconnected)
	node.waitForState(a.ep, dat.EPDisconnected)
	if _, ok := node.m.Get(dat.TypeCR, cr); ok {
		t.Error("the request is still listed")
	}
}

func TestTheConsumersTimerEndsAConnectOnlyWhileThatIsPending_T25_D20(t *testing.T) {
	withFakeTime(t, func(node *testNode) {
		a, b := node.newEP(node.ia), node.newEP(node.peer)
		sp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.peer, EVD: b.evd})
		node.must(err)
		to := manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(sp.ConnQual), TimeoutUS: new(int64(2_000_000))}
		_, err = node.m.ConnectEP(node.ctx(), testCall, a.ep, to)
		node.must(err)
		cr := node.expectEvent(b.evd, dat.EventConnectionRequest).Data.CR
		time.Sleep(1999 * time.Millisecond)
		synctest.Wait()
		if s := node.state(a.ep); s != dat.EPActiveConnectionPending {
			t.Errorf("before its time: %s", s)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		e := node.waitForState(a.ep, dat.EPDisconnected)
		if e.LastEvent.Event != dat.EventTimedOut {
			t.Errorf("last event %+v", e.LastEvent)
		}
		node.expectEvent(a.evd, dat.EventTimedOut)
		node.must(node.m.RejectCR(node.ctx(), testCall, cr, nil))
		_, err = node.m.ResetEP(node.ctx(), testCall, a.ep)
		node.must(err)
		_, err = node.m.ConnectEP(node.ctx(), testCall, a.ep, to)
		node.must(err)
		_, err = node.m.AcceptCR(node.ctx(), testCall, node.expectEvent(b.evd, dat.EventConnectionRequest).Data.CR, manager.CRAccept{Endpoint: b.ep})
		node.must(err)
		synctest.Wait()
		time.Sleep(time.Hour)
		synctest.Wait()
		if s := node.state(a.ep); s != dat.EPConnected {
			t.Errorf("long after the connection: %s", s)
		}
	})
}
