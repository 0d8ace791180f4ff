package api

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// retentionPath is the path of the setting how long changes are kept.
const retentionPath = "/retention"

// retention is how long changes are kept.
type retention struct {
	Age   *string   `json:"age" example:"90d" doc:"The age up to which changes are kept, in days (90d) or hours, minutes and seconds (36h); null where nobody has set one: all are kept."`
	SetBy *string   `json:"set_by" example:"admin" doc:"Who set it: a caller, or the node whose start did; null where nobody has."`
	SetAt *dat.Time `json:"set_at" doc:"When it was set, by the database's clock; null where nobody has."`
}

// retentionBody is what can be set.
type retentionBody struct {
	Age string `json:"age" maxLength:"100" example:"90d" doc:"The age up to which changes are kept: a number of days (90d), or hours, minutes and seconds (36h, 1h30m); 36500d at most."`
}

type putRetention struct {
	Write
	Body retentionBody
}

func (a *API) registerRetention() {
	shown := reflect.TypeFor[retention]()
	register(a, route{
		id: "get-retention", method: http.MethodGet, path: retentionPath, tag: document.TagService, summary: "Get how long changes are kept", answer: shown,
	}, a.getRetention)
	register(a, route{
		id: "set-retention", method: http.MethodPut, path: retentionPath, tag: document.TagService, summary: "Set how long changes are kept",
		about:  "For all nodes of the database. What is older is deleted soon after and cannot be had again; each object's last change stays, and the one that made its state of that time.",
		answer: shown, unrecorded: true, role: access.Admin,
	}, a.setRetention)
}

// retentionOf returns a setting as it is shown.
func retentionOf(r store.Retention) retention {
	if r.Age == 0 {
		return retention{}
	}
	age, at := r.Age.String(), dat.At(r.SetAt)
	return retention{Age: &age, SetBy: &r.SetBy, SetAt: &at}
}

func (a *API) getRetention(ctx context.Context, _ *Read) (*answer, error) {
	r, err := a.store.Retention(ctx)
	if err != nil {
		return nil, err
	}
	return a.ok(retentionOf(r)), nil
}

func (a *API) setRetention(ctx context.Context, in *putRetention) (*answer, error) {
	if err := in.refuseVersion(); err != nil {
		return nil, err
	}
	age, err := store.ParseAge(in.Body.Age)
	if err != nil {
		return nil, &dat.Error{Return: dat.RetInvalidParameter, Field: "age", Detail: err.Error()}
	}
	info := requestOf(ctx)
	before, after, err := a.store.SetRetention(ctx, age, info.principal.Name, in.DryRun)
	if err != nil {
		return nil, err
	}
	if !in.DryRun {
		e := auditEntry(info, "set-retention", in.Reason)
		e.Detail = after.Age.String()
		a.audit.note(e)
		former := "none"
		if before.Age != 0 {
			former = before.Age.String()
		}
		a.log.LogAttrs(ctx, slog.LevelInfo, "how long changes are kept was set", slog.String("retention", after.Age.String()), slog.String("before", former),
			slog.String("actor", info.principal.Name), slog.String("reason", headerText(in.Reason)), slog.String("request_id", info.id))
	}
	return a.ok(retentionOf(after)), nil
}
