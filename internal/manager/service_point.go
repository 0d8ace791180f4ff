package manager

import (
	"fmt"
	"sync/atomic"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// servicePoint is a PSP or an RSP.
type servicePoint struct {
	object
	hw enginePart[rdma.Listener]
	// used says that an RSP has had its one request: it holds its endpoint no longer.
	used atomic.Bool
	// earlyRequests came before the service point was recorded. The registry's lock
	// guards them.
	earlyRequests []rdma.Report
}

// listen makes the engine's part. It returns the qualifier that the engine listens
// on: qual, or any free one if that is 0.
func (sp *servicePoint) listen(hw rdma.IA, qual int32, once bool) (int32, error) {
	made, err := created(sp.m().metrics, "listen", func() (rdma.Listener, error) { return hw.Listen(sp.id, qual, once) })
	if err != nil {
		return 0, err
	}
	sp.hw.set(made)
	return made.Qual(), nil
}

func (sp *servicePoint) destroy() { sp.hw.free(&sp.object, "") }

func (sp *servicePoint) remake(hw rdma.IA) (string, func(dat.Object), error) {
	switch img := sp.recorded().(type) {
	case *dat.PSP:
		_, err := sp.listen(hw, img.ConnQual, false)
		return "", nil, err
	case *dat.RSP:
		if sp.used.Load() {
			return "", nil, nil
		}
		_, err := sp.listen(hw, img.ConnQual, true)
		return "", nil, err
	}
	return "", nil, nil
}

func (sp *servicePoint) dropPart(why string) { sp.hw.free(&sp.object, why) }

// checkQualFree refuses a qualifier that another service point of the adapter has;
// 0 is always free. A dry run asks this instead of the engine.
func (sp *servicePoint) checkQualFree(qual int32) error {
	holder := sp.m().entitiesWhere(func(o *object) bool {
		switch img := o.recorded().(type) {
		case *dat.PSP:
			return o.ia == sp.ia && img.ConnQual == qual
		case *dat.RSP:
			return o.ia == sp.ia && img.ConnQual == qual
		}
		return false
	})
	if len(holder) == 0 {
		return nil
	}
	return &dat.Error{
		Return: dat.RetConnQualInUse, Field: "conn_qual",
		Detail: fmt.Sprintf("The service point %s has the qualifier %d; take a free one or ask for any.", holder[0].base().id, qual),
	}
}

// addEarlyRequest keeps a request that came before the service point was recorded,
// and reports whether it has kept it.
func (sp *servicePoint) addEarlyRequest(r rdma.Report) bool {
	sp.ia.mu.Lock()
	defer sp.ia.mu.Unlock()
	if sp.life.phase() != phaseCreating {
		return false
	}
	sp.earlyRequests = append(sp.earlyRequests, r)
	return true
}

// takeEarlyRequests returns the early requests and forgets them.
func (sp *servicePoint) takeEarlyRequests() []rdma.Report {
	sp.ia.mu.Lock()
	defer sp.ia.mu.Unlock()
	early := sp.earlyRequests
	sp.earlyRequests = nil
	return early
}

// rejectEarlyRequests rejects the early requests of a service point that was not
// recorded.
func (sp *servicePoint) rejectEarlyRequests() {
	for _, r := range sp.takeEarlyRequests() {
		sp.m().metrics.does("reject", func() { r.Request.Reject(false, nil) })
	}
}

// serveEarlyRequests handles the early requests of a service point that is recorded
// now.
func (m *Manager) serveEarlyRequests(sp *servicePoint) {
	for _, r := range sp.takeEarlyRequests() {
		m.handleRequest(r)
	}
}
