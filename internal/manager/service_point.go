package manager

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// servicePoint is a PSP or an RSP.
type servicePoint struct {
	object
	hw providerPart[rdma.Listener]
	// used tells that an RSP has had its one request: it holds its endpoint no more.
	used atomic.Bool
	// early are requests that came before the service point was recorded; they
	// belong to the adapter's lock.
	earlyRequests []rdma.Report
}

// CreatePSP is dat_psp_create, without a qualifier dat_psp_create_any. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_CONN_QUAL_IN_USE,
// DAT_CONN_QUAL_UNAVAILABLE, DAT_MODEL_NOT_SUPPORTED.
func (m *Manager) CreatePSP(ctx context.Context, c Call, in PSPCreate) (*dat.PSP, error) {
	return write(ctx, m, c, in.IA, pspCause(in), func(u *unit) (*object, *dat.PSP, error) {
		return u.createPSP(c, in)
	})
}

func pspCause(in PSPCreate) string {
	if in.ConnQual == nil {
		return "dat_psp_create_any"
	}
	return "dat_psp_create"
}

func (u *unit) createPSP(c Call, in PSPCreate) (*object, *dat.PSP, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	sp := &servicePoint{object: newObject(ia, dat.TypePSP, newID())}
	img := &dat.PSP{Meta: sp.meta(in.Name, in.Labels), EVD: in.EVD, EPCreator: in.EPCreator}
	if in.ConnQual != nil {
		img.ConnQual = int32(*in.ConnQual)
	}
	if _, err := u.admit(ia, sp, func(handles resolver) (dat.Object, *dat.Error) {
		return img, dat.CheckPSPCreate(&ia.facts, in.ConnQual, in.EVD, in.EPCreator, handles)
	}); err != nil {
		return nil, nil, err
	}
	if c.DryRun {
		return &sp.object, withoutIdentity(c, img), sp.checkQualFree(img.ConnQual)
	}
	if img.ConnQual, err = sp.listen(hw, img.ConnQual, false); err != nil {
		return nil, nil, err
	}
	u.undo = append(u.undo, func() { sp.destroy() })
	u.add(c, &sp.object, pspCause(in), applyCreate(img), nil)
	u.after = append(u.after, func() { u.m.serveEarlyRequests(sp) })
	return &sp.object, img, nil
}

// qualFree is what a dry run knows of a qualifier without the engine: another
// service point of the adapter may hold it. 0 asks for any.
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

// listen makes the provider's part; it gives the qualifier really listened on.
func (sp *servicePoint) listen(hw rdma.IA, qual int32, once bool) (int32, error) {
	made, err := hw.Listen(sp.id, qual, once)
	if err != nil {
		return 0, asError(err)
	}
	sp.hw.set(made)
	return made.Qual(), nil
}

func (sp *servicePoint) destroy() { sp.hw.free() }

// FreePSP is dat_psp_free; requests that came before stay valid. The error is
// DAT_INVALID_HANDLE.
func (m *Manager) FreePSP(ctx context.Context, c Call, id dat.Handle) error {
	return free(ctx, m, c, id, "dat_psp_free", func(u *unit) error { return u.freePSP(c, id) })
}

func (u *unit) freePSP(c Call, id dat.Handle) error {
	sp, err := target[*servicePoint](u, dat.TypePSP, id)
	if err != nil {
		return err
	}
	if sp.typ != dat.TypePSP {
		return errHandle(dat.TypePSP, id)
	}
	return u.freeUnused(c, sp, "dat_psp_free", nil, func() { sp.destroy() })
}

// CreateRSP is dat_rsp_create: the endpoint becomes RESERVED in the same record
// (T4, T5). Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INVALID_STATE,
// DAT_CONN_QUAL_IN_USE.
func (m *Manager) CreateRSP(ctx context.Context, c Call, in RSPCreate) (*dat.RSP, error) {
	return write(ctx, m, c, in.IA, "dat_rsp_create", func(u *unit) (*object, *dat.RSP, error) {
		return u.createRSP(c, in)
	})
}

