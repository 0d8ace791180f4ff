package manager_test

import (
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

var dry = manager.Call{Actor: "test", DryRun: true}

func TestADryRunRefusesANameThatIsTakenOnThisNode(t *testing.T) {
	r := newRig(t)
	_, err := r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: r.ia, Name: "taken"})
	r.must(err)
	other, err := r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: r.peer, Name: "other"})
	r.must(err)
	a := r.end(r.ia)
	_, err = r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Name: ptr(dat.Name("mine"))})
	r.must(err)
	tries := map[string]struct {
		try   func() error
		taken bool
	}{
		"create": {func() error {
			_, err := r.m.CreatePZ(r.ctx(), dry, manager.PZCreate{IA: r.peer, Name: "taken"})
			return err
		}, true},
		"create, another type": {func() error {
			_, err := r.m.CreateEP(r.ctx(), dry, manager.EPCreate{IA: r.ia, Name: "taken"})
			return err
		}, false},
		"create an endpoint": {func() error {
			_, err := r.m.CreateEP(r.ctx(), dry, manager.EPCreate{IA: r.ia, Name: "mine"})
			return err
		}, true},
		"keep": {func() error {
			_, err := r.m.ModifyEP(r.ctx(), dry, a.ep, manager.EPModify{Name: ptr(dat.Name("mine"))})
			return err
		}, false},
		"rename": {func() error {
			_, err := r.m.ModifyEP(r.ctx(), dry, r.end(r.ia).ep, manager.EPModify{Name: ptr(dat.Name("mine"))})
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
	r.must(r.m.FreePZ(r.ctx(), by, other.ID))
	_, err = r.m.CreatePZ(r.ctx(), dry, manager.PZCreate{IA: r.ia, Name: "other"})
	r.must(err)
}

func TestADryRunRefusesAQualifierThatAServicePointHolds(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	_, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.ia, EVD: a.evd, ConnQual: ptr(int64(7100))})
	r.must(err)
	_, err = r.m.CreatePSP(r.ctx(), dry, manager.PSPCreate{IA: r.ia, EVD: a.evd, ConnQual: ptr(int64(7100))})
	if d := r.refusal(err, dat.RetConnQualInUse); d.Field != "conn_qual" {
		t.Errorf("field %q", d.Field)
	}
	_, err = r.m.CreateRSP(r.ctx(), dry, manager.RSPCreate{IA: r.ia, ConnQual: 7100, Endpoint: a.ep, EVD: a.evd})
	r.refusal(err, dat.RetConnQualInUse)
	b := r.end(r.peer)
	_, err = r.m.CreateRSP(r.ctx(), dry, manager.RSPCreate{IA: r.peer, ConnQual: 7100, Endpoint: b.ep, EVD: b.evd})
	r.must(err)
	for range 2 {
		_, err = r.m.CreatePSP(r.ctx(), dry, manager.PSPCreate{IA: r.peer, EVD: b.evd, ConnQual: ptr(int64(7101))})
		r.must(err)
	}
}

func TestADryPostingTakesNoCookie(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	q, err := r.m.CreateSRQ(r.ctx(), by, manager.SRQCreate{IA: r.ia, PZ: a.pz, MaxRecvDTOs: 8, MaxRecvIOV: 1})
	r.must(err)
	posts := map[string]func(manager.Call) (manager.Posted, error){
		"endpoint": func(c manager.Call) (manager.Posted, error) {
			return r.m.PostRecv(r.ctx(), c, a.ep, manager.RecvPost{Count: 2, Size: 8})
		},
		"srq": func(c manager.Call) (manager.Posted, error) {
			return r.m.PostSRQRecv(r.ctx(), c, q.ID, manager.RecvPost{Count: 2, Size: 8})
		},
	}
	for what, post := range posts {
		would, err := post(dry)
		r.must(err)
		did, err := post(by)
		r.must(err)
		if would.Cookies[0] != did.Cookies[0] || would.Cookies[1] != did.Cookies[1] {
			t.Errorf("%s: a dry run says %q, the call %q", what, would.Cookies, did.Cookies)
		}
	}
}

func TestADryRunShowsTheLiveMembersOfTheRealAnswer(t *testing.T) {
	r := newRig(t)
	zone := r.pz(r.ia)
	made := manager.SRQCreate{IA: r.ia, PZ: zone, MaxRecvDTOs: 8, MaxRecvIOV: 1}
	shows := func(what string, q *dat.SRQ, err error, n int32) {
		t.Helper()
		r.must(err)
		if q.AvailableDTOCount == nil || q.OutstandingDTOCount == nil || *q.AvailableDTOCount != n || *q.OutstandingDTOCount != n {
			t.Errorf("%s shows %v and %v, want %d", what, q.AvailableDTOCount, q.OutstandingDTOCount, n)
		}
	}
	q, err := r.m.CreateSRQ(r.ctx(), dry, made)
	shows("a creation", q, err, 0)
	q, err = r.m.CreateSRQ(r.ctx(), by, made)
	r.must(err)
	id := q.ID
	_, err = r.m.PostSRQRecv(r.ctx(), by, id, manager.RecvPost{Count: 3, Size: 8})
	r.must(err)
	q, err = r.m.ModifySRQ(r.ctx(), dry, id, manager.SRQModify{MaxRecvDTOs: ptr(int64(16))})
	shows("a resize", q, err, 3)
	q, err = r.m.SetSRQLowWatermark(r.ctx(), dry, id, 2)
	shows("a mark", q, err, 3)
	e, err := r.m.CreateEVD(r.ctx(), dry, manager.EVDCreate{IA: r.ia, QLen: 8, Streams: []dat.Stream{dat.StreamDTO}})
	r.must(err)
	real, err := r.m.CreateEVD(r.ctx(), by, manager.EVDCreate{IA: r.ia, QLen: 8, Streams: []dat.Stream{dat.StreamDTO}})
	r.must(err)
	if e.Mode != real.Mode || e.InUseBy != real.InUseBy || e.Depth != real.Depth || e.ID != "" {
		t.Errorf("a dry run shows %+v, the call %+v", e, real)
	}
}
