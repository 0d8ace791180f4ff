package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// forwardLimit is how long a call that was passed on may take, beyond what it says itself that it waits.
const forwardLimit = 10 * time.Second

// liveLimit is how long a read waits for the live members of another node's object.
const liveLimit = 2 * time.Second

// maxPeerAnswer is the longest answer of another node that is taken, in bytes: longer than any call gives.
const maxPeerAnswer = 64 << 20

// errLongAnswer is the refusal of a longer one.
var errLongAnswer = errors.New("its answer has no end")

// hopHeaders are the headers of an answer that are about the connection that it came on.
var hopHeaders = []string{"Connection", "Keep-Alive", "Transfer-Encoding", "Date", "Set-Cookie"}

// passOn has a call carried out by the node that owns its object, where that is another one, and reports whether it has
// answered. What it has not answered is this node's to answer: calls about its own objects and about none, those that
// another node has passed on already, and reads of what is recorded.
func (a *API) passOn(r route, ctx huma.Context) bool {
	request, w := humachi.Unwrap(ctx)
	info := requestOf(request.Context())
	if !info.mayPassOn() || !r.isPassedOn() {
		return false
	}
	segments := strings.Split(strings.TrimPrefix(strings.TrimPrefix(request.URL.Path, basePath), "/"), "/")
	owner, err := a.ownerOfCall(request.Context(), segments, info.body)
	if err != nil || owner == "" || owner == a.node {
		return false // where the database is away the call itself says so
	}
	limit := forwardLimit
	if r.live == partlyLive {
		limit = liveLimit
	}
	var wait time.Duration
	if slices.ContainsFunc(ctx.Operation().Parameters, func(p *huma.Param) bool { return p.Name == "Prefer" }) {
		wait, _ = Waiting{Prefer: request.Header.Get("Prefer")}.duration() // the owner refuses one that is wrong
	}
	got, p := a.forward(request.Context(), owner, outgoing{
		method: request.Method, uri: basePath + strings.TrimPrefix(request.URL.RequestURI(), basePath), header: request.Header, body: info.body, limit: limit + wait,
	})
	switch {
	case p == nil && (r.live != partlyLive || got.status < http.StatusInternalServerError):
		got.send(w, request.Method == http.MethodHead)
	case r.live == partlyLive:
		return false // it is shown as it is recorded
	default:
		writeProblem(w, request, p)
	}
	return true
}

// readForward reads the parameter that keeps a call from being passed on.
func readForward(request *http.Request) *document.Problem {
	info := requestOf(request.Context())
	text := request.URL.Query().Get("forward")
	if text == "" {
		return nil
	}
	forward, err := strconv.ParseBool(text)
	if err != nil {
		return wrongQuery("forward", "must be true or false")
	}
	info.unforwarded = !forward
	query := request.URL.Query()
	query.Del("forward") // for an Idempotency-Key it is the same call
	request.URL.RawQuery = query.Encode()
	return nil
}

// mayPassOn reports whether another node may be asked: not where the client does not want it, and not for what another
// node has passed on already.
func (info *requestInfo) mayPassOn() bool { return info.from == "" && !info.unforwarded }

// outgoing is a call to another node.
type outgoing struct {
	// uri is the path with its query.
	method, uri string
	// header is that of the client's request.
	header http.Header
	body   []byte
	// limit is how long its answer may take.
	limit time.Duration
}

// isRead reports whether the call changes nothing.
func (c outgoing) isRead() bool { return c.method == http.MethodGet || c.method == http.MethodHead }

// forwardedHeaders are the headers of a client that go on to the owner.
var forwardedHeaders = []string{
	"Accept", "Content-Type", "If-Match", "If-None-Match", "Prefer", "X-Change-Reason", idempotencyHeader,
}

// peerAnswer is the answer of another node.
type peerAnswer struct {
	node   string
	status int
	header http.Header
	body   []byte
}

// send sends the answer as it is, with the name of the node that gave it. One to HEAD keeps the length of what it lacks.
func (p *peerAnswer) send(w http.ResponseWriter, isHead bool) {
	for name, values := range p.header {
		if name != "Content-Length" || isHead {
			w.Header()[name] = values
		}
	}
	w.Header().Set(document.NodeHeader, p.node)
	w.WriteHeader(p.status)
	_, _ = w.Write(p.body) // the client may be gone
}

