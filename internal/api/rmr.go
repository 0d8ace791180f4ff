package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// rmrCreate is what dat_rmr_create takes.
type rmrCreate struct {
	IA     string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	PZ     string            `json:"pz" doc:"The protection zone of the window."`
	Name   dat.Name          `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

type createRMR struct {
	Write
	Body rmrCreate
}

type listRMRs struct {
	Listing
	ByIA
	PZ  []string `query:"pz,explode" doc:"The protection zone's id or name; repeat for OR."`
	LMR []string `query:"lmr,explode" doc:"The id or name of the memory that it is bound to; repeat for OR."`
}

func (a *API) registerRMRs() {
	rmr := reflect.TypeFor[dat.RMR]()
	register(a, route{
		id: "create-rmr", method: http.MethodPost, path: "/rmrs", tag: document.TagMemory, summary: "Create a remote memory region",
		about:  "dat_rmr_create. It is bound to memory through an endpoint (bind-endpoint-rmr).",
		status: http.StatusCreated, answer: rmr, versioned: true, makes: true,
	}, a.createRMR)
	register(a, route{
		id: "list-rmrs", method: http.MethodGet, path: "/rmrs", tag: document.TagMemory, summary: "List remote memory regions",
		answer: reflect.TypeFor[PageOf[dat.RMR]](),
	}, a.listRMRs)
	register(a, route{
		id: "get-rmr", method: http.MethodGet, live: partlyLive, path: "/rmrs/{id}", tag: document.TagMemory, summary: "Query a remote memory region", about: "dat_rmr_query.",
		answer: rmr, versioned: true,
	}, a.getRMR)
	register(a, route{
		id: "free-rmr", method: http.MethodDelete, path: "/rmrs/{id}", tag: document.TagMemory, summary: "Free a remote memory region", about: "dat_rmr_free.",
		status: http.StatusNoContent,
	}, a.freeRMR)
}

func (b rmrCreate) input() manager.RMRCreate {
	return manager.RMRCreate{IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, PZ: dat.Handle(b.PZ)}
}

func (a *API) createRMR(ctx context.Context, in *createRMR) (*answer, error) {
	return create(ctx, a, in.Write, func(c manager.Call) (*dat.RMR, error) {
		return a.manager.CreateRMR(ctx, c, in.Body.input())
	})
}

func (a *API) listRMRs(ctx context.Context, in *listRMRs) (*answer, error) {
	return a.list(ctx, dat.TypeRMR, in.Listing, in)
}

func (a *API) getRMR(ctx context.Context, in *getObject) (*answer, error) {
	return a.get(ctx, dat.TypeRMR, in.ID)
}

func (a *API) freeRMR(ctx context.Context, in *freeObject) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypeRMR, in.ID, a.manager.FreeRMR)
}
