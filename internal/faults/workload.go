package faults

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// owned is an endpoint as its writer knows it.
type owned struct {
	id string
	// version is the last one that an answer told, 0 where an answer was lost since.
	version int64
}

// Writer is a client that writes at random, from its seed.
type Writer struct {
	*Client
	// contested are endpoints that all writers of a world modify.
	contested []string
	mine      []*owned
	pair      *pair
	serial    int
	// most is about how many endpoints the writer has at a time.
	most int
}

// action is one of the things that a writer does, with how often it does it.
type action struct {
	weight int
	do     func(*Writer, context.Context)
}

// actions are all that a writer does.
var actions = []action{
	{18, (*Writer).create},
	{26, (*Writer).modify},
	{10, (*Writer).contest},
	{8, (*Writer).setWatermark},
	{4, (*Writer).revert},
	{8, (*Writer).free},
	{7, (*Writer).atomicBatch},
	{6, (*Writer).looseBatch},
	{4, (*Writer).dryRun},
	{6, (*Writer).connectOnce},
	{10, (*Writer).readOne},
}

// run writes until ctx ends.
func (w *Writer) run(ctx context.Context) {
	sum := 0
	for _, a := range actions {
		sum += a.weight
	}
	for ctx.Err() == nil {
		n := w.random.IntN(sum)
		for _, a := range actions {
			if n -= a.weight; n < 0 {
				a.do(w, ctx)
				break
			}
		}
		if last := w.lastCall(); last != nil && last.answer().Status == 0 {
			w.pause(ctx, 10*time.Millisecond, 100*time.Millisecond) // the service is away
		}
	}
}

// lastCall returns what the writer did last, nil if nothing.
func (w *Writer) lastCall() *Call {
	calls := w.history.Calls()
	for i := len(calls) - 1; i >= 0 && i > len(calls)-64; i-- {
		if calls[i].Client == w.number {
			return calls[i]
		}
	}
	return nil
}

// unique returns a text that no other call of the world has.
func (w *Writer) unique() string {
	w.serial++
	return fmt.Sprintf("%s-w%d-%d", w.prefix, w.number, w.serial)
}

// maybeKey returns an Idempotency-Key for two calls of three.
func (w *Writer) maybeKey() string {
	if w.random.IntN(3) == 0 {
		return ""
	}
	return "key-" + w.unique()
}

// any returns one of the writer's endpoints, nil if it has none.
func (w *Writer) any() *owned {
	if len(w.mine) == 0 {
		return nil
	}
	return w.mine[w.random.IntN(len(w.mine))]
}

// forget takes an endpoint out of those that the writer uses.
func (w *Writer) forget(o *owned) {
	for i := range w.mine {
		if w.mine[i] == o {
			w.mine = append(w.mine[:i:i], w.mine[i+1:]...)
			return
		}
	}
}

// body of a new endpoint that bears the marker.
func (w *Writer) endpointBody(marker string) object {
	return object{
		"ia": adapterID(w.node, w.random.IntN(2)), "name": marker, "labels": object{"op": marker},
		"attributes": object{"max_recv_dtos": 1 + w.random.IntN(1000)},
	}
}

// adapterID returns the id of the n-th adapter of a node.
func adapterID(node string, n int) string { return "soft" + strconv.Itoa(n) + "@" + node }

func (w *Writer) create(ctx context.Context) {
	if len(w.mine) > w.most {
		w.free(ctx)
		return
	}
	marker := w.unique()
	call := w.do(ctx, &Call{Kind: KindCreate, Method: http.MethodPost, Path: "/endpoints", Key: w.maybeKey(), Marker: marker, Effects: 1},
		w.endpointBody(marker))
	if made := call.decoded(); made != nil {
		w.mine = append(w.mine, &owned{id: text(made, "id"), version: 1})
	}
}

func (w *Writer) modify(ctx context.Context) {
	o := w.any()
	if o == nil {
		w.create(ctx)
		return
	}
	w.modifyOne(ctx, o, w.random.IntN(2) == 0)
}

// modifyOne modifies an endpoint, with If-Match where the version is known and asked for.
func (w *Writer) modifyOne(ctx context.Context, o *owned, match bool) {
	marker := w.unique()
	call := &Call{
		Kind: KindModify, Method: http.MethodPatch, Path: "/endpoints/" + o.id, Object: o.id, Key: w.maybeKey(),
		Marker: marker, Effects: 1,
	}
	if match && o.version > 0 {
		call.IfMatch = `"` + strconv.FormatInt(o.version, 10) + `"`
	}
	w.do(ctx, call, object{"labels": object{"op": marker}, "attributes": object{"max_recv_dtos": 1 + w.random.IntN(1000)}})
	w.learn(o, call)
}

// learn takes the version of an endpoint from an answer.
func (w *Writer) learn(o *owned, call *Call) {
	o.version = 0
	if now := call.decoded(); now != nil {
		o.version = versionOf(now)
	}
	if call.answer().Status == http.StatusNotFound {
		w.forget(o)
	}
}

// versionOf returns the member version.
func versionOf(o object) int64 {
	n, ok := o["version"].(float64)
	if !ok {
		return 0
	}
	return int64(n)
}

// contest modifies an endpoint that others modify too, with the version that it reads.
func (w *Writer) contest(ctx context.Context) {
	if len(w.contested) == 0 {
		return
	}
	o := &owned{id: w.contested[w.random.IntN(len(w.contested))]}
	if now := w.readEndpoint(ctx, o.id); now != nil {
		o.version = versionOf(now)
		w.modifyOne(ctx, o, true)
	}
}

