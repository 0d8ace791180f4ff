package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// rspCreate is what dat_rsp_create takes.
type rspCreate struct {
	IA       string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	ConnQual int64             `json:"conn_qual" example:"4712" doc:"The qualifier to listen on, 1–65535."`
	Endpoint string            `json:"endpoint" doc:"The endpoint that the one request is for; it becomes RESERVED."`
	EVD      string            `json:"evd" doc:"The EVD for its connection request."`
	Name     dat.Name          `json:"name,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
}

type createRSP struct {
	Write
	Body rspCreate
}

type listRSPs struct {
	Listing
	ByIA
	EVD      []string `query:"evd,explode" doc:"The EVD's id or name; repeat for OR."`
	Endpoint []string `query:"endpoint,explode" doc:"The endpoint's id or name; repeat for OR."`
	ConnQual []string `query:"conn_qual,explode" doc:"The connection qualifier; repeat for OR."`
}

func (a *API) registerRSPs() {
	rsp := reflect.TypeFor[dat.RSP]()
	register(a, route{
		id: "create-rsp", method: http.MethodPost, path: "/rsps", tag: document.TagPoint, summary: "Create a reserved service point", about: "dat_rsp_create.",
		status: http.StatusCreated, answer: rsp, versioned: true, makes: true,
	}, a.createRSP)
	register(a, route{
		id: "list-rsps", method: http.MethodGet, path: "/rsps", tag: document.TagPoint, summary: "List reserved service points",
		answer: reflect.TypeFor[PageOf[dat.RSP]](),
	}, a.listRSPs)
	register(a, route{
		id: "get-rsp", method: http.MethodGet, path: "/rsps/{id}", tag: document.TagPoint, summary: "Query a reserved service point", about: "dat_rsp_query.",
		answer: rsp, versioned: true,
	}, a.getRSP)
	register(a, route{
		id: "free-rsp", method: http.MethodDelete, path: "/rsps/{id}", tag: document.TagPoint, summary: "Free a reserved service point", about: "dat_rsp_free.",
		status: http.StatusNoContent,
	}, a.freeRSP)
}

func (b rspCreate) input() manager.RSPCreate {
	return manager.RSPCreate{IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, ConnQual: b.ConnQual, Endpoint: dat.Handle(b.Endpoint), EVD: dat.Handle(b.EVD)}
}

func (a *API) createRSP(ctx context.Context, in *createRSP) (*answer, error) {
	return create(ctx, a, in.Write, func(c manager.Call) (*dat.RSP, error) {
		return a.manager.CreateRSP(ctx, c, in.Body.input())
	})
}

func (a *API) listRSPs(ctx context.Context, in *listRSPs) (*answer, error) {
	return a.list(ctx, dat.TypeRSP, in.Listing, in)
}

func (a *API) getRSP(ctx context.Context, in *getObject) (*answer, error) {
	return a.get(ctx, dat.TypeRSP, in.ID)
}

func (a *API) freeRSP(ctx context.Context, in *freeObject) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypeRSP, in.ID, a.manager.FreeRSP)
}