func (u *unit) createRSP(c Call, in RSPCreate) (*object, *dat.RSP, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	ep, now, err := u.reservableEndpoint(in.Endpoint)
	if err != nil {
		return nil, nil, err
	}
	sp := &servicePoint{object: newObject(ia, dat.TypeRSP, newID())}
	img := &dat.RSP{Meta: sp.meta(in.Name, in.Labels), ConnQual: int32(in.ConnQual), EVD: in.EVD, Endpoint: in.Endpoint}
	if _, err := u.admit(ia, sp, func(handles resolver) (dat.Object, *dat.Error) {
		return img, dat.CheckRSPCreate(&ia.facts, in.ConnQual, now, in.EVD, handles)
	}); err != nil {
		return nil, nil, err
	}
	if err := checkOperation(now, dat.OpCreateRSP); err != nil {
		return nil, nil, err
	}
	if c.DryRun {
		return &sp.object, withoutIdentity(c, img), sp.checkQualFree(img.ConnQual)
	}
	if img.ConnQual, err = sp.listen(hw, img.ConnQual, true); err != nil {
		return nil, nil, err
	}
	u.undo = append(u.undo, func() { sp.destroy() })
	u.add(c, &sp.object, "dat_rsp_create", applyCreate(img), nil)
	kept := c
	kept.Keep = nil
	qual := img.ConnQual
	u.addMove(kept, ep, dat.OpCreateRSP, now.State, dat.Judge(now.State, dat.OpCreateRSP), eventDetails{
		change: func(e *dat.Endpoint) { e.LocalPortQual = &qual },
	})
	u.after = append(u.after, func() { u.m.serveEarlyRequests(sp) })
	return &sp.object, img, nil
}

// reservable locks the endpoint of an RSP; both are nil for a handle that names none.
func (u *unit) reservableEndpoint(h dat.Handle) (*endpoint, *dat.Endpoint, error) {
	ep, err := target[*endpoint](u, dat.TypeEndpoint, h)
	var d *dat.Error
	if errors.As(err, &d) && d.Return == dat.RetInvalidHandle {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return ep, u.live(ep), nil
}

// FreeRSP is dat_rsp_free: its endpoint is UNCONNECTED again where no request came
// (T6), else stays (T7). The error is DAT_INVALID_HANDLE.
func (m *Manager) FreeRSP(ctx context.Context, c Call, id dat.Handle) error {
	return free(ctx, m, c, id, "dat_rsp_free", func(u *unit) error { return u.freeRSP(c, id) })
}

func (u *unit) freeRSP(c Call, id dat.Handle) error {
	sp, ok := find[*servicePoint](u.m, id)
	if !ok || !sp.reachable(u) {
		return errHandle(dat.TypeRSP, id)
	}
	rsp, isRSP := u.image(&sp.object).(*dat.RSP)
	if !isRSP {
		return errHandle(dat.TypeRSP, id)
	}
	locks := []*object{&sp.object}
	ep, ok := find[*endpoint](u.m, rsp.Endpoint)
	if ok && !sp.used.Load() {
		locks = append(locks, &ep.object)
	} else {
		ep = nil
	}
	if err := u.lock(locks...); err != nil {
		return err
	}
	if err := u.freeUnused(c, sp, "dat_rsp_free", nil, func() { sp.destroy() }); err != nil {
		return err
	}
	if ep == nil {
		return nil
	}
	now := u.live(ep)
	if v := dat.Judge(now.State, dat.OpFreeRSP); v.Kind == dat.Move {
		kept := c
		kept.Keep = nil
		u.addMove(kept, ep, dat.OpFreeRSP, now.State, v, eventDetails{})
	}
	return nil
}

// await keeps a request whose service point is not recorded yet. It tells whether
// it did.
func (sp *servicePoint) addEarlyRequest(r rdma.Report) bool {
	sp.ia.mu.Lock()
	defer sp.ia.mu.Unlock()
	if sp.life.phase() != phaseCreating {
		return false
	}
	sp.earlyRequests = append(sp.earlyRequests, r)
	return true
}

func (sp *servicePoint) takeEarlyRequests() []rdma.Report {
	sp.ia.mu.Lock()
	defer sp.ia.mu.Unlock()
	early := sp.earlyRequests
	sp.earlyRequests = nil
	return early
}

// rejectEarly answers requests of a service point that did not come to be.
func (sp *servicePoint) rejectEarlyRequests() {
	for _, r := range sp.takeEarlyRequests() {
		r.Request.Reject(false, nil)
	}
}

// serveEarly takes up the requests that came before the record.
func (m *Manager) serveEarlyRequests(sp *servicePoint) {
	for _, r := range sp.takeEarlyRequests() {
		m.handleRequest(r)
	}
}
