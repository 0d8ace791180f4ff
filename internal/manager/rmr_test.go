package manager_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"
)

// outstandingBind returns an RMR and an LMR with a bind that the engine never
// completes, and the bind's cookie.
func (node *testNode) outstandingBind(a testEP) (rmr, lmr dat.Handle, wr string) {
	node.Helper()
	l, err := node.m.CreateLMR(node.ctx(), testCall, manager.LMRCreate{
		IA: node.ia, PZ: a.pz, Length: 4096,
		Privileges: []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteRead, dat.PrivRemoteWrite},
	})
	node.must(err)
	w, err := node.m.CreateRMR(node.ctx(), testCall, manager.RMRCreate{IA: node.ia, PZ: a.pz})
	node.must(err)
	node.hooks.refuse("Post swallows", errors.New("yes"))
	defer node.hooks.refuse("Post swallows", nil)
	p, err := node.m.BindRMR(node.ctx(), testCall, a.ep, manager.BindPost{RMR: w.ID, LMR: l.ID, Length: 16, Privileges: []dat.Privilege{dat.PrivRemoteRead}})
	node.must(err)
	return w.ID, l.ID, p.Cookies[0]
}

// workRequestOf returns the id of the work request behind a cookie that the Manager
// made.
func workRequestOf(t *testing.T, cookie string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cookie, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAResetReleasesTheRegionsOfOutstandingBinds(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	_, lmr, _ := node.outstandingBind(a)
	_, err := node.m.DisconnectEP(node.ctx(), testCall, a.ep, dat.CloseAbrupt)
	node.must(err)
	_, err = node.m.ResetEP(node.ctx(), testCall, a.ep)
	node.must(err)
	node.must(node.m.FreeLMR(node.ctx(), testCall, lmr))
}

func TestABindThatCompletesAfterItsRMRWasFreedUsesNoRegion(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	rmr, lmr, cookie := node.outstandingBind(a)
	node.must(node.m.FreeRMR(node.ctx(), testCall, rmr))
	node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportCompletion, EP: a.ep, WR: workRequestOf(t, cookie), Operation: dat.KindRMRBind, Status: dat.DTOSuccess})
	node.expectEvent(a.evd, dat.EventRMRBindCompletion)
	node.must(node.m.FreeLMR(node.ctx(), testCall, lmr))
}

func TestABindOfLengthZeroUnbindsTheRMR(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	l, err := node.m.CreateLMR(node.ctx(), testCall, manager.LMRCreate{
		IA: node.ia, PZ: a.pz, Length: 4096, Privileges: []dat.Privilege{dat.PrivLocalRead, dat.PrivRemoteRead},
	})
	node.must(err)
	w, err := node.m.CreateRMR(node.ctx(), testCall, manager.RMRCreate{IA: node.ia, PZ: a.pz})
	node.must(err)
	for _, length := range []int64{16, 0} {
		_, err = node.m.BindRMR(node.ctx(), testCall, a.ep, manager.BindPost{RMR: w.ID, LMR: l.ID, Length: length, Privileges: []dat.Privilege{dat.PrivRemoteRead}})
		node.must(err)
		node.expectEvent(a.evd, dat.EventRMRBindCompletion)
	}
	o, _ := node.m.Get(dat.TypeRMR, w.ID)
	if got := o.(*dat.RMR); got.LMR != dat.HandleNull || got.RMRContext != nil || got.TargetAddress != nil || len(got.Privileges) != 0 {
		t.Errorf("the window shows %+v", got)
	}
	node.must(node.m.FreeLMR(node.ctx(), testCall, l.ID))
}
