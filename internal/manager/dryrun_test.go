package manager_test

import (
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestADryRunChangesNothingAnywhere(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	before, usage, n := node.soft.Fabric().Census(), node.usage(), len(node.rec.Changes())
	e, err := node.m.CreateEP(node.ctx(), dryRun, manager.EPCreate{IA: node.ia, Name: "n", Values: dat.Values{dat.ParamPZ: a.pz}})
	node.must(err)
	if e.ID != "" || e.Version != 0 || e.PZ != a.pz || e.Name != "n" {
		t.Errorf("the answer of a dry run: %+v", e)
	}
	e, err = node.m.ConnectEP(node.ctx(), dryRun, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 9})
	node.must(err)
	if e.State != dat.EPActiveConnectionPending {
		t.Errorf("a dry connect answers %s", e.State)
	}
	e, err = node.m.ModifyEP(node.ctx(), dryRun, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: dat.HandleNull}})
	node.must(err)
	if e.PZ != dat.HandleNull {
		t.Errorf("a dry modify answers pz %q", e.PZ)
	}
	node.must(node.m.FreeEP(node.ctx(), dryRun, a.ep))
	_, err = node.m.ResetEP(node.ctx(), dryRun, a.ep)
	node.must(err)
	_, err = node.m.DisconnectEP(node.ctx(), dryRun, a.ep, dat.CloseAbrupt)
	node.expectRefusal(err, dat.RetInvalidState)
	if after := node.soft.Fabric().Census(); after != before || node.usage() != usage || len(node.rec.Changes()) != n {
		t.Errorf("census %+v, was %+v; %d changes, were %d", after, before, len(node.rec.Changes()), n)
	}
	if s := node.state(a.ep); s != dat.EPUnconnected || node.endpoint(a.ep).PZ != a.pz {
		t.Errorf("the endpoint is %s", s)
	}
}

func TestADryRunRefusesANameThatIsTakenOnThisNode(t *testing.T) {
	node := newNode(t)
	_, err := node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: node.ia, Name: "taken"})
	node.must(err)
	other, err := node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: node.peer, Name: "other"})
	node.must(err)
	a := node.newEP(node.ia)
	_, err = node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Name: new(dat.Name("mine"))})
	node.must(err)
	tries := map[string]struct {
		try   func() error
		taken bool
	}{
		"create": {func() error {
			_, err := node.m.CreatePZ(node.ctx(), dryRun, manager.PZCreate{IA: node.peer, Name: "taken"})
			return err
		}, true},
		"create, another type": {func() error {
			_, err := node.m.CreateEP(node.ctx(), dryRun, manager.EPCreate{IA: node.ia, Name: "taken"})
			return err
		}, false},
		"create an endpoint": {func() error {
			_, err := node.m.CreateEP(node.ctx(), dryRun, manager.EPCreate{IA: node.ia, Name: "mine"})
			return err
		}, true},
		"keep": {func() error {
			_, err := node.m.ModifyEP(node.ctx(), dryRun, a.ep, manager.EPModify{Name: new(dat.Name("mine"))})
			return err
		}, false},
		"rename": {func() error {
			_, err := node.m.ModifyEP(node.ctx(), dryRun, node.newEP(node.ia).ep, manager.EPModify{Name: new(dat.Name("mine"))})
			return err
		}, true},
	}
	for what, c := range tries {
		err := c.try()
		var d *dat.Error
		if !c.taken && err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if c.taken && (!errors.As(err, &d) || d.Kind != "name-taken" || d.Field != "name") {
			t.Errorf("%s: %v", what, err)
		}
	}
	node.must(node.m.FreePZ(node.ctx(), testCall, other.ID))
	_, err = node.m.CreatePZ(node.ctx(), dryRun, manager.PZCreate{IA: node.ia, Name: "other"})
	node.must(err)
}

