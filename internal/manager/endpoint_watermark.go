package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// softReason names the event for which DAT has a reason and no number (B7, W24).
const softReason = "DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT"

// SetWatermark is dat_ep_set_watermark: both marks at once, nil is infinite (W1–W24).
// What fires during the call is recorded with it. Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED.
func (m *Manager) SetWatermark(ctx context.Context, c Call, id dat.Handle, soft, hard *int64) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_ep_set_watermark", func(u *unit) (*object, *dat.Endpoint, error) {
		return u.setWatermark(c, id, soft, hard)
	})
}

func (u *unit) setWatermark(c Call, id dat.Handle, soft, hard *int64) (*object, *dat.Endpoint, error) {
	ep, before, err := altering[*endpoint, *dat.Endpoint](u, c, dat.TypeEndpoint, id)
	if err != nil {
		return nil, nil, err
	}
	s, h, derr := dat.CheckWatermarks(soft, hard, before.SRQ != dat.HandleNull, &ep.ia.facts.Provider)
	if derr != nil {
		return nil, nil, derr
	}
	live := u.live(ep)
	ep.mu.Lock()
	b, state := len(ep.recvs), live.State
	ep.mu.Unlock()
	marks, fire := live.Watermarks.Set(s, h, b, state.HasConnection())
	armed := marks
	armed.SoftArmed = s.Finite()
	set := func(e *dat.Endpoint) { e.SetMarks(armed) }
	after := before.Copy()
	after.SetMarks(marks)
	if c.DryRun {
		after.Version += changesOfMarks(fire, state)
		return &ep.object, after, nil
	}
	u.add(c, &ep.object, "dat_ep_set_watermark", changed(set), func() { ep.apply(set) })
	if fire.Soft {
		u.addSoft(ep)
	}
	u.after = append(u.after, func() { u.m.judgeWatermarks(ep) })
	if fire.Hard {
		u.addHard(ep, state)
	}
	return &ep.object, after, nil
}

// changesOfMarks is how many changes set the marks: the call's own, and those of the
// marks that fire during it.
func changesOfMarks(fire dat.Firing, from dat.EPState) int64 {
	changes := int64(1)
	if fire.Soft {
		changes++
	}
	if fire.Hard && dat.Judge(from, dat.EvHardWatermark).Kind == dat.Move {
		changes++
	}
	return changes
}

// rewatch judges what was taken from an SRQ while the marks were being recorded.
func (m *Manager) judgeWatermarks(ep *endpoint) {
	ep.mu.Lock()
	m.watermarksLocked(ep, len(ep.recvs))
	ep.mu.Unlock()
	m.endOwedConnection(ep)
}

func disarm(e *dat.Endpoint) { e.Watermarks.SoftArmed = false }

// engineCall is the frame of what no caller asked for.
func engineCall(reason string) Call { return Call{Actor: dat.ActorEngine, Reason: reason} }

// addSoft enters the soft event that fires during the call (W10).
func (u *unit) addSoft(ep *endpoint) {
	u.add(engineCall("more receives than the soft high watermark"), &ep.object, softReason, changed(disarm), func() {
		ep.apply(disarm)
		ep.softEvent()
	})
}

// addHard enters the break that the hard mark causes during the call (W10).
func (u *unit) addHard(ep *endpoint, from dat.EPState) {
	v := dat.Judge(from, dat.EvHardWatermark)
	if v.Kind != dat.Move {
		return
	}
	u.addMove(engineCall(hardDetail), ep, dat.EvHardWatermark, from, v, eventDetails{reason: "HARD_HIGH_WATERMARK", detail: hardDetail})
}

const hardDetail = "more receives than the hard high watermark"

// softEvent tells the adapter's async EVD that the soft mark was exceeded (W5).
func (ep *endpoint) softEvent() {
	reason, ref := softReason, ep.ref()
	ep.ia.asyncEvent(dat.Event{Endpoint: ep.id, Object: &ref, Reason: &reason})
}

// watermarksLocked judges b receives at the endpoint; the state lock is held and
// the caller owes act (W9, W13, W16).
func (m *Manager) watermarksLocked(ep *endpoint, b int) {
	_, fire := ep.live.Watermarks.Taken(b, ep.live.State.HasConnection())
	if fire.Soft {
		mark := ep.live.Watermarks.SoftHigh
		m.changeLocked(ep, softReason, "more receives than the soft high watermark", func(e *dat.Endpoint) {
			if e.Watermarks.SoftHigh == mark {
				disarm(e)
			}
		})
		ep.softEvent()
	}
	if fire.Hard {
		m.handleEventLocked(ep, dat.EvHardWatermark, eventDetails{reason: "HARD_HIGH_WATERMARK", detail: hardDetail, derived: true})
	}
}
