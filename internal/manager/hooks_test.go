package manager_test

import (
	"context"
	"sync"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// hooks lets a test refuse what an engine would do, or do something before it, by
// the name of the call. It keeps the parameters that the engine has for endpoints.
type hooks struct {
	mu     sync.Mutex
	refuse map[string]error
	first  map[string]func(dat.Handle)
	params map[dat.Handle]rdma.EPParams
}

// once runs f before the next such call.
func (h *hooks) once(call string, f func(dat.Handle)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.first == nil {
		h.first = map[string]func(dat.Handle){}
	}
	h.first[call] = f
}

func (h *hooks) before(call string, id dat.Handle) {
	h.mu.Lock()
	f := h.first[call]
	delete(h.first, call)
	h.mu.Unlock()
	if f != nil {
		f(id)
	}
}

func (h *hooks) keep(id dat.Handle, p rdma.EPParams) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.params == nil {
		h.params = map[dat.Handle]rdma.EPParams{}
	}
	h.params[id] = p
}

// engineParams are the parameters that the engine has for an endpoint.
func (h *hooks) engineParams(id dat.Handle) rdma.EPParams {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.params[id]
}

// set makes the named call fail with err; nil lets it pass again.
func (h *hooks) set(call string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse == nil {
		h.refuse = map[string]error{}
	}
	h.refuse[call] = err
}

func (h *hooks) of(call string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refuse[call]
}

// refused is what an engine without memory answers.
var refused = &dat.Error{
	Return: dat.RetInsufficientResources, Subtype: dat.SubResourceMemory,
	Detail: "the engine has no memory left; free something",
}

type hooked struct {
	rdma.Provider
	hook *hooks
}

func (p hooked) Open(ctx context.Context) ([]rdma.IA, error) {
	ias, err := p.Provider.Open(ctx)
	for i := range ias {
		ias[i] = hookedIA{ias[i], p.hook}
	}
	return ias, err
}

type hookedIA struct {
	rdma.IA
	hook *hooks
}

func (a hookedIA) CreateEP(id dat.Handle, params rdma.EPParams) (rdma.EP, error) {
	if err := a.hook.of("CreateEP"); err != nil {
		return nil, err
	}
	if q, ok := params.SRQ.(hookedSRQ); ok {
		params.SRQ = q.SRQ
	}
	a.hook.before("CreateEP", id)
	ep, err := a.IA.CreateEP(id, params)
	if err != nil {
		return nil, err
	}
	a.hook.keep(id, params)
	return hookedEP{ep, id, a.hook}, nil
}

// CreateSRQ implements rdma.IA.
func (a hookedIA) CreateSRQ(id dat.Handle, pz rdma.Object, dtos, iov int32) (rdma.SRQ, error) {
	q, err := a.IA.CreateSRQ(id, pz, dtos, iov)
	if err != nil {
		return nil, err
	}
	return hookedSRQ{q, a.hook}, nil
}

type hookedSRQ struct {
	rdma.SRQ
	hook *hooks
}

func (q hookedSRQ) SetLowWatermark(low int32) error {
	if err := q.hook.of("SetLowWatermark"); err != nil {
		return err
	}
	return q.SRQ.SetLowWatermark(low)
}

type hookedEP struct {
	rdma.EP
	id   dat.Handle
	hook *hooks
}

func (e hookedEP) Modify(p rdma.EPParams) error {
	if err := e.hook.of("Modify"); err != nil {
		return err
	}
	if err := e.EP.Modify(p); err != nil {
		return err
	}
	e.hook.keep(e.id, p)
	return nil
}

func (e hookedEP) Connect(c rdma.Connect) error {
	if err := e.hook.of("Connect"); err != nil {
		return err
	}
	return e.EP.Connect(c)
}

// Post implements rdma.EP; "Post swallows" takes requests that never complete.
func (e hookedEP) Post(requests []rdma.Request) error {
	if e.hook.of("Post swallows") != nil {
		return nil
	}
	return e.EP.Post(requests)
}

func (e hookedEP) PostRecv(recvs []rdma.Recv) error {
	if err := e.hook.of("PostRecv"); err != nil {
		return err
	}
	return e.EP.PostRecv(recvs)
}

// Reports implements rdma.IA: requests find the engine's own endpoints.
func (a hookedIA) Reports() <-chan rdma.Report {
	out := make(chan rdma.Report)
	go func() {
		defer close(out)
		for r := range a.IA.Reports() {
			if r.Request != nil {
				r.Request = hookedRequest{r.Request, a.hook}
			}
			if a.hook.of("hide PeerEP") != nil {
				r.PeerEP = dat.HandleNull
			}
			out <- r
		}
	}()
	return out
}

type hookedRequest struct {
	rdma.ConnRequest
	hook *hooks
}

func (q hookedRequest) Accept(ep rdma.EP, privateData []byte) error {
	if err := q.hook.of("Accept"); err != nil {
		return err
	}
	return q.ConnRequest.Accept(ep.(hookedEP).EP, privateData)
}
