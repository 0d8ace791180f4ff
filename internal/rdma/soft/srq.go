package soft

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// srq implements rdma.SRQ.
type srq struct {
	object
	pz *pz
	// max is max_recv_dtos, low the low watermark, 0 where it is not armed.
	max   int32
	low   int32
	recvs []recv
	// waiting are the endpoints with a message and no receive for it, longest first.
	waiting []*ep
}

// CreateSRQ implements rdma.IA.
func (a *adapter) CreateSRQ(id dat.Handle, zone rdma.Object, maxRecvDTOs, _ int32) (rdma.SRQ, error) {
	q := &srq{pz: asPZ(zone), max: maxRecvDTOs}
	if err := a.create(q, kindSRQ, id); err != nil {
		return nil, err
	}
	return q, nil
}

// Free implements rdma.Object.
func (q *srq) Free() { q.free(q) }

func (q *srq) release() { q.recvs, q.waiting = nil, nil }

// PostRecv implements rdma.SRQ.
func (q *srq) PostRecv(recvs []rdma.Recv) error {
	return q.whileAlive(func() error {
		if len(q.recvs)+len(recvs) > int(q.max) {
			return &dat.Error{
				Return: dat.RetInsufficientResources, Subtype: dat.SubResourceSRQ, Field: "count",
				Detail: "The queue has no room for so many receives; post fewer or resize it first.",
			}
		}
		for _, r := range recvs {
			q.recvs = append(q.recvs, recv{r.WR, r.Size, q.pz})
		}
		waiting := q.waiting
		q.waiting = nil
		for _, e := range waiting {
			e.serveInbox()
		}
		return nil
	})
}

// Resize implements rdma.SRQ.
func (q *srq) Resize(maxRecvDTOs int32) error {
	return q.whileAlive(func() error {
		q.max = maxRecvDTOs
		return nil
	})
}

// SetLowWatermark implements rdma.SRQ.
func (q *srq) SetLowWatermark(low int32) error {
	return q.whileAlive(func() error {
		q.low = low
		q.checkLow()
		return nil
	})
}

// checkLow fires the low watermark where fewer receives are left, once for each setting.
func (q *srq) checkLow() {
	if len(q.recvs) < int(q.low) {
		q.low = 0
		q.ia.report(rdma.Report{Kind: rdma.ReportSRQLimit, SRQ: q.id})
	}
}
