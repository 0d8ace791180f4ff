package manager_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma/soft"
)

func TestAnAdapterHasOneAsyncEVDInTheEngine(t *testing.T) {
	node := newNode(t)
	for _, when := range []string{"first start", "restart"} {
		if c := node.soft.Fabric().Census(); c.EVDs != 2 {
			t.Errorf("%s: %d EVDs for two adapters", when, c.EVDs)
		}
		if when == "first start" {
			node = node.restart()
		}
	}
}

func TestTheObjectsOfAMissingAdapterWaitForIt(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.peer)
	node.close()
	restarted := &testNode{T: t, rec: node.rec, soft: soft.New(1), hooks: &hooks{}}
	restarted.start(node.rec, node.rec.Living())
	if ia, ok := restarted.m.IA(node.peer); !ok || ia.State != dat.IAGone {
		t.Fatalf("the adapter is %+v", ia)
	}
	_, err := restarted.m.CreatePZ(t.Context(), testCall, manager.PZCreate{IA: node.peer})
	if d := restarted.expectRefusal(err, dat.RetInvalidState); d.Kind != "ia-gone" {
		t.Errorf("kind %q", d.Kind)
	}
	if s := restarted.state(a.ep); s != dat.EPUnconnected {
		t.Errorf("the endpoint is %s", s)
	}
	if name := restarted.soft.Fabric().Plug(); name != "soft1" {
		t.Fatalf("plugged %q", name)
	}
	restarted.waitUntil("the adapter is back", func() bool { ia, _ := restarted.m.IA(node.peer); return ia.State == dat.IAUp })
	b := restarted.newEP(node.ia)
	restarted.connect(b, a)
}

func TestAnAdapterIsUsedOnlyWhenItIsRecorded(t *testing.T) {
	node := newNode(t)
	plugged := dat.Handle("soft2@test")
	asked := make(chan error, 1)
	node.rec.Refuse(func(entries []dat.Entry) error {
		node.rec.Refuse(nil)
		_, err := node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: plugged})
		asked <- err
		return nil
	})
	node.soft.Fabric().Plug()
	node.expectRefusal(<-asked, dat.RetInvalidHandle)
	node.waitUntil("the adapter is there", func() bool { _, ok := node.m.IA(plugged); return ok })
	node.newPZ(plugged)
}

func TestAnAdapterThatIsPluggedInCanBeUsedImmediately(t *testing.T) {
	node := newNode(t)
	var users sync.WaitGroup
	for n := range 8 {
		users.Go(func() {
			ia := dat.Handle(fmt.Sprintf("soft%d@test", n+2))
			for {
				if _, ok := node.m.IA(ia); ok {
					break
				}
				_, err := node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: ia})
				if err == nil {
					break
				}
			}
			e := node.newEP(ia)
			node.check(node.m.FreeEP(node.ctx(), testCall, e.ep))
		})
		node.soft.Fabric().Plug()
	}
	users.Wait()
}

func TestAnAdapterThatCouldNotBeRecordedIsAddedLater(t *testing.T) {
	node := newNode(t)
	node.rec.Refuse(func([]dat.Entry) error { node.rec.Refuse(nil); return errNotRecorded })
	node.soft.Fabric().Plug()
	node.waitUntil("the adapter is there", func() bool { _, ok := node.m.IA("soft2@test"); return ok })
	node.newPZ("soft2@test")
}
