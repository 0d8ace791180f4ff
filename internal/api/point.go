package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
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

// rspCreate is what dat_rsp_create takes.
type rspCreate struct {
	IA       string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	ConnQual int64             `json:"conn_qual" example:"4712" doc:"The qualifier to listen on, 1–65535."`
	Endpoint string            `json:"endpoint" doc:"The endpoint that the one request is for; it becomes RESERVED."`
	EVD      string            `json:"evd" doc:"The EVD for its connection request."`
	Name     dat.Name          `json:"name,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
}

type createPSP struct {
	Write
	Body pspCreate
}

type createRSP struct {
	Write
	Body rspCreate
}

type listPSPs struct {
	Listing
	ByIA
	EVD      []string `query:"evd,explode" doc:"The EVD's id; repeat for OR."`
	ConnQual []string `query:"conn_qual,explode" doc:"The connection qualifier; repeat for OR."`
}

type listRSPs struct {
	Listing
	ByIA
	EVD      []string `query:"evd,explode" doc:"The EVD's id; repeat for OR."`
	Endpoint []string `query:"endpoint,explode" doc:"The endpoint's id; repeat for OR."`
	ConnQual []string `query:"conn_qual,explode" doc:"The connection qualifier; repeat for OR."`
}

func (a *API) registerPoints() {
	psp, rsp := reflect.TypeFor[dat.PSP](), reflect.TypeFor[dat.RSP]()
	register(a, route{
		id: "create-psp", method: http.MethodPost, path: "/psps", tag: tagPoint, summary: "Create a public service point", about: "dat_psp_create, dat_psp_create_any.",
		status: http.StatusCreated, answer: psp, versioned: true, makes: true,
	}, a.createPSP)
	register(a, route{
		id: "list-psps", method: http.MethodGet, path: "/psps", tag: tagPoint, summary: "List public service points",
		answer: reflect.TypeFor[PageOf[dat.PSP]](),
	}, a.listPSPs)
	register(a, route{
		id: "get-psp", method: http.MethodGet, path: "/psps/{id}", tag: tagPoint, summary: "Query a public service point", about: "dat_psp_query.",
		answer: psp, versioned: true,
	}, a.getPSP)
	register(a, route{
		id: "free-psp", method: http.MethodDelete, path: "/psps/{id}", tag: tagPoint, summary: "Free a public service point", about: "dat_psp_free.",
		status: http.StatusNoContent,
	}, a.freePSP)
	register(a, route{
		id: "create-rsp", method: http.MethodPost, path: "/rsps", tag: tagPoint, summary: "Create a reserved service point", about: "dat_rsp_create.",
		status: http.StatusCreated, answer: rsp, versioned: true, makes: true,
	}, a.createRSP)
	register(a, route{
		id: "list-rsps", method: http.MethodGet, path: "/rsps", tag: tagPoint, summary: "List reserved service points",
		answer: reflect.TypeFor[PageOf[dat.RSP]](),
	}, a.listRSPs)
	register(a, route{
		id: "get-rsp", method: http.MethodGet, path: "/rsps/{id}", tag: tagPoint, summary: "Query a reserved service point", about: "dat_rsp_query.",
		answer: rsp, versioned: true,
	}, a.getRSP)
	register(a, route{
		id: "free-rsp", method: http.MethodDelete, path: "/rsps/{id}", tag: tagPoint, summary: "Free a reserved service point", about: "dat_rsp_free.",
		status: http.StatusNoContent,
	}, a.freeRSP)
}

func (b pspCreate) input() manager.PSPCreate {
	return manager.PSPCreate{IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, ConnQual: b.ConnQual, EVD: dat.Handle(b.EVD), EPCreator: b.EPCreator}
}

func (b rspCreate) input() manager.RSPCreate {
	return manager.RSPCreate{IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, ConnQual: b.ConnQual, Endpoint: dat.Handle(b.Endpoint), EVD: dat.Handle(b.EVD)}
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
