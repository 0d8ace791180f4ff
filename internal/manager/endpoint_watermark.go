package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// softReason is the cause and the reason of the soft watermark's event, which has
// no event number in DAT (B7, W24).
const softReason = "DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT"

// hardDetail says to a person why the connection broke.
const hardDetail = "more receives than the hard high watermark"

// SetWatermark is dat_ep_set_watermark: both marks at once, nil is infinite
// (W1–W24). What fires during the call is recorded with it. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED.
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
	s, h, derr := dat.CheckWatermarks(soft, hard, before.SRQ != dat.HandleNull, &ep.ia.facts.Load().Provider)
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
		after.Version += changesOfMarks(fire, live.State)
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

// changesOfMarks returns how many changes set the marks: the call's own, and those of
// the marks that fire during it.
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

// addSoftEvent enters the event of a soft mark that is exceeded already (W10).
func (u *unit) addSoftEvent(ep *endpoint) {
	u.add(engineCall("more receives than the soft high watermark"), &ep.object, softReason, applyChange(disarmSoft), func() {
		ep.applyLive(disarmSoft)
		ep.postSoftEvent()
	})
}

// addHardBreak enters the break of the connection by a hard mark that is exceeded
// already (W10).
func (u *unit) addHardBreak(ep *endpoint, from dat.EPState) {
	v := dat.Judge(from, dat.EvHardWatermark)
	if v.Kind != dat.Move {
		return
	}
	u.after = append(u.after, ep.ia.metrics.hard.Inc)
	u.addMove(engineCall(hardDetail), ep, dat.EvHardWatermark, from, v, eventDetails{reason: "HARD_HIGH_WATERMARK", detail: hardDetail})
}

// judgeWatermarks tests the marks once more after they were recorded: receives may
// have been taken from an SRQ meanwhile.
func (m *Manager) judgeWatermarks(ep *endpoint) {
	m.withState(ep, func() { m.judgeWatermarksLocked(ep, len(ep.recvs)) })
}

// judgeWatermarksLocked tests the marks against recvs receives at the endpoint and
// lets them fire (W9, W13, W16). The state lock is held; the caller calls
// disconnectIfOwed afterwards.
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
		ep.ia.metrics.hard.Inc()
		m.handleEventLocked(ep, dat.EvHardWatermark, eventDetails{reason: "HARD_HIGH_WATERMARK", detail: hardDetail, derived: true})
	}
}

// disarmSoft notes that the soft mark has fired.
func disarmSoft(e *dat.Endpoint) { e.Watermarks.SoftArmed = false }

// postSoftEvent posts the event of the soft mark to the adapter's async EVD (W5).
func (ep *endpoint) postSoftEvent() {
	ep.ia.metrics.soft.Inc()
	ep.ia.postAsync(dat.Event{Endpoint: ep.id, Object: new(ep.ref()), Reason: new(softReason)})
}
