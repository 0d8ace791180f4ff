package faults

import (
	"context"
	"net/http"
	"time"
)

// pair is what a writer connects: an endpoint on each adapter, and a service point.
type pair struct {
	active, passive, psp string
	qualifier            int
}

// firstQualifier is the connection qualifier of the first writer.
const firstQualifier = 20000

// makePair makes what connectOnce needs. It returns nil where the service is away.
func (w *Writer) makePair(ctx context.Context) *pair {
	p := &pair{qualifier: firstQualifier + w.number}
	made := func(path string, body object) string {
		marker := w.unique()
		body["labels"] = object{"op": marker}
		call := w.do(ctx, &Call{Kind: KindCreate, Method: http.MethodPost, Path: path, Key: "key-" + marker, Marker: marker, Effects: 1}, body)
		return text(call.decoded(), "id")
	}
	evds := [2]string{}
	for n := range evds {
		evds[n] = made("/evds", object{"ia": adapterID(w.node, n), "qlen": 256, "streams": []string{"DTO", "CONNECTION"}})
	}
	requests := made("/evds", object{"ia": adapterID(w.node, 1), "qlen": 256, "streams": []string{"CR"}})
	endpoint := func(n int) string {
		pz := made("/pzs", object{"ia": adapterID(w.node, n)})
		return made("/endpoints", object{
			"ia": adapterID(w.node, n), "pz": pz, "recv_evd": evds[n], "request_evd": evds[n], "connect_evd": evds[n],
		})
	}
	p.active, p.passive = endpoint(0), endpoint(1)
	p.psp = made("/psps", object{"ia": adapterID(w.node, 1), "conn_qual": p.qualifier, "evd": requests, "ep_creator": "CONSUMER"})
	if p.active == "" || p.passive == "" || p.psp == "" {
		return nil
	}
	return p
}

// connection makes a call that a connection takes.
func (w *Writer) connection(ctx context.Context, id, path string, effects int, body any) *Call {
	return w.do(ctx, &Call{Kind: KindConnection, Method: http.MethodPost, Path: path, Object: id, Key: w.maybeKey(), Effects: effects}, body)
}

// connectOnce connects the writer's pair, disconnects and resets it.
func (w *Writer) connectOnce(ctx context.Context) {
	if w.pair == nil {
		if w.pair = w.makePair(ctx); w.pair == nil {
			return
		}
	}
	p := w.pair
	call := w.connection(ctx, p.active, "/endpoints/"+p.active+"/connect", -1,
		object{"remote_ia_address": "10.77.0.2", "remote_port_qual": p.qualifier, "timeout_us": 5_000_000})
	if call.Outcome() == Acknowledged {
		if cr := w.request(ctx, p); cr != "" {
			w.connection(ctx, p.passive, "/crs/"+cr+"/accept", -1, object{"endpoint": p.passive})
		}
	}
	w.connection(ctx, p.active, "/endpoints/"+p.active+"/disconnect", -2, object{"close": "ABRUPT"})
	for _, id := range []string{p.active, p.passive} {
		w.connection(ctx, id, "/endpoints/"+id+"/disconnect", -2, object{"close": "ABRUPT"})
		w.connection(ctx, id, "/endpoints/"+id+"/reset", -2, nil)
	}
}

// request returns the connection request that waits at the pair's service point.
func (w *Writer) request(ctx context.Context, p *pair) string {
	for range 20 {
		_, list := w.read(ctx, "/crs?psp="+p.psp)
		items, ok := list["items"].([]any)
		if ok && len(items) > 0 {
			if cr, ok := items[len(items)-1].(object); ok {
				return text(cr, "id")
			}
		}
		if ctx.Err() != nil {
			return ""
		}
		w.pause(ctx, 10*time.Millisecond, 30*time.Millisecond)
	}
	return ""
}
