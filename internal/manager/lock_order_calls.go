//go:build lockorder

package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// The types of this file pass each call on to the recorder or the provider, after they
// have tested that the caller holds no lock that forbids the call.

type orderedRecorder struct{ Recorder }

func checkedRecorder(r Recorder) Recorder { return orderedRecorder{r} }

func (r orderedRecorder) Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error) {
	mayCall("Record", operationPlace)
	return r.Recorder.Record(ctx, entries...)
}

type orderedProvider struct{ rdma.Provider }

func checkedProvider(p rdma.Provider) rdma.Provider { return orderedProvider{p} }

func (p orderedProvider) Open(ctx context.Context) ([]rdma.IA, error) {
	ias, err := p.Provider.Open(ctx)
	for i := range ias {
		ias[i] = orderedIA{ias[i]}
	}
	return ias, err
}

func (p orderedProvider) Arrivals() <-chan rdma.IA {
	out := make(chan rdma.IA)
	go func() {
		defer close(out)
		for ia := range p.Provider.Arrivals() {
			out <- orderedIA{ia}
		}
	}()
	return out
}

type orderedIA struct{ rdma.IA }

func (a orderedIA) CreatePZ(id dat.Handle) (rdma.Object, error) {
	mayCall("CreatePZ", callsPlace)
	return a.IA.CreatePZ(id)
}

func (a orderedIA) CreateEVD(id dat.Handle, qlen int32, streams []dat.Stream) (rdma.EVD, error) {
	mayCall("CreateEVD", callsPlace)
	return a.IA.CreateEVD(id, qlen, streams)
}

func (a orderedIA) CreateSRQ(id dat.Handle, pz rdma.Object, dtos, iov int32) (rdma.SRQ, error) {
	mayCall("CreateSRQ", callsPlace)
	return a.IA.CreateSRQ(id, pz, dtos, iov)
}

func (a orderedIA) CreateLMR(id dat.Handle, spec rdma.LMRSpec) (rdma.LMR, error) {
	mayCall("CreateLMR", callsPlace)
	return a.IA.CreateLMR(id, spec)
}

func (a orderedIA) CreateRMR(id dat.Handle, pz rdma.Object) (rdma.Object, error) {
	mayCall("CreateRMR", callsPlace)
	return a.IA.CreateRMR(id, pz)
}

func (a orderedIA) Listen(id dat.Handle, qual int32, once bool) (rdma.Listener, error) {
	mayCall("Listen", callsPlace)
	return a.IA.Listen(id, qual, once)
}

func (a orderedIA) CreateEP(id dat.Handle, params rdma.EPParams) (rdma.EP, error) {
	mayCall("CreateEP", callsPlace)
	ep, err := a.IA.CreateEP(id, params)
	if err != nil {
		return nil, err
	}
	return orderedEP{ep}, nil
}

func (a orderedIA) Reports() <-chan rdma.Report {
	out := make(chan rdma.Report)
	go func() {
		defer close(out)
		for r := range a.IA.Reports() {
			if r.Request != nil {
				r.Request = orderedRequest{r.Request}
			}
			out <- r
		}
	}()
	return out
}

type orderedEP struct{ rdma.EP }

func (e orderedEP) Free() { mayCall("Free", callsPlace); e.EP.Free() }

func (e orderedEP) Modify(p rdma.EPParams) error {
	mayCall("Modify", callsPlace)
	return e.EP.Modify(p)
}

func (e orderedEP) Connect(c rdma.Connect) error {
	mayCall("Connect", callsPlace)
	return e.EP.Connect(c)
}

func (e orderedEP) Disconnect() { mayCall("Disconnect", callsPlace); e.EP.Disconnect() }

func (e orderedEP) Reset() error { mayCall("Reset", callsPlace); return e.EP.Reset() }

func (e orderedEP) PostRecv(recvs []rdma.Recv) error {
	mayCall("PostRecv", callsPlace)
	return e.EP.PostRecv(recvs)
}

func (e orderedEP) Post(requests []rdma.Request) error {
	mayCall("Post", callsPlace)
	return e.EP.Post(requests)
}

func (e orderedEP) Probe() error { mayCall("Probe", callsPlace); return e.EP.Probe() }

type orderedRequest struct{ rdma.ConnRequest }

func (q orderedRequest) Accept(ep rdma.EP, privateData []byte) error {
	mayCall("Accept", callsPlace)
	return q.ConnRequest.Accept(ep.(orderedEP).EP, privateData)
}

func (q orderedRequest) Reject(peer bool, privateData []byte) {
	mayCall("Reject", callsPlace)
	q.ConnRequest.Reject(peer, privateData)
}

func (q orderedRequest) Handoff(qual int32) {
	mayCall("Handoff", callsPlace)
	q.ConnRequest.Handoff(qual)
}
