package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// acceptBody is what dat_cr_accept takes.
type acceptBody struct {
	Endpoint    dat.Handle `json:"endpoint,omitempty" doc:"The endpoint to connect; null or left out where the request brought one."`
	PrivateData []byte     `json:"private_data,omitempty" nullable:"true" doc:"Goes to the peer with the answer."`
}

// rejectBody is what dat_cr_reject takes.
type rejectBody struct {
	PrivateData []byte `json:"private_data,omitempty" nullable:"true" doc:"Goes to the peer with the answer."`
}

// handoffBody is what dat_cr_handoff takes.
type handoffBody struct {
	ConnQual int64 `json:"conn_qual" example:"4712" doc:"The local qualifier that the request goes to, 1–65535."`
}

// connectionRequest is a connection request and the private data that came with it.
type connectionRequest struct {
	*dat.CR
	PrivateData []byte `json:"private_data" nullable:"true" doc:"What the peer sent, base64; null where it sent nothing, and for viewers."`
}

type listCRs struct {
	Listing
	ByIA
	PSP      []string `query:"psp,explode" doc:"The public service point's id or name; repeat for OR."`
	RSP      []string `query:"rsp,explode" doc:"The reserved service point's id or name; repeat for OR."`
	Endpoint []string `query:"endpoint,explode" doc:"The endpoint's id or name; repeat for OR."`
	ConnQual []string `query:"conn_qual,explode" doc:"The connection qualifier; repeat for OR."`
}

type acceptCR struct {
	Write
	Waiting
	ObjectPath
	Body *acceptBody
}

type rejectCR struct {
	Write
	ObjectPath
	Body *rejectBody
}

type handoffCR struct {
	Write
	ObjectPath
	Body handoffBody
}

func (a *API) registerCRs() {
	register(a, route{
		id: "list-crs", method: http.MethodGet, path: "/crs", tag: document.TagCR, summary: "List waiting connection requests",
		answer: reflect.TypeFor[PageOf[dat.CR]](),
	}, a.listCRs)
	register(a, route{
		id: "get-cr", method: http.MethodGet, live: partlyLive, path: "/crs/{id}", tag: document.TagCR, summary: "Query a connection request", about: "dat_cr_query.",
		answer: reflect.TypeFor[connectionRequest](), versioned: true,
	}, a.getCR)
	register(a, route{
		id: "accept-cr", method: http.MethodPost, path: "/crs/{id}/accept", tag: document.TagCR, summary: "Accept a connection request",
		about:  "dat_cr_accept. Answers with the endpoint that is being connected.",
		status: http.StatusAccepted, later: true, answer: reflect.TypeFor[Endpoint](), versioned: true,
	}, a.acceptCR)
	register(a, route{
		id: "reject-cr", method: http.MethodPost, path: "/crs/{id}/reject", tag: document.TagCR, summary: "Reject a connection request", about: "dat_cr_reject.",
		status: http.StatusNoContent,
	}, a.rejectCR)
	register(a, route{
		id: "handoff-cr", method: http.MethodPost, path: "/crs/{id}/handoff", tag: document.TagCR, summary: "Hand a connection request to another service point",
		about: "dat_cr_handoff. Where nobody listens on the qualifier the request is rejected.", status: http.StatusNoContent,
	}, a.handoffCR)
}

func (a *API) listCRs(ctx context.Context, in *listCRs) (*answer, error) {
	return a.list(ctx, dat.TypeCR, in.Listing, in)
}

func (a *API) getCR(ctx context.Context, in *getObject) (*answer, error) {
	o, err := a.object(ctx, dat.TypeCR, in.ID)
	if err != nil {
		return nil, err
	}
	if !seesSecrets(ctx) {
		o = withoutSecrets(o)
	}
	cr := o.(*dat.CR)
	ans := a.shown(http.StatusOK, cr, false, true)
	ans.Body = encode(connectionRequest{CR: cr, PrivateData: cr.PrivateData})
	return ans, nil
}

func (a *API) acceptCR(ctx context.Context, in *acceptCR) (*answer, error) {
	var input manager.CRAccept
	if in.Body != nil {
		input = manager.CRAccept{Endpoint: in.Body.Endpoint, PrivateData: in.Body.PrivateData}
	}
	return a.changeWithOutcome(ctx, in.Write, in.Waiting, dat.TypeCR, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		return a.manager.AcceptCR(ctx, c, dat.Handle(in.ID), input)
	})
}

func (a *API) rejectCR(ctx context.Context, in *rejectCR) (*answer, error) {
	var data []byte
	if in.Body != nil {
		data = in.Body.PrivateData
	}
	return a.free(ctx, in.Write, dat.TypeCR, in.ID, func(ctx context.Context, c manager.Call, id dat.Handle) error {
		return a.manager.RejectCR(ctx, c, id, data)
	})
}

func (a *API) handoffCR(ctx context.Context, in *handoffCR) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypeCR, in.ID, func(ctx context.Context, c manager.Call, id dat.Handle) error {
		return a.manager.HandoffCR(ctx, c, id, in.Body.ConnQual)
	})
}
