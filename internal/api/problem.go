package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// refusal maps an error of a call to its problem, and logs what is not the caller's fault. register calls it for
// every call, so that no error of the packages below is answered as it is.
func (a *API) refusal(ctx context.Context, err error) error {
	p := sameForAllOutside(ctx, problemOf(err))
	if p.Status >= http.StatusInternalServerError && ctx.Err() == nil {
		level := slog.LevelWarn
		if p.Status == http.StatusInternalServerError {
			level = slog.LevelError
		}
		a.log.LogAttrs(ctx, level, "call failed", slog.Int("status", p.Status), slog.String("error", err.Error()),
			slog.String("request_id", requestOf(ctx).id), slog.String("trace_id", traceOf(ctx)))
	}
	return requestOf(ctx).refusedWith(p)
}

// problemOf returns the problem of an error. DAT's refusals have theirs in the table of package document; an error
// that it does not know is an internal error, whose problem tells nothing of the cause.
func problemOf(err error) *document.Problem {
	var p *document.Problem
	var refused *dat.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refused):
		return document.FromDAT(refused)
	case errors.Is(err, store.ErrGone):
		return document.NewProblem(document.KindPositionGone, "This lies before what the retention kept. Ask for something newer, or start from the present.")
	case errors.Is(err, store.ErrRewound):
		return document.NewProblem(document.KindLogRewound, "")
	case errors.Is(err, errMemoryFull):
		return document.NewProblem(document.KindBusy, "")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return document.NewProblem(document.KindShuttingDown, "The call was given up before it was done.")
	}
	return document.NewProblem(document.KindInternal, document.InternalDetail)
}

// wrongQuery returns the refusal of a query parameter; must says what would be right, as in "must be given once".
func wrongQuery(name, must string) *document.Problem { return wrongPlace("query."+name, name, must) }

// wrongHeader returns the refusal of a header; must says what would be right.
func wrongHeader(name, must string) *document.Problem { return wrongPlace("header."+name, name, must) }

func wrongPlace(location, name, must string) *document.Problem {
	p := document.NewProblem(document.KindInvalidRequest, name+" "+must+".")
	p.Errors = []document.ProblemError{{Location: location, Message: must}}
	p.Field = &name
	return p
}

// inQuery turns the store's refusal of a parameter into the refusal of a query: what the store judges came in the
// query, not in a body. Other errors are returned as they are.
func inQuery(err error) error {
	var refused *dat.Error
	if errors.As(err, &refused) && refused.Return == dat.RetInvalidParameter && refused.Kind == "" {
		p := document.NewProblem(document.KindInvalidRequest, refused.Detail)
		p.Field = nullIfEmpty(refused.Field)
		p.Errors = []document.ProblemError{{Location: "query." + refused.Field, Message: refused.Detail}}
		return p
	}
	return err
}

// writeProblem answers a request with a problem.
func writeProblem(w http.ResponseWriter, r *http.Request, p *document.Problem) {
	body, err := json.Marshal(requestOf(r.Context()).refusedWith(p))
	if err != nil {
		panic(err) // every problem can be encoded
	}
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", document.MediaProblem)
	w.Header().Set("Cache-Control", noStore)
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // the client may be gone
}
