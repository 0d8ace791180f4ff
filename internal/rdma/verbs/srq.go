//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// srq implements rdma.SRQ. Which connection takes a receive is seen only when it
// completes.
type srq struct {
	object
	// key names the queue in asynchronous events.
	key  uint64
	q    sharedQueue
	part heldPart
	zone *pz
	// max is the length of the queue in receives.
	max int

	mu    sync.Mutex
	freed bool
	// posted are the receives that did not complete, by token.
	posted map[uint64]*work
}

// CreateSRQ implements rdma.IA.
//
// Implements: ibv_create_srq.
func (a *adapter) CreateSRQ(id dat.Handle, zone rdma.Object, maxRecvDTOs, maxRecvIOV int32) (rdma.SRQ, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	z, err := h.zoneOf(zone)
	if err != nil {
		return nil, err
	}
	s := &srq{key: h.newKey(), zone: z, max: h.sizeOfSRQ(maxRecvDTOs), posted: map[uint64]*work{}}
	if s.q, err = z.pd.createSRQ(uint32(s.max), uint32(max(1, maxRecvIOV)), s.key); err != nil {
		return nil, deviceError("make a shared receive queue", err)
	}
	s.part.destroy = s.destroy
	z.part.hold()
	h.mu.Lock()
	h.srqs[s.key] = s
	h.mu.Unlock()
	if err := h.add(&s.object, id, rankSRQ, func() { s.release(h) }); err != nil {
		s.release(h)
		return nil, err
	}
	return s, nil
}

// srqHeadroom is the least length of a queue that cannot be resized, in receives.
const srqHeadroom = 1024

// sizeOfSRQ returns the length to ask the device for. Where the device cannot resize
// (iWARP), the queue is longer from the start: the Manager counts the receives.
func (h *hardware) sizeOfSRQ(maxRecvDTOs int32) int {
	n := max(1, int(maxRecvDTOs))
	if h.iwarp {
		n = max(n, min(srqHeadroom, int(h.limit.maxSRQWR)))
	}
	return n
}

// Free implements rdma.Object.
//
// Implements: ibv_destroy_srq.
func (s *srq) Free() { s.free() }

func (s *srq) release(h *hardware) {
	h.mu.Lock()
	delete(h.srqs, s.key)
	h.mu.Unlock()
	s.mu.Lock()
	s.freed = true
	s.mu.Unlock()
	s.part.freePart()
}

// destroy gives the queue and what is posted to it back to the device.
func (s *srq) destroy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.q.free()
	for _, w := range s.posted {
		w.release()
	}
	s.posted = nil
	s.zone.part.drop()
}

// take returns the receive that completed, nil if it is not of this queue.
func (s *srq) take(token uint64) *work {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.posted[token]
	delete(s.posted, token)
	return w
}

// PostRecv implements rdma.SRQ.
//
// Implements: ibv_post_srq_recv; ibv_reg_mr_iova2 where the zone has no idle buffer.
func (s *srq) PostRecv(recvs []rdma.Recv) error {
	all, err := newRecvs(s.zone, recvs)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return errStale("shared receive queue")
	}
	for i := range all {
		w := &all[i]
		token := s.hw.newKey() << slotBits // as no connection has it
		w.srq = s.id
		s.posted[token] = w
		if err := s.q.postRecv(token, w.buf, uint32(w.size)); err != nil {
			delete(s.posted, token)
			for rest := range all[i:] {
				all[i+rest].release()
			}
			return deviceError("post a receive", err)
		}
	}
	return nil
}

// Resize implements rdma.SRQ.
//
// Implements: ibv_modify_srq.
func (s *srq) Resize(maxRecvDTOs int32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return errStale("shared receive queue")
	}
	if s.hw.iwarp && int(maxRecvDTOs) <= s.max {
		return nil
	}
	if err := s.q.resize(uint32(max(1, maxRecvDTOs))); err != nil {
		return deviceError("resize a shared receive queue", err)
	}
	s.max = int(max(1, maxRecvDTOs))
	return nil
}

// SetLowWatermark implements rdma.SRQ. The device reports when the count falls
// below the mark; where it is below already, the report is made here.
//
// Implements: ibv_modify_srq.
func (s *srq) SetLowWatermark(low int32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return errStale("shared receive queue")
	}
	if low > 0 && len(s.posted) < int(low) {
		s.hw.report(rdma.Report{Kind: rdma.ReportSRQLimit, SRQ: s.id, Reason: asyncTable[asyncSRQLimitReached].name})
		return deviceError("disarm the low watermark", s.q.setLimit(0))
	}
	return deviceError("arm the low watermark", s.q.setLimit(uint32(low)))
}

// newRecvs returns the work of receives, each with a buffer of the zone; all or none.
func newRecvs(zone *pz, recvs []rdma.Recv) ([]work, error) {
	all := make([]work, 0, len(recvs))
	for _, r := range recvs {
		b, err := zone.takeBuffer(r.Size)
		if err != nil {
			for i := range all {
				all[i].release()
			}
			return nil, err
		}
		all = append(all, work{wr: r.WR, kind: dat.KindRecv, size: r.Size, buf: b})
	}
	return all, nil
}