// forward sends a call to a node and returns its answer. The problem says which node did not answer: 503 where nothing
// was sent, 504 where it may have carried the call out.
func (a *API) forward(ctx context.Context, owner string, call outgoing) (*peerAnswer, *document.Problem) {
	ctx, cancel := a.boundWait(ctx, call.limit)
	defer cancel()
	node, err := a.nodeThatIsUp(ctx, owner)
	if err != nil {
		a.metrics.passedOn.WithLabelValues("away").Inc()
		return nil, problemOf(err)
	}
	for first := true; ; first = false {
		got, sent, err := a.sendTo(ctx, node, call)
		switch {
		case err == nil && got.status == http.StatusUnauthorized && first:
			// It was started again since its row was read, and has another secret: nothing was done there.
			if node, err = a.nodeThatIsUp(ctx, owner); err != nil {
				return nil, problemOf(err)
			}
			continue
		case err == nil && got.status == http.StatusUnauthorized:
			err = errNotTaken
		case err == nil:
			a.metrics.passedOn.WithLabelValues("answered").Inc()
			return got, nil
		case !sent && first && ctx.Err() == nil:
			continue // a connection that was kept may have ended meanwhile
		case sent && !call.isRead():
			a.metrics.passedOn.WithLabelValues("unknown").Inc()
			return nil, a.outcomeAtOwner(ctx, owner)
		}
		a.metrics.passedOn.WithLabelValues("away").Inc()
		return nil, document.NewProblem(document.KindNodeAway, "The object belongs to node "+owner+", which could not be reached at "+node.Address+" ("+lossOf(err)+"). Nothing was done there; try again.")
	}
}

// errNotTaken is the answer of a server that does not take the signature of a call.
var errNotTaken = errors.New("the server there does not take calls of this node: it is another one, or the clocks differ")

// lossOf returns in a few words why a call had no answer.
func lossOf(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it did not answer in time"
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// outcomeAtOwner returns the problem of a write that was sent to its owner and had no answer.
func (a *API) outcomeAtOwner(ctx context.Context, owner string) *document.Problem {
	again := "Without an Idempotency-Key look at the object before you send it again."
	if key := requestOf(ctx).key; key != "" {
		again = "Repeat it with its Idempotency-Key " + key + " to learn what became of it."
	}
	p := document.NewProblem(document.KindOutcomeUnknown, "Node "+owner+", which owns the object, was sent the call as request "+requestOf(ctx).id+" and has not answered: it may have been carried out or not. "+again)
	p.Status = http.StatusGatewayTimeout
	return p
}

// nodeThatIsUp returns the row of a node that answers. The error is the refusal of a call for an object of one that
// does not.
func (a *API) nodeThatIsUp(ctx context.Context, name string) (*store.Node, error) {
	nodes, err := a.store.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if n.Name == name && n.State == store.NodeUp {
			return &n, nil
		}
	}
	return nil, document.NewProblem(document.KindNodeAway, "The object belongs to node "+name+", which does not answer now. Only its owner can change it; try again when it is back.")
}

// sendTo sends a call to a node once. sent reports whether the node may have seen it.
func (a *API) sendTo(ctx context.Context, node *store.Node, call outgoing) (got *peerAnswer, sent bool, err error) {
	var wrote atomic.Bool
	ctx, span := startForward(ctx, node.Name, call.method)
	defer span.End()
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	request, err := http.NewRequestWithContext(traced, call.method, node.Address+call.uri, http.NoBody)
	if err != nil {
		return nil, false, err
	}
	if !call.isRead() {
		// A body that cannot be had again keeps the transport from sending the call twice by itself.
		request.Body, request.ContentLength, request.GetBody = io.NopCloser(bytes.NewReader(call.body)), int64(len(call.body)), nil
	}
	for _, name := range forwardedHeaders {
		if values := call.header.Values(name); len(values) > 0 {
			request.Header[name] = values
		}
	}
	info := requestOf(ctx)
	call.uri = request.URL.RequestURI() // as it is sent
	request.Header.Set(document.RequestIDHeader, info.id)
	passTrace(ctx, request.Header)
	request.Header.Set(forwardedHeader, forwarded{
		From: a.node, To: receiver(node.Name, info.principal.Scope), Scope: info.principal.Scope, Principal: info.principal.Name, Kind: info.principal.Kind, ID: info.principal.ID, Role: info.principal.Role.String(), At: time.Now().Unix(), Call: callDigest(call.method, call.uri, request.Header, call.body),
	}.sign(node.Secret))
	response, err := a.peers.client(node).Do(request)
	if err != nil {
		return nil, wrote.Load(), err
	}
	defer func() { _ = response.Body.Close() }()
	got = &peerAnswer{node: node.Name, status: response.StatusCode, header: response.Header}
	for _, name := range hopHeaders {
		got.header.Del(name)
	}
	got.body, err = io.ReadAll(io.LimitReader(response.Body, maxPeerAnswer+1))
	if len(got.body) > maxPeerAnswer {
		err = errLongAnswer
	}
	return got, true, err
}

// isUnknownHandle reports whether an error is the refusal of an id that no object has.
func isUnknownHandle(err error) bool {
	var refused *dat.Error
	return errors.As(err, &refused) && refused.Return == dat.RetInvalidHandle
}
