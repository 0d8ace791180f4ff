package manager

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

func TestAQueuePairThatIsBeingMadeIsNoOrphan(t *testing.T) {
	orphan := func(n uint32) dat.Resource {
		return dat.Resource{Kind: dat.ResourceQP, Number: n, Owner: dat.OwnerOrphan}
	}
	got := confirmOrphans([]dat.Resource{orphan(1), orphan(2)}, []dat.Resource{orphan(2), orphan(3)})
	if len(got) != 2 || got[0].Owner != dat.OwnerOrphan || got[1].Owner != dat.OwnerDatapi {
		t.Errorf("the second look finds %+v", got)
	}
}