func (w *Writer) setWatermark(ctx context.Context) {
	o := w.any()
	if o == nil {
		return
	}
	call := w.do(ctx, &Call{
		Kind: KindWatermark, Method: http.MethodPut, Path: "/endpoints/" + o.id + "/watermarks", Object: o.id, Key: w.maybeKey(), Effects: -2,
	}, object{"soft_high": 1 + w.random.IntN(1000), "hard_high": nil})
	w.learn(o, call)
}

func (w *Writer) revert(ctx context.Context) {
	o := w.any()
	if o == nil || o.version < 2 {
		return
	}
	call := w.do(ctx, &Call{
		Kind: KindRevert, Method: http.MethodPost, Path: "/endpoints/" + o.id + "/revert", Object: o.id, Key: w.maybeKey(), Effects: -2,
	}, object{"version": 1 + w.random.Int64N(o.version-1)})
	w.learn(o, call)
}

func (w *Writer) free(ctx context.Context) {
	o := w.any()
	if o == nil {
		return
	}
	w.forget(o) // also where the answer is lost
	w.do(ctx, &Call{Kind: KindFree, Method: http.MethodDelete, Path: "/endpoints/" + o.id, Object: o.id, Key: w.maybeKey(), Effects: 1}, nil)
}

// operation is one write of a batch.
func operation(method, path string, body any) object {
	o := object{"method": method, "path": path}
	if body != nil {
		o["body"] = body
	}
	return o
}

// atomicBatch makes a protection zone, a queue and two endpoints that use them, all or none.
func (w *Writer) atomicBatch(ctx context.Context) {
	marker := w.unique()
	endpoint := func(name string) object {
		return object{"ia": adapterID(w.node, 0), "name": name, "labels": object{"op": marker}, "pz": "$0.id", "connect_evd": "$1.id"}
	}
	operations := []object{
		operation("POST", "/pzs", object{"ia": adapterID(w.node, 0), "name": marker + "-pz"}),
		operation("POST", "/evds", object{"ia": adapterID(w.node, 0), "name": marker + "-evd", "qlen": 16, "streams": []string{"CONNECTION"}}),
		operation("POST", "/endpoints", endpoint(marker+"-a")),
		operation("POST", "/endpoints", endpoint(marker+"-b")),
	}
	if o := w.any(); o != nil && w.random.IntN(2) == 0 {
		o.version = 0
		operations = append(operations, operation("PATCH", "/endpoints/"+o.id, object{"labels": object{"op": marker}}))
	}
	if w.random.IntN(5) == 0 { // one that is refused by its last operation
		operations = append(operations, operation("POST", "/endpoints", endpoint(marker+"-a")))
	}
	w.do(ctx, &Call{
		Kind: KindAtomic, Method: http.MethodPost, Path: "/batch", Key: w.maybeKey(), Marker: marker, Effects: len(operations),
	}, object{"atomic": true, "operations": operations})
}

// looseBatch makes endpoints, one of which has no adapter and is refused, and modifies some.
func (w *Writer) looseBatch(ctx context.Context) {
	marker := w.unique()
	var operations []object
	for n := range 3 + w.random.IntN(12) {
		body := w.endpointBody(fmt.Sprintf("%s-%d", marker, n))
		body["labels"] = object{"op": marker}
		delete(body, "name") // a repetition of one with a name would be refused
		switch w.random.IntN(6) {
		case 0:
			body["ia"] = adapterID(w.node, 7)
		case 1:
			operations = append(operations, operation("PATCH", fmt.Sprintf("/endpoints/$%d.id", w.random.IntN(n+1)),
				object{"labels": object{"op": marker, "n": strconv.Itoa(n)}}))
			continue
		}
		operations = append(operations, operation("POST", "/endpoints", body))
	}
	w.do(ctx, &Call{Kind: KindLoose, Method: http.MethodPost, Path: "/batch", Key: w.maybeKey(), Marker: marker, Effects: len(operations)},
		object{"atomic": false, "operations": operations})
}

// dryRun rehearses a creation with a key, then makes the real call with the same key.
func (w *Writer) dryRun(ctx context.Context) {
	marker, key := w.unique(), "key-"+w.unique()
	body := w.endpointBody(marker)
	spelling := []string{"true", "True", "1", "TRUE", "t"}[w.random.IntN(5)]
	rehearsal := w.do(ctx, &Call{Kind: KindDryRun, Method: http.MethodPost, Path: "/endpoints?dry_run=" + spelling, Key: key}, body)
	if rehearsal.Outcome() != Acknowledged {
		return
	}
	call := w.do(ctx, &Call{Kind: KindCreate, Method: http.MethodPost, Path: "/endpoints", Key: key, Marker: marker, Effects: 1}, body)
	if made := call.decoded(); made != nil {
		w.mine = append(w.mine, &owned{id: text(made, "id"), version: 1})
	}
}

// readOne reads one of the writer's endpoints or a contested one.
func (w *Writer) readOne(ctx context.Context) {
	ids := w.contested
	if o := w.any(); o != nil && (len(ids) == 0 || w.random.IntN(2) == 0) {
		ids = []string{o.id}
	}
	if len(ids) > 0 {
		w.readEndpoint(ctx, ids[w.random.IntN(len(ids))])
	}
}

// readEndpoint reads an endpoint, which the history remembers; nil where there is no answer.
func (c *Client) readEndpoint(ctx context.Context, id string) object {
	return c.do(ctx, &Call{Kind: KindRead, Method: http.MethodGet, Path: "/endpoints/" + id, Object: id}, nil).decoded()
}
