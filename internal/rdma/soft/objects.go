package soft

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// pz is a protection zone: its identity is all that it has.
type pz struct{ core }

// CreatePZ implements rdma.IA.
func (a *adapter) CreatePZ(id dat.Handle) (rdma.Object, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	z := &pz{}
	if err := a.admit(z, kindPZ, id); err != nil {
		return nil, err
	}
	return z, nil
}

// Free implements rdma.Object.
func (z *pz) Free() { z.free(z) }

func (z *pz) drop() {}

// evd is the provider's part of an event dispatcher: the Manager queues the events.
type evd struct {
	core
	qlen int32
}

// CreateEVD implements rdma.IA.
func (a *adapter) CreateEVD(id dat.Handle, qlen int32, _ []dat.Stream) (rdma.EVD, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	d := &evd{qlen: qlen}
	if err := a.admit(d, kindEVD, id); err != nil {
		return nil, err
	}
	return d, nil
}

// Free implements rdma.Object.
func (d *evd) Free() { d.free(d) }

func (d *evd) drop() {}

// Resize implements rdma.EVD.
func (d *evd) Resize(qlen int32) error {
	d.ia.fabric.mu.Lock()
	defer d.ia.fabric.mu.Unlock()
	if err := d.stale(); err != nil {
		return err
	}
	d.qlen = qlen
	return nil
}

// srq is a shared receive queue.
type srq struct {
	core
	pz    *pz
	max   int32
	low   int32
	recvs []recv
	// waiting are endpoints with a message and no buffer, longest first.
	waiting []*ep
}

// CreateSRQ implements rdma.IA.
func (a *adapter) CreateSRQ(id dat.Handle, zone rdma.Object, maxRecvDTOs, _ int32) (rdma.SRQ, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	q := &srq{pz: asPZ(zone), max: maxRecvDTOs}
	if err := a.admit(q, kindSRQ, id); err != nil {
		return nil, err
	}
	return q, nil
}

// Free implements rdma.Object.
func (q *srq) Free() { q.free(q) }

func (q *srq) drop() { q.recvs, q.waiting = nil, nil }

// PostRecv implements rdma.SRQ.
func (q *srq) PostRecv(recvs []rdma.Recv) error {
	q.ia.fabric.mu.Lock()
	defer q.ia.fabric.mu.Unlock()
	if err := q.stale(); err != nil {
		return err
	}
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
		e.drain()
	}
	return nil
}

// Resize implements rdma.SRQ.
func (q *srq) Resize(maxRecvDTOs int32) error {
	q.ia.fabric.mu.Lock()
	defer q.ia.fabric.mu.Unlock()
	if err := q.stale(); err != nil {
		return err
	}
	q.max = maxRecvDTOs
	return nil
}

// SetLowWatermark implements rdma.SRQ.
func (q *srq) SetLowWatermark(low int32) error {
	q.ia.fabric.mu.Lock()
	defer q.ia.fabric.mu.Unlock()
	if err := q.stale(); err != nil {
		return err
	}
	q.low = low
	q.testLow()
	return nil
}

// testLow fires the low watermark, once per setting.
func (q *srq) testLow() {
	if len(q.recvs) < int(q.low) {
		q.low = 0
		q.ia.report(rdma.Report{Kind: rdma.ReportSRQLimit, SRQ: q.id})
	}
}

// asPZ gives the provider's own zone, nil for null.
func asPZ(o rdma.Object) *pz {
	z, _ := o.(*pz)
	return z
}
