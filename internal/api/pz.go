package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// pzCreate is what dat_pz_create takes.
type pzCreate struct {
	IA     string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	Name   dat.Name          `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

type createPZ struct {
	Write
	Body pzCreate
}

type listPZs struct {
	Listing
	ByIA
}

func (a *API) registerPZs() {
	pz := reflect.TypeFor[dat.PZ]()
	register(a, route{
		id: "create-pz", method: http.MethodPost, path: "/pzs", tag: document.TagPZ, summary: "Create a protection zone", about: "dat_pz_create.",
		status: http.StatusCreated, answer: pz, versioned: true, makes: true,
	}, a.createPZ)
	register(a, route{
		id: "list-pzs", method: http.MethodGet, path: "/pzs", tag: document.TagPZ, summary: "List protection zones",
		answer: reflect.TypeFor[PageOf[dat.PZ]](),
	}, a.listPZs)
	register(a, route{
		id: "get-pz", method: http.MethodGet, path: "/pzs/{id}", tag: document.TagPZ, summary: "Query a protection zone", about: "dat_pz_query.",
		answer: pz, versioned: true,
	}, a.getPZ)
	register(a, route{
		id: "free-pz", method: http.MethodDelete, path: "/pzs/{id}", tag: document.TagPZ, summary: "Free a protection zone",
		about:  "dat_pz_free. In use: DAT_INVALID_STATE_PZ_IN_USE.",
		status: http.StatusNoContent,
	}, a.freePZ)
}

func (a *API) createPZ(ctx context.Context, in *createPZ) (*answer, error) {
	return create(ctx, a, in.Write, func(c manager.Call) (*dat.PZ, error) {
		return a.manager.CreatePZ(ctx, c, in.Body.input())
	})
}

func (b pzCreate) input() manager.PZCreate {
	return manager.PZCreate{IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels}
}

func (a *API) listPZs(ctx context.Context, in *listPZs) (*answer, error) {
	return a.list(ctx, dat.TypePZ, in.Listing, in)
}

func (a *API) getPZ(ctx context.Context, in *getObject) (*answer, error) {
	return a.get(ctx, dat.TypePZ, in.ID)
}

func (a *API) freePZ(ctx context.Context, in *freeObject) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypePZ, in.ID, a.manager.FreePZ)
}