func TestADryRunRefusesAQualifierThatAServicePointHolds(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	_, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.ia, EVD: a.evd, ConnQual: new(int64(7100))})
	node.must(err)
	_, err = node.m.CreatePSP(node.ctx(), dryRun, manager.PSPCreate{IA: node.ia, EVD: a.evd, ConnQual: new(int64(7100))})
	if d := node.expectRefusal(err, dat.RetConnQualInUse); d.Field != "conn_qual" {
		t.Errorf("field %q", d.Field)
	}
	_, err = node.m.CreateRSP(node.ctx(), dryRun, manager.RSPCreate{IA: node.ia, ConnQual: 7100, Endpoint: a.ep, EVD: a.evd})
	node.expectRefusal(err, dat.RetConnQualInUse)
	b := node.newEP(node.peer)
	_, err = node.m.CreateRSP(node.ctx(), dryRun, manager.RSPCreate{IA: node.peer, ConnQual: 7100, Endpoint: b.ep, EVD: b.evd})
	node.must(err)
	for range 2 {
		_, err = node.m.CreatePSP(node.ctx(), dryRun, manager.PSPCreate{IA: node.peer, EVD: b.evd, ConnQual: new(int64(7101))})
		node.must(err)
	}
}

func TestADryRunOfAPostingUsesNoCookie(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	q, err := node.m.CreateSRQ(node.ctx(), testCall, manager.SRQCreate{IA: node.ia, PZ: a.pz, MaxRecvDTOs: 8, MaxRecvIOV: 1})
	node.must(err)
	posts := map[string]func(manager.Call) (manager.Posted, error){
		"endpoint": func(c manager.Call) (manager.Posted, error) {
			return node.m.PostRecv(node.ctx(), c, a.ep, manager.RecvPost{Count: 2, Size: 8})
		},
		"srq": func(c manager.Call) (manager.Posted, error) {
			return node.m.PostSRQRecv(node.ctx(), c, q.ID, manager.RecvPost{Count: 2, Size: 8})
		},
	}
	for what, post := range posts {
		would, err := post(dryRun)
		node.must(err)
		did, err := post(testCall)
		node.must(err)
		if would.Cookies[0] != did.Cookies[0] || would.Cookies[1] != did.Cookies[1] {
			t.Errorf("%s: a dry run says %q, the call %q", what, would.Cookies, did.Cookies)
		}
	}
}

func TestADryRunShowsTheLiveMembersOfTheRealAnswer(t *testing.T) {
	node := newNode(t)
	zone := node.newPZ(node.ia)
	made := manager.SRQCreate{IA: node.ia, PZ: zone, MaxRecvDTOs: 8, MaxRecvIOV: 1}
	shows := func(what string, q *dat.SRQ, err error, n int32) {
		t.Helper()
		node.must(err)
		if q.AvailableDTOCount == nil || q.OutstandingDTOCount == nil || *q.AvailableDTOCount != n || *q.OutstandingDTOCount != n {
			t.Errorf("%s shows %v and %v, want %d", what, q.AvailableDTOCount, q.OutstandingDTOCount, n)
		}
	}
	q, err := node.m.CreateSRQ(node.ctx(), dryRun, made)
	shows("a creation", q, err, 0)
	q, err = node.m.CreateSRQ(node.ctx(), testCall, made)
	node.must(err)
	id := q.ID
	_, err = node.m.PostSRQRecv(node.ctx(), testCall, id, manager.RecvPost{Count: 3, Size: 8})
	node.must(err)
	q, err = node.m.ModifySRQ(node.ctx(), dryRun, id, manager.SRQModify{MaxRecvDTOs: new(int64(16))})
	shows("a resize", q, err, 3)
	q, err = node.m.SetSRQLowWatermark(node.ctx(), dryRun, id, 2)
	shows("a mark", q, err, 3)
	e, err := node.m.CreateEVD(node.ctx(), dryRun, manager.EVDCreate{IA: node.ia, QLen: 8, Streams: []dat.Stream{dat.StreamDTO}})
	node.must(err)
	real, err := node.m.CreateEVD(node.ctx(), testCall, manager.EVDCreate{IA: node.ia, QLen: 8, Streams: []dat.Stream{dat.StreamDTO}})
	node.must(err)
	if e.Mode != real.Mode || e.InUseBy != real.InUseBy || e.Depth != real.Depth || e.ID != "" {
		t.Errorf("a dry run shows %+v, the call %+v", e, real)
	}
}
