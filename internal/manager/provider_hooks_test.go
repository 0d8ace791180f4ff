package manager_test

import (
	"context"
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// hooks let a test refuse calls of an engine, or do something before them, by the
// name of the call. They remember the parameters that the engine has for endpoints.
type hooks struct {
	mu       sync.Mutex
	refusals map[string]error
	actions  map[string]func(dat.Handle)
	params   map[dat.Handle]rdma.EPParams
	// address, where it is set, is the address of every adapter.
	address string
}

// beforeNext runs f before the next call of that name.
func (h *hooks) beforeNext(call string, f func(dat.Handle)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.actions == nil {
		h.actions = map[string]func(dat.Handle){}
	}
	h.actions[call] = f
}

func (h *hooks) before(call string, id dat.Handle) {
	h.mu.Lock()
	f := h.actions[call]
	delete(h.actions, call)
	h.mu.Unlock()
	if f != nil {
		f(id)
	}
}

// refuse makes the calls of that name fail with err; nil lets them pass again.
func (h *hooks) refuse(call string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refusals == nil {
		h.refusals = map[string]error{}
	}
	h.refusals[call] = err
}

// refusalOf returns the error for a call, nil to let it pass.
func (h *hooks) refusalOf(call string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refusals[call]
}

func (h *hooks) storeParams(id dat.Handle, p rdma.EPParams) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.params == nil {
		h.params = map[dat.Handle]rdma.EPParams{}
	}
	h.params[id] = p
}

// engineParams returns the parameters that the engine has for an endpoint.
func (h *hooks) engineParams(id dat.Handle) rdma.EPParams {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.params[id]
}

// errRefused is what an engine without memory answers.
var errRefused = &dat.Error{
	Return: dat.RetInsufficientResources, Subtype: dat.SubResourceMemory,
	Detail: "the engine has no memory left; free something",
}

type hookedProvider struct {
	rdma.Provider
	hook *hooks
}

func (p hookedProvider) Open(ctx context.Context) ([]rdma.IA, error) {
	ias, err := p.Provider.Open(ctx)
	for i := range ias {
		ias[i] = hookedIA{ias[i], p.hook}
	}
	return ias, err
}

// setAddress gives every adapter another address.
func (h *hooks) setAddress(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.address = address
}

// Attributes implements rdma.IA.
func (a hookedIA) Attributes() (dat.IAAttributes, dat.ProviderAttributes) {
	attributes, provider := a.IA.Attributes()
	a.hook.mu.Lock()
	defer a.hook.mu.Unlock()
	if a.hook.address != "" {
		attributes.IAAddress = new(a.hook.address)
	}
	return attributes, provider
}

type hookedIA struct {
	rdma.IA
	hook *hooks
}

func (a hookedIA) CreateEP(id dat.Handle, params rdma.EPParams) (rdma.EP, error) {
	if err := a.hook.refusalOf("CreateEP"); err != nil {
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
	a.hook.storeParams(id, params)
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

// Reports implements rdma.IA. Requests are hooked; a refusal of "hide PeerEP" hides
// the peer's endpoint.
func (a hookedIA) Reports() <-chan rdma.Report {
	out := make(chan rdma.Report)
	go func() {
		defer close(out)
		for r := range a.IA.Reports() {
			if r.Request != nil {
				r.Request = hookedRequest{r.Request, a.hook}
			}
			if a.hook.refusalOf("hide PeerEP") != nil {
				r.PeerEP = dat.HandleNull
			}
			out <- r
		}
	}()
	return out
}

type hookedSRQ struct {
	rdma.SRQ
	hook *hooks
}

func (q hookedSRQ) SetLowWatermark(low int32) error {
	if err := q.hook.refusalOf("SetLowWatermark"); err != nil {
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
	if err := e.hook.refusalOf("Modify"); err != nil {
		return err
	}
	if err := e.EP.Modify(p); err != nil {
		return err
	}
	e.hook.storeParams(e.id, p)
	return nil
}

func (e hookedEP) Connect(c rdma.Connect) error {
	if err := e.hook.refusalOf("Connect"); err != nil {
		return err
	}
	return e.EP.Connect(c)
}

// Post implements rdma.EP. A refusal of "Post swallows" lets requests vanish, so
// that they never complete.
func (e hookedEP) Post(requests []rdma.Request) error {
	if e.hook.refusalOf("Post swallows") != nil {
		return nil
	}
	return e.EP.Post(requests)
}

func (e hookedEP) PostRecv(recvs []rdma.Recv) error {
	if err := e.hook.refusalOf("PostRecv"); err != nil {
		return err
	}
	return e.EP.PostRecv(recvs)
}

type hookedRequest struct {
	rdma.ConnRequest
	hook *hooks
}

func (q hookedRequest) Accept(ep rdma.EP, privateData []byte) error {
	if err := q.hook.refusalOf("Accept"); err != nil {
		return err
	}
	return q.ConnRequest.Accept(ep.(hookedEP).EP, privateData)
}
