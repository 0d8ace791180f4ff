package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

const (
	// heartbeat is the longest silence of a stream: a comment breaks it.
	heartbeat = 15 * time.Second
	// sendTimeout is the time that a client has for taking one part of a stream. One that takes longer is cut off; it
	// may resume where it was.
	sendTimeout = 10 * time.Second
	// maxStream bounds the life of a stream; its clients resume.
	maxStream = 365 * 24 * time.Hour
)

type streamChanges struct {
	Read
	ChangesOf
	LastEventID string `header:"Last-Event-ID" maxLength:"40" doc:"The id of the last change seen: the stream goes on after it. Wins over after."`
	After       string `query:"after" maxLength:"40" example:"1042" doc:"Start after this position, the id of an event of a stream; 0 is the beginning. Now where left out."`
}

func (a *API) registerStream() {
	register(a, route{
		id: "stream-changes", method: http.MethodGet, path: "/changes/stream", tag: document.TagChange, summary: "Watch changes",
		about: "Server-Sent Events: `event: change` with the change as data and its id as `id`, in order, without gap or duplicate; " +
			"`event: stale` while the database is away, `event: fresh` when it is back; a comment every 15 s. " +
			"An id is a position in the log: that of its change, after a generation and a dot if the log ever went back " +
			"because the database lost commits. Positions from before that are 410, and streams end.",
		answer: reflect.TypeFor[dat.Change](), answerType: document.MediaEvents, refusals: []int{410},
	}, a.streamChanges)
}

func (a *API) streamChanges(ctx context.Context, in *streamChanges) (*huma.StreamResponse, error) {
	after, err := a.streamStart(ctx, in)
	if err != nil {
		return nil, err
	}
	filter, err := a.changeFilter(ctx, in.ChangesOf)
	if err != nil {
		return nil, err
	}
	sub, err := a.store.Log().Subscribe(ctx, after, filter)
	if errors.Is(err, store.ErrBeyond) {
		return nil, wrongQuery("after", "must not lie beyond the end of the log; the last change is "+strconv.FormatInt(a.store.Log().Last(), 10))
	}
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) { a.stream(hc, sub) }}, nil
}

// streamStart returns the position after which a stream starts: Last-Event-ID, else after, else the newest.
func (a *API) streamStart(ctx context.Context, in *streamChanges) (store.Position, error) {
	for _, given := range []struct {
		value string
		wrong func(name, must string) *document.Problem
		name  string
	}{{in.LastEventID, wrongHeader, "Last-Event-ID"}, {in.After, wrongQuery, "after"}} {
		if given.value == "" {
			continue
		}
		position, ok := store.ParsePosition(given.value)
		if !ok {
			return position, given.wrong(given.name, "must be the id of an event of this stream, or 0 for the beginning")
		}
		return position, nil
	}
	return a.store.Log().Present(ctx), nil
}

// stream sends what the subscription delivers until the client goes, falls behind the retention, or the service stops.
func (a *API) stream(hc huma.Context, sub *store.Subscription) {
	_, w := humachi.Unwrap(hc)
	hc.SetHeader("Content-Type", document.MediaEvents)
	hc.SetHeader("Cache-Control", noStore)
	hc.SetHeader("X-Accel-Buffering", "no")
	hc.SetStatus(http.StatusOK)
	ctx, cancel := a.boundWait(hc.Context(), maxStream)
	defer cancel()
	info := requestOf(hc.Context())
	ctx, unwatch := a.credentials.Watch(ctx, info.token, info.cookie, info.principal.Scope)
	defer unwatch()
	a.metrics.streams.Inc()
	defer a.metrics.streams.Dec()
	out := sseWriter{w: w, control: http.NewResponseController(w), timeout: a.sendTimeout}
	if out.send([]byte(": changes follow\n\n")) != nil {
		return
	}
	stale := false
	for ctx.Err() == nil {
		turn, done := context.WithTimeout(ctx, a.heartbeat)
		delivery, err := sub.Next(turn)
		done()
		var part []byte
		switch {
		case err == nil:
			part = deliveryText(delivery, info.principal.Scope, &stale)
		case errors.Is(err, context.DeadlineExceeded):
			part = heartbeatText(stale)
		default:
			return
		}
		if out.send(part) != nil {
			return
		}
	}
}

// heartbeatText returns what breaks a silence. While the database is away it says so again, for clients that have
// missed it.
func heartbeatText(stale bool) []byte {
	if stale {
		return []byte(": still here\n\nevent: stale\ndata: {}\n\n")
	}
	return []byte(": still here\n\n")
}

// deliveryText returns a delivery as Server-Sent Events for a caller with a scope. stale is whether the database was away at the last delivery;
// it is set to whether it is away now.
func deliveryText(d store.Delivery, scope *access.Scope, stale *bool) []byte {
	var b bytes.Buffer
	for _, c := range d.Changes {
		b.WriteString("event: change\nid: " + store.Position{Generation: d.Position.Generation, ID: c.ID}.String() + "\ndata: ")
		if scope == nil {
			b.Write(c.JSON()) // once for all
		} else {
			b.Write(encode(changeFor(scope, c.Change)))
		}
		b.WriteString("\n\n")
	}
	if d.Stale != *stale {
		*stale = d.Stale
		name := map[bool]string{true: "stale", false: "fresh"}[d.Stale]
		b.WriteString("event: " + name + "\ndata: {}\n\n")
	}
	return b.Bytes()
}

// sseWriter sends each part of a stream immediately. It blocks the stream of its own client only.
type sseWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

func (s sseWriter) send(part []byte) error {
	if len(part) == 0 {
		return nil
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.w.Write(part); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil {
		return err
	}
	_ = s.control.SetWriteDeadline(time.Time{}) // it could be set before; under HTTP/2 it would end the silence after the write
	return nil
}
