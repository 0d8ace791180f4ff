package manager

import (
	"context"
	"errors"

	"github.com/datapi/datapi/internal/dat"
)

// CreateRSP is dat_rsp_create. The endpoint becomes RESERVED in the same record
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
	ep, before, err := u.reservableEndpoint(in.Endpoint)
	if err != nil {
		return nil, nil, err
	}
	sp := &servicePoint{object: newObject(ia, dat.TypeRSP, newID())}
	img := &dat.RSP{Meta: sp.meta(in.Name, in.Labels), ConnQual: int32(in.ConnQual), EVD: in.EVD, Endpoint: in.Endpoint}
	if _, err := u.admit(ia, sp, func(handles resolver) (dat.Object, *dat.Error) {
		return img, dat.CheckRSPCreate(ia.facts.Load(), in.ConnQual, before, in.EVD, handles)
	}); err != nil {
		return nil, nil, err
	}
	if err := checkOperation(before, dat.OpCreateRSP); err != nil {
		return nil, nil, err
	}
	if c.DryRun {
		if err := sp.checkQualFree(img.ConnQual); err != nil {
			return nil, nil, err
		}
	}
	o, img, err := finishCreation(u, c, "dat_rsp_create", sp, img, func() (err error) {
		img.ConnQual, err = sp.listen(hw, img.ConnQual, true)
		return err
	})
	if err != nil || c.DryRun {
		return o, img, err
	}
	qual := img.ConnQual
	u.addMove(c.withoutAnswer(), ep, dat.OpCreateRSP, before.State, dat.Judge(before.State, dat.OpCreateRSP), eventDetails{
		change: func(e *dat.Endpoint) { e.LocalPortQual = &qual },
	})
	u.after = append(u.after, func() { u.m.serveEarlyRequests(sp) })
	return o, img, nil
}

// reservableEndpoint returns the endpoint of an RSP, locked, and its live image.
// Both are nil if the handle names no endpoint.
func (u *unit) reservableEndpoint(h dat.Handle) (*endpoint, *dat.Endpoint, error) {
	ep, err := target[*endpoint](u, Call{}, dat.TypeEndpoint, h)
	var d *dat.Error
	if errors.As(err, &d) && d.Return == dat.RetInvalidHandle {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return ep, u.live(ep), nil
}

// FreeRSP is dat_rsp_free. Its endpoint is UNCONNECTED again if no request came
// (T6), else stays as it is (T7). The error is DAT_INVALID_HANDLE.
func (m *Manager) FreeRSP(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypeRSP, id)
}

func (u *unit) freeRSP(c Call, cause string, id dat.Handle) error {
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
	switch {
	case !ok || sp.used.Load():
		ep = nil
	case u.holds(&sp.object) && !u.holds(&ep.object):
		return errBeside(dat.TypeEndpoint)
	default:
		locks = append(locks, &ep.object)
	}
	if err := u.lock(locks...); err != nil {
		return err
	}
	if err := u.match(c, &sp.object); err != nil {
		return err
	}
	if err := u.freeUnused(c, cause, sp, func() { sp.destroy() }); err != nil {
		return err
	}
	if ep == nil {
		return nil
	}
	before := u.live(ep)
	if v := dat.Judge(before.State, dat.OpFreeRSP); v.Kind == dat.Move {
		u.addMove(c.withoutAnswer(), ep, dat.OpFreeRSP, before.State, v, eventDetails{})
	}
	return nil
}
