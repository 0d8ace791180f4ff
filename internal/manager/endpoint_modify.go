package manager

import (
	"context"
	"maps"
	"reflect"

	"github.com/datapi/datapi/internal/dat"
)

// ModifyEP is dat_ep_modify (M1–M12): the keys of Values are the mask, and all of
// them are changed or none. Name, labels and probe are the service's own. A
// modification that changes nothing is not recorded. Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_PARAMETER, DAT_INVALID_STATE.
func (m *Manager) ModifyEP(ctx context.Context, c Call, id dat.Handle, in EPModify) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, in.cause(), func(u *unit) (*object, *dat.Endpoint, error) {
		return u.modifyEP(c, id, in)
	})
}

func (in EPModify) cause() string {
	if in.RevertedTo != 0 {
		return "revert"
	}
	return "dat_ep_modify"
}

func (u *unit) modifyEP(c Call, id dat.Handle, in EPModify) (*object, *dat.Endpoint, error) {
	ep, before, err := targetImage[*endpoint, *dat.Endpoint](u, c, dat.TypeEndpoint, id)
	if err != nil {
		return nil, nil, err
	}
	if err := checkProbe(in.Probe); err != nil {
		return nil, nil, err
	}
	if in.RevertTo != nil {
		in.Values = dat.Differences(before, in.RevertTo)
	}
	after, err := u.judgeModify(ep, before, in)
	if err != nil {
		return nil, nil, err
	}
	if c.DryRun || sameEndpoint(before, after) {
		return &ep.object, after, nil
	}
	if err := u.actModify(ep, before, after); err != nil {
		return nil, nil, err
	}
	u.addModify(c, ep, in, after)
	return &ep.object, after, nil
}

// judgeModify judges the endpoint as this unit will leave it. If the modification
// is permitted it returns the new image and counts its references.
func (u *unit) judgeModify(ep *endpoint, before *dat.Endpoint, in EPModify) (*dat.Endpoint, error) {
	ia := ep.ia
	ia.mu.Lock()
	defer ia.mu.Unlock()
	live := u.live(ep)
	judged := before.Copy()
	judged.State, judged.Watermarks = live.State, live.Watermarks
	after, derr := dat.CheckEPModify(judged, ep.recvCount(), in.Values, ia.facts.Load(), resolver{u: u, ia: ia})
	if derr != nil {
		return nil, derr
	}
	after = after.Copy()
	after.State, after.Watermarks = before.State, before.Watermarks
	rename(&after.Meta, in.Name, in.Labels)
	if in.Probe != nil || in.NoProbe {
		after.Probe = in.Probe
	}
	u.m.addRefsLocked(after)
	u.undo = append(u.undo, func() { u.m.dropRefs(after) })
	u.dropRefsAtCommit(before)
	return after, nil
}

// actModify gives the engine's endpoint its new parameters. There is no queue pair in
// any state that permits that, so the engine only updates its record. Without a device
// there is nothing to do.
func (u *unit) actModify(ep *endpoint, before, after *dat.Endpoint) error {
	hw, err := ep.engine()
	if err != nil || dat.SameParams(before, after, dat.ParamConnectEVD) {
		return nil // the engine has no endpoint, or nothing to learn
	}
	params, err := u.m.params(after)
	if err != nil {
		return err
	}
	old, err := u.m.params(before)
	if err != nil {
		return err
	}
	ep.calls.Lock()
	defer ep.calls.Unlock()
	if err := u.m.metrics.call("modify_endpoint", func() error { return hw.Modify(params) }); err != nil {
		return asError(err)
	}
	u.undo = append(u.undo, func() {
		ep.calls.Lock()
		defer ep.calls.Unlock()
		if err := u.m.metrics.call("modify_endpoint", func() error { return hw.Modify(old) }); err != nil {
			u.m.log.Error("an endpoint keeps parameters that were not recorded", "endpoint", ep.id, "error", err)
		}
	})
	return nil
}

// addModify enters the change: only the members that dat_ep_modify owns, so that an
// event that comes meanwhile keeps what it changed.
func (u *unit) addModify(c Call, ep *endpoint, in EPModify, after *dat.Endpoint) {
	change := func(e *dat.Endpoint) {
		e.Name, e.Labels, e.Probe = after.Name, maps.Clone(after.Labels), after.Probe
		e.TakeParams(after)
	}
	u.add(c, &ep.object, in.cause(), applyChange(change), func() { ep.applyLive(change); ep.m().scheduleProbe(ep) })
	u.steps[len(u.steps)-1].entry.RevertedTo = in.RevertedTo
}

// sameEndpoint reports whether a modification changes nothing.
func sameEndpoint(a, b *dat.Endpoint) bool {
	return dat.SameParams(a, b) && sameMeta(&a.Meta, &b.Meta) && reflect.DeepEqual(a.Probe, b.Probe)
}
