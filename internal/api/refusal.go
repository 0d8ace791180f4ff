package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// refusal maps an error to its problem and logs what is not the caller's fault.
// It is the only place where errors of the rooms below become answers.
func (a *API) refusal(ctx context.Context, err error) error {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError && ctx.Err() == nil {
		a.log.LogAttrs(ctx, levelOf(p.Status), "call failed", slog.Int("status", p.Status), slog.String("error", err.Error()),
			slog.String("request_id", exchangeOf(ctx).id))
	}
	return exchangeOf(ctx).stamp(p)
}

func levelOf(status int) slog.Level {
	if status == http.StatusInternalServerError {
		return slog.LevelError
	}
	return slog.LevelWarn
}

// problemOf is the problem of an error; what it does not know is internal and
// says nothing of its cause.
func problemOf(err error) *Problem {
	var p *Problem
	var refused *dat.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refused):
		return problemOfDAT(refused)
	case errors.Is(err, store.ErrGone):
		return problemOfKind(kindPositionGone, "This lies before what the retention kept. Ask for something newer, or start from the present.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return problemOfKind(kindShuttingDown, "The call was given up before it was done.")
	}
	return problemOfKind(kindInternal, "The service failed; the log has more under this request id.")
}

func problemOfDAT(e *dat.Error) *Problem {
	k, known := kinds[e.Kind]
	if !known {
		k = kindOfReturn(e)
	}
	p := newProblem(k, e.Detail)
	if !known && e.Return != dat.RetSuccess {
		p.Return = &e.Return
	}
	p.Subtype, p.State = e.Subtype, e.State
	if e.Field != "" {
		p.Field = &e.Field
		if blamesBody[p.Status] || e.Kind == kindNameTaken {
			p.Errors = []ProblemError{{Location: "body." + e.Field, Message: p.Detail}}
		}
	}
	return p
}

// blamesBody are the statuses whose field is a member that was sent.
var blamesBody = map[int]bool{http.StatusUnprocessableEntity: true, http.StatusNotImplemented: true}

// kindOfReturn is the row of the return; an invalid handle in the body is 422.
func kindOfReturn(e *dat.Error) kind {
	if int(e.Return) >= len(returns) {
		return kinds[kindInternal]
	}
	k := returns[e.Return]
	if e.Return == dat.RetInvalidHandle && e.Field != "" {
		k.status = http.StatusUnprocessableEntity
	}
	return k
}

func problemOfKind(name, detail string) *Problem { return newProblem(kinds[name], detail) }

func newProblem(k kind, detail string) *Problem {
	p := &Problem{Type: "/problems/" + k.name, Title: k.title, Status: k.status, Detail: detail, Errors: []ProblemError{}}
	if p.Detail == "" {
		p.Detail = k.title + ". " + k.about
	}
	if k.ret != dat.RetSuccess {
		ret := k.ret
		p.Return = &ret
	}
	if k.retryAfter > 0 {
		p.header = http.Header{"Retry-After": {strconv.Itoa(k.retryAfter)}}
	}
	return p
}

// wrongQuery refuses a query parameter; must says what would be right.
func wrongQuery(name, must string) *Problem { return wrongPlace("query."+name, name, must) }

// wrongHeader refuses a header; must says what would be right.
func wrongHeader(name, must string) *Problem { return wrongPlace("header."+name, name, must) }

func wrongPlace(location, name, must string) *Problem {
	p := problemOfKind(kindInvalidRequest, name+" "+must+".")
	p.Errors = []ProblemError{{Location: location, Message: must}}
	p.Field = &name
	return p
}

// inQuery turns a refusal of the store's into one of the query: what it judges
// there came by parameters.
func inQuery(err error) error {
	var refused *dat.Error
	if errors.As(err, &refused) && refused.Return == dat.RetInvalidParameter && refused.Kind == "" {
		p := problemOfKind(kindInvalidRequest, refused.Detail)
		p.Field = orNull(refused.Field)
		p.Errors = []ProblemError{{Location: "query." + refused.Field, Message: refused.Detail}}
		return p
	}
	return err
}

// newError is huma's hook: every problem that huma makes by itself.
func newError(status int, msg string, errs ...error) huma.StatusError {
	return problemOfHuma(status, msg, errs)
}

func newErrorWithContext(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
	return exchangeOf(ctx.Context()).stamp(problemOfHuma(status, msg, errs))
}

// humaKinds are the kinds of the statuses that huma gives.
var humaKinds = map[int]string{
	400: kindInvalidRequest, 408: kindSlowBody, 413: kindTooLarge, 415: kindMediaType, 422: kindInvalidMember, 406: kindNotAcceptable,
}

func problemOfHuma(status int, msg string, errs []error) *Problem {
	places := placesOf(errs)
	name, known := humaKinds[status]
	if !known {
		return problemOfKind(kindInternal, "The service failed; the log has more under this request id.")
	}
	if name == kindInvalidMember && !inBody(places) {
		name = kindInvalidRequest
	}
	p := problemOfKind(name, sentence(msg, places))
	p.Errors = places
	p.Field = fieldOf(places)
	return p
}

// placesOf are the wrong places that huma found, without values that are long.
func placesOf(errs []error) []ProblemError {
	places := []ProblemError{}
	for _, err := range errs {
		detail := &huma.ErrorDetail{}
		if d, ok := err.(huma.ErrorDetailer); ok {
			detail = d.ErrorDetail()
		}
		if detail.Message == "" {
			continue
		}
		place := ProblemError{Location: detail.Location, Message: detail.Message}
		switch v := detail.Value.(type) {
		case bool, float64, int64:
			place.Value = v
		case string:
			if len(v) <= 100 && detail.Location != "body" {
				place.Value = v
			}
		}
		places = append(places, place)
	}
	return places
}

func inBody(places []ProblemError) bool {
	for _, p := range places {
		if strings.HasPrefix(p.Location, "body") {
			return true
		}
	}
	return false
}

// sentence is the detail of a problem with several wrong places.
func sentence(msg string, places []ProblemError) string {
	if len(places) == 0 {
		return strings.ToUpper(msg[:1]) + msg[1:] + "."
	}
	more := ""
	if len(places) > 1 {
		more = fmt.Sprintf(" (and %d more, see errors)", len(places)-1)
	}
	return places[0].Location + ": " + places[0].Message + more + "."
}
