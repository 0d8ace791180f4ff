package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// softReason names the event for which DAT has a reason and no number (B7, W24).
const softReason = "DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT"

const hardDetail = "more receives than the hard high watermark"

// SetWatermark is dat_ep_set_watermark: both marks at once, nil is infinite (W1–W24).
// What fires during the call is recorded with it. Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED.
func (m *Manager) SetWatermark(ctx context.Context, c Call, id dat.Handle, soft, hard *int64) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_ep_set_watermark", func(u *unit) (*object, *dat.Endpoint, error) {
		return u.setWatermark(c, id, soft, hard)
	})
}

func (u *unit) setWatermark(c Call, id dat.Handle, soft, hard *int64) (*object, *dat.Endpoint, error) {
	ep, before, err := targetImage[*endpoint, *dat.Endpoint](u, c, dat.TypeEndpoint, id)
	if err != nil {
		return nil, nil, err
	}
	s, h, derr := dat.CheckWatermarks(soft, hard, before.SRQ != dat.HandleNull, &ep.ia.facts.Provider)
	if derr != nil {
		return nil, nil, derr
	}
	live := u.live(ep)
	marks, fire := live.Watermarks.Set(s, h, ep.recvCount(), live.State.HasConnection())
	armed := marks
	armed.SoftArmed = s.Finite()
	set := func(e *dat.Endpoint) { e.SetMarks(armed) }
	after := before.Copy()
	after.SetMarks(marks)
	if c.DryRun {
		return &ep.object, after, nil
	}
	u.add(c, &ep.object, "dat_ep_set_watermark", applyChange(set), func() { ep.applyLive(set) })
	if fire.Soft {
		u.addSoftEvent(ep)
	}
	u.after = append(u.after, func() { u.m.judgeWatermarks(ep) })
	if fire.Hard {
		u.addHardBreak(ep, live.State)
	}
	return &ep.object, after, nil
}

// addSoft enters the soft event that fires during the call (W10).
func (u *unit) addSoftEvent(ep *endpoint) {
	u.add(engineCall("more receives than the soft high watermark"), &ep.object, softReason, applyChange(disarmSoft), func() {
		ep.applyLive(disarmSoft)
		ep.postSoftEvent()
	})
}

// addHard enters the break that the hard mark causes during the call (W10).
func (u *unit) addHardBreak(ep *endpoint, from dat.EPState) {
	v := dat.Judge(from, dat.EvHardWatermark)
	if v.Kind != dat.Move {
		return
	}
	u.addMove(engineCall(hardDetail), ep, dat.EvHardWatermark, from, v, eventDetails{reason: "HARD_HIGH_WATERMARK", detail: hardDetail})
}

// rewatch judges what was taken from an SRQ while the marks were being recorded.
func (m *Manager) judgeWatermarks(ep *endpoint) {
	m.withState(ep, func() { m.judgeWatermarksLocked(ep, len(ep.recvs)) })
}

// watermarksLocked judges b receives at the endpoint; the state lock is held and
// the caller owes act (W9, W13, W16).
func (m *Manager) judgeWatermarksLocked(ep *endpoint, b int) {
	_, fire := ep.live.Watermarks.Taken(b, ep.live.State.HasConnection())
	if fire.Soft {
		mark := ep.live.Watermarks.SoftHigh
		m.changeLocked(ep, softReason, "more receives than the soft high watermark", func(e *dat.Endpoint) {
			if e.Watermarks.SoftHigh == mark {
				disarmSoft(e)
			}
		})
		ep.postSoftEvent()
	}
	if fire.Hard {
		m.handleEventLocked(ep, dat.EvHardWatermark, eventDetails{reason: "HARD_HIGH_WATERMARK", detail: hardDetail, derived: true})
	}
}

func disarmSoft(e *dat.Endpoint) { e.Watermarks.SoftArmed = false }

// softEvent tells the adapter's async EVD that the soft mark was exceeded (W5).
func (ep *endpoint) postSoftEvent() {
	ep.ia.postAsync(dat.Event{Endpoint: ep.id, Object: new(ep.ref()), Reason: new(softReason)})
}
