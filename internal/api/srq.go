package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// srqCreate is what dat_srq_create takes.
type srqCreate struct {
	IA          string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	PZ          string            `json:"pz" doc:"The protection zone of its buffers."`
	MaxRecvDTOs int64             `json:"max_recv_dtos" example:"128" doc:"Receives that it can hold."`
	MaxRecvIOV  int64             `json:"max_recv_iov" example:"1" doc:"Segments that a receive can have."`
	Name        dat.Name          `json:"name,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// srqPatch is what dat_srq_resize takes.
type srqPatch struct {
	MaxRecvDTOs *int64                    `json:"max_recv_dtos,omitempty" nullable:"false" doc:"Receives that it can hold; not below what is outstanding."`
	Name        document.Nullable[string] `json:"name,omitempty" doc:"The new name; null takes it away."`
	Labels      labelPatch                `json:"labels,omitempty" doc:"Labels to set; null removes one, others stay; null for all removes all."`
}

// srqLow is what dat_srq_set_lw takes.
type srqLow struct {
	Low int64 `json:"low" example:"8" doc:"Fires once when fewer receives than this are left; 0 never fires."`
}

// recvPost is what dat_ep_post_recv and dat_srq_post_recv take.
type recvPost struct {
	Count  *int64  `json:"count,omitempty" nullable:"false" minimum:"1" maximum:"65536" example:"4" doc:"How many receives; 1 where left out. All or nothing."`
	Size   int64   `json:"size" minimum:"0" example:"4096" doc:"The size of each buffer in bytes; the memory is the service's own."`
	Cookie *string `json:"cookie,omitempty" maxLength:"255" doc:"Comes back in the completions; of several receives each gets it with a number. Made where left out."`
}

type createSRQ struct {
	Write
	Body srqCreate
}

type listSRQs struct {
	Listing
	ByIA
	PZ    []string             `query:"pz,explode" doc:"The protection zone's id or name; repeat for OR."`
	State []word[dat.SRQState] `query:"state,explode" doc:"The state; repeat for OR."`
}

type modifySRQ struct {
	Write
	ObjectPath
	Body srqPatch
}

type setSRQLow struct {
	Write
	ObjectPath
	Body srqLow
}

type postRecvs struct {
	Write
	ObjectPath
	Body recvPost
}

func (a *API) registerSRQs() {
	srq := reflect.TypeFor[dat.SRQ]()
	register(a, route{
		id: "create-srq", method: http.MethodPost, path: "/srqs", tag: document.TagSRQ, summary: "Create a shared receive queue", about: "dat_srq_create.",
		status: http.StatusCreated, answer: srq, versioned: true, makes: true,
	}, a.createSRQ)
	register(a, route{
		id: "list-srqs", method: http.MethodGet, path: "/srqs", tag: document.TagSRQ, summary: "List shared receive queues",
		answer: reflect.TypeFor[PageOf[dat.SRQ]](),
	}, a.listSRQs)
	register(a, route{
		id: "get-srq", method: http.MethodGet, live: partlyLive, path: "/srqs/{id}", tag: document.TagSRQ, summary: "Query a shared receive queue", about: "dat_srq_query.",
		answer: srq, versioned: true,
	}, a.getSRQ)
	register(a, route{
		id: "modify-srq", method: http.MethodPatch, path: "/srqs/{id}", tag: document.TagSRQ, summary: "Resize a shared receive queue", about: "dat_srq_resize.",
		answer: srq, versioned: true, bodyTypes: []string{document.MediaMergePatch},
	}, a.modifySRQ)
	register(a, route{
		id: "free-srq", method: http.MethodDelete, path: "/srqs/{id}", tag: document.TagSRQ, summary: "Free a shared receive queue",
		about: "dat_srq_free. In use: DAT_INVALID_STATE_SRQ_IN_USE.", status: http.StatusNoContent,
	}, a.freeSRQ)
	register(a, route{
		id: "set-srq-low-watermark", method: http.MethodPut, path: "/srqs/{id}/low-watermark", tag: document.TagSRQ, summary: "Set the low watermark", about: "dat_srq_set_lw.",
		answer: srq, versioned: true,
	}, a.setSRQLow)
	register(a, route{
		id: "post-srq-recvs", method: http.MethodPost, path: "/srqs/{id}/recvs", tag: document.TagSRQ, summary: "Post receives", about: "dat_srq_post_recv.",
		status: http.StatusAccepted, answer: reflect.TypeFor[manager.Posted](), unrecorded: true,
	}, a.postSRQRecvs)
}

func (b srqCreate) input() manager.SRQCreate {
	return manager.SRQCreate{IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, PZ: dat.Handle(b.PZ), MaxRecvDTOs: b.MaxRecvDTOs, MaxRecvIOV: b.MaxRecvIOV}
}

func (b srqPatch) input() manager.SRQModify {
	return manager.SRQModify{MaxRecvDTOs: b.MaxRecvDTOs, Name: nameOf(b.Name)}
}

func (b recvPost) input() manager.RecvPost {
	return manager.RecvPost{Count: int(valueOr(b.Count, 1)), Size: b.Size, Cookie: b.Cookie}
}

func (a *API) createSRQ(ctx context.Context, in *createSRQ) (*answer, error) {
	return create(ctx, a, in.Write, func(c manager.Call) (*dat.SRQ, error) {
		return a.manager.CreateSRQ(ctx, c, in.Body.input())
	})
}

func (a *API) listSRQs(ctx context.Context, in *listSRQs) (*answer, error) {
	return a.list(ctx, dat.TypeSRQ, in.Listing, in)
}

func (a *API) getSRQ(ctx context.Context, in *getObject) (*answer, error) {
	return a.get(ctx, dat.TypeSRQ, in.ID)
}

func (a *API) modifySRQ(ctx context.Context, in *modifySRQ) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeSRQ, in.ID, func(c manager.Call) (*dat.SRQ, error) {
		return relabelled(a, c, dat.TypeSRQ, dat.Handle(in.ID), in.Body.Labels, func(c manager.Call, labels *map[string]string) (*dat.SRQ, error) {
			input := in.Body.input()
			input.Labels = labels
			return a.manager.ModifySRQ(ctx, c, dat.Handle(in.ID), input)
		})
	})
}

func (a *API) freeSRQ(ctx context.Context, in *freeObject) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypeSRQ, in.ID, a.manager.FreeSRQ)
}

func (a *API) setSRQLow(ctx context.Context, in *setSRQLow) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeSRQ, in.ID, func(c manager.Call) (*dat.SRQ, error) {
		return a.manager.SetSRQLowWatermark(ctx, c, dat.Handle(in.ID), in.Body.Low)
	})
}

func (a *API) postSRQRecvs(ctx context.Context, in *postRecvs) (*answer, error) {
	return a.post(ctx, in.Write, dat.TypeSRQ, in.ID, func(c manager.Call) (manager.Posted, error) {
		return a.manager.PostSRQRecv(ctx, c, dat.Handle(in.ID), in.Body.input())
	})
}
