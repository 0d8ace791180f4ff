package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

type listResources struct {
	Read
	Forwarding
	IAPath
	Paging
	Kind   []string `query:"kind,explode" enum:"qp,cm_id,cq,mr,pd,ctx,srq" doc:"The kind; repeat for OR."`
	Owner  []string `query:"owner,explode" enum:"datapi,process,kernel,orphan" doc:"Who made it; repeat for OR."`
	PID    []int32  `query:"pid,explode" doc:"The process that made it; repeat for OR."`
	Remote []string `query:"remote,explode" example:"10.77.0.2" doc:"The peer: its address, its address and port, or the number of its queue pair; repeat for OR."`
}

// iaCounters are the counters of an adapter.
type iaCounters struct {
	IA string   `json:"ia" doc:"The adapter's id."`
	At dat.Time `json:"at" doc:"When they were read."`
	// Counters are decimal strings: they are beyond what a JSON number can hold.
	Counters map[string]string `json:"counters" doc:"The counters of the port and its device by the kernel's names, each a decimal string; empty where the device has none. Those of a soft adapter have names of its own, and so has what the service counts of an iWARP adapter: connects_asked_again."`
}

type getCounters struct {
	Read
	Forwarding
	IAPath
}

func (a *API) registerIAResources() {
	register(a, route{
		id: "list-ia-resources", method: http.MethodGet, live: whollyLive, path: "/ias/{ia}/resources", tag: document.TagIA, summary: "List everything on an adapter's device",
		about: "The queue pairs, connection ids, completion queues, memory regions, protection domains, contexts and shared receive queues of every process, as the kernel lists them now; " +
			"of a soft adapter its own. An orphan was made by this service and belongs to no endpoint. " +
			"What processes of other PID namespaces made is listed only to a service outside of any namespace.",
		answer: reflect.TypeFor[PageOf[dat.Resource]](), refusals: []int{409},
	}, a.listResources)
	register(a, route{
		id: "get-ia-counters", method: http.MethodGet, live: whollyLive, path: "/ias/{ia}/counters", tag: document.TagIA, summary: "Read the counters of an adapter",
		answer: reflect.TypeFor[iaCounters](), refusals: []int{409},
	}, a.getCounters)
}

func (a *API) listResources(ctx context.Context, in *listResources) (*answer, error) {
	if err := cursorOrOffset(in.Cursor, in.Offset); err != nil {
		return nil, err
	}
	after, err := readResourceCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	fields, err := a.fields("Resource", in.Fields)
	if err != nil {
		return nil, err
	}
	if err := a.requireOwn(ctx, dat.TypeIA, in.IA); err != nil {
		return nil, err
	}
	position := a.store.Log().Position()
	kinds := make([]dat.ResourceKind, 0, len(in.Kind))
	for _, kind := range dat.ResourceKinds() {
		if slices.Contains(in.Kind, string(kind)) {
			kinds = append(kinds, kind)
		}
	}
	all, err := a.manager.Resources(dat.Handle(in.IA), kinds...)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r dat.Resource) bool { return !in.wants(r) })
	out := page{position: position}
	if in.Total {
		out.total = new(int64(len(all)))
	}
	all, out.next = in.cut(all, after)
	scope := callerScope(ctx)
	for _, r := range all {
		if scope != nil && r.Endpoint != dat.HandleNull && !a.inScope(scope, dat.TypeEndpoint, r.Endpoint, dat.Handle(in.IA)) {
			r.Endpoint = dat.HandleNull
		}
		item := encode(r)
		if len(fields) > 0 {
			item = pickMembers(item, fields)
		}
		out.items = append(out.items, item)
	}
	return out.answer(), nil
}

// wants reports whether a resource fits the filters of a list but kind.
func (in *listResources) wants(r dat.Resource) bool {
	switch {
	case len(in.Owner) > 0 && !slices.Contains(in.Owner, string(r.Owner)),
		len(in.PID) > 0 && (r.PID == nil || !slices.Contains(in.PID, *r.PID)),
		len(in.Remote) > 0 && !slices.ContainsFunc(in.Remote, func(peer string) bool { return hasPeer(r, peer) }):
		return false
	}
	return true
}

// hasPeer reports whether the peer of a resource is the one that a filter names.
func hasPeer(r dat.Resource, peer string) bool {
	if r.RemoteNumber != nil && strconv.FormatUint(uint64(*r.RemoteNumber), 10) == peer {
		return true
	}
	if r.Destination == nil {
		return false
	}
	destination, err := netip.ParseAddrPort(*r.Destination)
	if err != nil {
		return false
	}
	if address, err := netip.ParseAddr(peer); err == nil {
		return address.Unmap() == destination.Addr().Unmap()
	}
	both, err := netip.ParseAddrPort(peer)
	return err == nil && both == destination
}

// resourcePlace is a place in a list of resources, which is ordered by kind and number.
type resourcePlace struct {
	Kind   dat.ResourceKind `json:"k"`
	Number uint32           `json:"n"`
}

// cut returns the page of a list that begins after a place or an offset, and the cursor of the next one.
func (in *listResources) cut(all []dat.Resource, after *resourcePlace) ([]dat.Resource, *string) {
	if after != nil {
		order := dat.ResourceKinds()
		rank := slices.Index(order, after.Kind)
		all = slices.DeleteFunc(all, func(r dat.Resource) bool {
			kind := slices.Index(order, r.Kind)
			return kind < rank || kind == rank && r.Number <= after.Number
		})
	}
	all = all[min(in.Offset, len(all)):]
	if len(all) <= in.Limit {
		return all, nil
	}
	all = all[:in.Limit]
	last := all[in.Limit-1]
	return all, new(base64.RawURLEncoding.EncodeToString(encode(resourcePlace{last.Kind, last.Number})))
}

// readResourceCursor reads a cursor of a list of resources, nil where there is none.
func readResourceCursor(s string) (*resourcePlace, error) {
	if s == "" {
		return nil, nil
	}
	p := &resourcePlace{}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, p)
	}
	if err != nil || !slices.Contains(dat.ResourceKinds(), p.Kind) {
		return nil, wrongQuery("cursor", "must be next_cursor of the page before, or left out")
	}
	return p, nil
}

func (a *API) getCounters(ctx context.Context, in *getCounters) (*answer, error) {
	if err := a.requireOwn(ctx, dat.TypeIA, in.IA); err != nil {
		return nil, err
	}
	at := dat.At(time.Now())
	found, err := a.manager.Counters(dat.Handle(in.IA))
	if err != nil {
		return nil, err
	}
	out := iaCounters{IA: in.IA, At: at, Counters: make(map[string]string, len(found))}
	for name, n := range found {
		out.Counters[name] = fmt.Sprint(n)
	}
	return a.ok(out), nil
}
