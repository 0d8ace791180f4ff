package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// srq is a Shared Receive Queue.
type srq struct {
	object
	hw enginePart[rdma.SRQ]
	// endpoints counts the endpoints that receive from the SRQ. The registry's lock
	// guards it.
	endpoints int

	mu leafMutex
	// posted are the receives on the queue. outstanding counts them and those taken
	// from it whose completion the consumer has not taken yet.
	posted      map[uint64]outstandingWork
	outstanding int
}

func newSRQ(ia *adapter, id dat.Handle) *srq {
	return &srq{object: newObject(ia, dat.TypeSRQ, id), posted: map[uint64]outstandingWork{}}
}

// fill implements filler.
func (s *srq) fill(img dat.Object) {
	o, ok := img.(*dat.SRQ)
	if !ok {
		return
	}
	s.mu.Lock()
	available, outstanding := int32(len(s.posted)), int32(s.outstanding)
	s.mu.Unlock()
	o.AvailableDTOCount, o.OutstandingDTOCount = nil, nil
	if info := s.ia.facts.Load().Provider.SRQInfoSupported; info.AvailableDTOCount {
		o.AvailableDTOCount = &available
	}
	if info := s.ia.facts.Load().Provider.SRQInfoSupported; info.OutstandingDTOCount {
		o.OutstandingDTOCount = &outstanding
	}
}

// CreateSRQ is dat_srq_create. Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
// DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED.
func (m *Manager) CreateSRQ(ctx context.Context, c Call, in SRQCreate) (*dat.SRQ, error) {
	return write(ctx, m, c, in.IA, "dat_srq_create", func(u *unit) (*object, *dat.SRQ, error) {
		return u.createSRQ(c, in)
	})
}

func (u *unit) createSRQ(c Call, in SRQCreate) (*object, *dat.SRQ, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	s := newSRQ(ia, newID())
	img := &dat.SRQ{
		Meta: s.meta(in.Name, in.Labels), PZ: in.PZ,
		MaxRecvDTOs: int32(in.MaxRecvDTOs), MaxRecvIOV: int32(in.MaxRecvIOV),
	}
	if _, err := u.admit(ia, s, func(handles resolver) (dat.Object, *dat.Error) {
		return img, dat.CheckSRQCreate(ia.facts.Load(), in.PZ, in.MaxRecvDTOs, in.MaxRecvIOV, handles)
	}); err != nil {
		return nil, nil, err
	}
	return finishCreation(u, c, "dat_srq_create", s, img, func() error { return s.create(hw, img) })
}

// FreeSRQ is dat_srq_free. Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE with
// DAT_INVALID_STATE_SRQ_IN_USE (D36).
func (m *Manager) FreeSRQ(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypeSRQ, id)
}

func (u *unit) freeSRQ(c Call, cause string, id dat.Handle) error {
	s, err := target[*srq](u, c, dat.TypeSRQ, id)
	if err != nil {
		return err
	}
	return u.freeUnused(c, cause, s, func() { s.destroy() })
}

func (s *srq) engine() (rdma.SRQ, error) { return s.hw.engine(&s.object) }

func (s *srq) create(hw rdma.IA, img *dat.SRQ) error {
	zone, err := engineOf[*pz](s.m(), img.PZ)
	if err != nil {
		return err
	}
	made, err := created(s.m().metrics, "create_srq", func() (rdma.SRQ, error) { return hw.CreateSRQ(s.id, zone, img.MaxRecvDTOs, img.MaxRecvIOV) })
	if err != nil {
		return err
	}
	s.hw.set(made)
	if img.LowWatermark > 0 {
		return s.m().metrics.call("set_srq_watermark", func() error { return made.SetLowWatermark(img.LowWatermark) })
	}
	return nil
}

func (s *srq) destroy() { s.hw.free(&s.object, "") }

func (s *srq) remake(hw rdma.IA) (string, func(dat.Object), error) {
	img := imageOf[*dat.SRQ](&s.object)
	if err := s.create(hw, img); err != nil {
		return "", nil, err
	}
	if img.State == dat.SRQOperational {
		return "", nil, nil
	}
	return "its error state", func(o dat.Object) { o.(*dat.SRQ).State = dat.SRQOperational }, nil
}

func (s *srq) dropPart(why string) { s.hw.free(&s.object, why); s.forgetPosted() }

// PostSRQRecv is dat_srq_post_recv: all receives are posted or none. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES beyond
// max_recv_dtos.
func (m *Manager) PostSRQRecv(ctx context.Context, c Call, id dat.Handle, in RecvPost) (Posted, error) {
	if err := m.checkOpen(); err != nil {
		return Posted{}, err
	}
	s, err := lookupLocked[*srq](ctx, m, dat.TypeSRQ, id)
	if err != nil {
		return Posted{}, err
	}
	defer s.unlock()
	img := imageOf[*dat.SRQ](&s.object)
	if err := matchVersion(c, img); err != nil {
		return Posted{}, err
	}
	if err := dat.CheckSRQPost(s.ia.facts.Load(), img, s.outstandingCount(), in.Count, in.Size); err != nil {
		return Posted{}, err
	}
	hw, err := s.engine()
	if err != nil {
		return Posted{}, err
	}
	first := s.ia.reserveWorkRequests(c, in.Count)
	posted := Posted{Posted: in.Count, Cookies: cookiesOf(in.Cookie, first, in.Count)}
	if c.DryRun {
		return posted, nil
	}
	s.reserve(first, posted.Cookies)
	if err := m.metrics.call("post_srq_recv", func() error { return hw.PostRecv(recvs(first, in.Count, in.Size)) }); err != nil {
		for i := range in.Count {
			if _, ok := s.take(first + uint64(i)); ok {
				s.reaped()
			}
		}
		return Posted{}, asError(err)
	}
	return posted, nil
}

// reserve puts receives on the queue before the engine has them, so that no
// completion can come too early.
func (s *srq) reserve(first uint64, cookies []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, cookie := range cookies {
		s.posted[first+uint64(i)] = outstandingWork{kind: dat.KindRecv, cookie: cookie, srq: s}
	}
	s.outstanding += len(cookies)
}

// take removes a receive that an endpoint took, and reports whether it was there.
func (s *srq) take(wr uint64) (outstandingWork, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.posted[wr]
	delete(s.posted, wr)
	return w, ok
}

// reaped counts a receive whose completion the consumer has taken or will never
// get.
func (s *srq) reaped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outstanding--
}

// outstandingCount returns the number of outstanding receives.
func (s *srq) outstandingCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outstanding
}

// forgetPosted removes all posted receives: they were lost with the device.
func (s *srq) forgetPosted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outstanding -= len(s.posted)
	clear(s.posted)
}
