package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// pspCreate is what dat_psp_create and dat_psp_create_any take.
type pspCreate struct {
	IA        string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	ConnQual  *int64            `json:"conn_qual,omitempty" nullable:"true" example:"4711" doc:"The qualifier to listen on, 1–65535; any free one where left out (dat_psp_create_any)."`
	EVD       string            `json:"evd" doc:"The EVD for its connection requests."`
	EPCreator dat.PSPFlag       `json:"ep_creator,omitempty" doc:"Who makes the endpoint for a request: the consumer where left out."`
	Name      dat.Name          `json:"name,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
}

type createPSP struct {
	Write
	Body pspCreate
}

type listPSPs struct {
	Listing
	ByIA
	EVD      []string `query:"evd,explode" doc:"The EVD's id or name; repeat for OR."`
	ConnQual []string `query:"conn_qual,explode" doc:"The connection qualifier; repeat for OR."`
}

func (a *API) registerPSPs() {
	psp := reflect.TypeFor[dat.PSP]()
	register(a, route{
		id: "create-psp", method: http.MethodPost, path: "/psps", tag: document.TagPoint, summary: "Create a public service point", about: "dat_psp_create, dat_psp_create_any.",
		status: http.StatusCreated, answer: psp, versioned: true, makes: true,
	}, a.createPSP)
	register(a, route{
		id: "list-psps", method: http.MethodGet, path: "/psps", tag: document.TagPoint, summary: "List public service points",
		answer: reflect.TypeFor[PageOf[dat.PSP]](),
	}, a.listPSPs)
	register(a, route{
		id: "get-psp", method: http.MethodGet, path: "/psps/{id}", tag: document.TagPoint, summary: "Query a public service point", about: "dat_psp_query.",
		answer: psp, versioned: true,
	}, a.getPSP)
	register(a, route{
		id: "free-psp", method: http.MethodDelete, path: "/psps/{id}", tag: document.TagPoint, summary: "Free a public service point", about: "dat_psp_free.",
		status: http.StatusNoContent,
	}, a.freePSP)
}

func (b pspCreate) input() manager.PSPCreate {
	return manager.PSPCreate{IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, ConnQual: b.ConnQual, EVD: dat.Handle(b.EVD), EPCreator: b.EPCreator}
}

func (a *API) createPSP(ctx context.Context, in *createPSP) (*answer, error) {
	return create(ctx, a, in.Write, func(c manager.Call) (*dat.PSP, error) {
		return a.manager.CreatePSP(ctx, c, in.Body.input())
	})
}

func (a *API) listPSPs(ctx context.Context, in *listPSPs) (*answer, error) {
	return a.list(ctx, dat.TypePSP, in.Listing, in)
}

func (a *API) getPSP(ctx context.Context, in *getObject) (*answer, error) {
	return a.get(ctx, dat.TypePSP, in.ID)
}

func (a *API) freePSP(ctx context.Context, in *freeObject) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypePSP, in.ID, a.manager.FreePSP)
}
