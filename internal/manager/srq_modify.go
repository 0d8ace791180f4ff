package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// ModifySRQ is dat_srq_resize. Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
// DAT_INVALID_STATE below the outstanding receives or the low watermark.
func (m *Manager) ModifySRQ(ctx context.Context, c Call, id dat.Handle, in SRQModify) (*dat.SRQ, error) {
	return write(ctx, m, c, id, "dat_srq_resize", func(u *unit) (*object, *dat.SRQ, error) {
		return u.modifySRQ(c, id, in)
	})
}

func (u *unit) modifySRQ(c Call, id dat.Handle, in SRQModify) (*object, *dat.SRQ, error) {
	s, before, err := targetImage[*srq, *dat.SRQ](u, c, dat.TypeSRQ, id)
	if err != nil {
		return nil, nil, err
	}
	if in.MaxRecvDTOs != nil {
		if err := dat.CheckSRQResize(s.ia.facts.Load(), before, s.outstandingCount(), *in.MaxRecvDTOs); err != nil {
			return nil, nil, err
		}
	}
	change := func(o *dat.SRQ) {
		if in.MaxRecvDTOs != nil {
			o.MaxRecvDTOs = int32(*in.MaxRecvDTOs)
		}
		rename(&o.Meta, in.Name, in.Labels)
	}
	after := before.Clone().(*dat.SRQ)
	change(after)
	if c.DryRun || after.MaxRecvDTOs == before.MaxRecvDTOs && sameMeta(&before.Meta, &after.Meta) {
		return &s.object, after, nil
	}
	if after.MaxRecvDTOs != before.MaxRecvDTOs {
		hw, err := s.engine()
		if err != nil {
			return nil, nil, err
		}
		if err := u.m.metrics.call("resize_srq", func() error { return hw.Resize(after.MaxRecvDTOs) }); err != nil {
			return nil, nil, asError(err)
		}
		u.undo = append(u.undo, func() {
			if err := u.m.metrics.call("resize_srq", func() error { return hw.Resize(before.MaxRecvDTOs) }); err != nil {
				u.m.log.Error("a shared receive queue keeps its new length", "srq", s.id, "error", err)
			}
		})
	}
	u.add(c, &s.object, "dat_srq_resize", applyChange(change), nil)
	return &s.object, after, nil
}

// SetSRQLowWatermark is dat_srq_set_lw. It arms the mark, which fires once:
// immediately if fewer receives are left already. 0 never fires. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED.
func (m *Manager) SetSRQLowWatermark(ctx context.Context, c Call, id dat.Handle, low int64) (*dat.SRQ, error) {
	return write(ctx, m, c, id, "dat_srq_set_lw", func(u *unit) (*object, *dat.SRQ, error) {
		s, before, err := targetImage[*srq, *dat.SRQ](u, c, dat.TypeSRQ, id)
		if err != nil {
			return nil, nil, err
		}
		if err := dat.CheckSRQLowWatermark(s.ia.facts.Load(), before, low); err != nil {
			return nil, nil, err
		}
		hw, err := s.engine()
		if err != nil {
			return nil, nil, err
		}
		change := func(o *dat.SRQ) { o.LowWatermark = int32(low) }
		after := before.Clone().(*dat.SRQ)
		change(after)
		if c.DryRun {
			after.Version++ // it is recorded, even where it is the same mark
			return &s.object, after, nil
		}
		u.add(c, &s.object, "dat_srq_set_lw", applyChange(change), nil)
		u.after = append(u.after, func() {
			if err := m.metrics.call("set_srq_watermark", func() error { return hw.SetLowWatermark(int32(low)) }); err != nil {
				u.refusal = asError(err)
				m.revertLowWatermark(s, before.LowWatermark, err)
			}
		})
		return &s.object, after, nil
	})
}

// revertLowWatermark notes that a mark that the engine refused is low again.
func (m *Manager) revertLowWatermark(s *srq, low int32, why error) {
	m.noteEvent(&s.object, "dat_srq_set_lw", "taken back, the engine refused: "+asError(why).Detail,
		applyChange(func(o *dat.SRQ) { o.LowWatermark = low }))
}
