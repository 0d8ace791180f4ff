package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma/soft"
)

func TestARegionThatIsRefusedReturnsItsMemory(t *testing.T) {
	node := newNode(t, soft.WithLimits(func(a *dat.IAAttributes) { a.MaxLMRs = 1 }))
	zone := node.newPZ(node.ia)
	create := func() (*dat.LMR, error) {
		return node.m.CreateLMR(node.ctx(), testCall, manager.LMRCreate{IA: node.ia, PZ: zone, Length: 1 << 26})
	}
	l, err := create()
	node.must(err)
	for range 20 {
		_, err = create()
		if d := node.expectRefusal(err, dat.RetInsufficientResources); d.Subtype != dat.SubResourceMemoryRegion {
			t.Fatalf("subtype %s", d.Subtype)
		}
	}
	node.must(node.m.FreeLMR(node.ctx(), testCall, l.ID))
	_, err = create()
	node.must(err)
}
