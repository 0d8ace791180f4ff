package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// evdCreate is what dat_evd_create takes.
type evdCreate struct {
	IA      string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	QLen    int64             `json:"qlen" example:"256" doc:"The queue's length in events, from 1 to the adapter's max_evd_qlen."`
	Streams []dat.Stream      `json:"streams" doc:"The event streams that may feed it: those that the adapter can merge. ASYNC is the service's own."`
	Name    dat.Name          `json:"name,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// evdPatch is what dat_evd_resize, dat_evd_set_unwaitable and dat_evd_clear_unwaitable take.
type evdPatch struct {
	QLen     *int64                    `json:"qlen,omitempty" nullable:"false" doc:"The new length in events; not below what is queued."`
	Waitable *bool                     `json:"waitable,omitempty" nullable:"false" doc:"Whether waiting is allowed."`
	Name     document.Nullable[string] `json:"name,omitempty" doc:"The new name; null takes it away."`
	Labels   labelPatch                `json:"labels,omitempty" doc:"Labels to set; null removes one, others stay; null for all removes all."`
}

type createEVD struct {
	Write
	Body evdCreate
}

type listEVDs struct {
	Listing
	ByIA
	Stream []word[dat.Stream] `query:"stream,explode" doc:"A stream that it was made for; repeat for OR."`
}

type modifyEVD struct {
	Write
	ObjectPath
	Body evdPatch
}

func (a *API) registerEVDs() {
	evd := reflect.TypeFor[dat.EVD]()
	register(a, route{
		id: "create-evd", method: http.MethodPost, path: "/evds", tag: document.TagEVD, summary: "Create an event dispatcher", about: "dat_evd_create.",
		status: http.StatusCreated, answer: evd, versioned: true, makes: true,
	}, a.createEVD)
	register(a, route{
		id: "list-evds", method: http.MethodGet, path: "/evds", tag: document.TagEVD, summary: "List event dispatchers",
		answer: reflect.TypeFor[PageOf[dat.EVD]](),
	}, a.listEVDs)
	register(a, route{
		id: "get-evd", method: http.MethodGet, live: partlyLive, path: "/evds/{id}", tag: document.TagEVD, summary: "Query an event dispatcher", about: "dat_evd_query.",
		answer: evd, versioned: true,
	}, a.getEVD)
	register(a, route{
		id: "modify-evd", method: http.MethodPatch, path: "/evds/{id}", tag: document.TagEVD, summary: "Resize an event dispatcher, or change whether it can be waited on",
		about:  "dat_evd_resize, dat_evd_set_unwaitable, dat_evd_clear_unwaitable. All or nothing.",
		answer: evd, versioned: true, bodyTypes: []string{document.MediaMergePatch},
	}, a.modifyEVD)
	register(a, route{
		id: "free-evd", method: http.MethodDelete, path: "/evds/{id}", tag: document.TagEVD, summary: "Free an event dispatcher",
		about: "dat_evd_free. In use: DAT_INVALID_STATE_EVD_IN_USE.", status: http.StatusNoContent,
	}, a.freeEVD)
	a.registerEVDEvents()
}

func (b evdCreate) input() manager.EVDCreate {
	return manager.EVDCreate{IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, QLen: b.QLen, Streams: b.Streams}
}

func (b evdPatch) input() manager.EVDModify {
	return manager.EVDModify{QLen: b.QLen, Waitable: b.Waitable, Name: nameOf(b.Name)}
}

func (a *API) createEVD(ctx context.Context, in *createEVD) (*answer, error) {
	return create(ctx, a, in.Write, func(c manager.Call) (*dat.EVD, error) {
		return a.manager.CreateEVD(ctx, c, in.Body.input())
	})
}

func (a *API) listEVDs(ctx context.Context, in *listEVDs) (*answer, error) {
	return a.list(ctx, dat.TypeEVD, in.Listing, in)
}

func (a *API) getEVD(ctx context.Context, in *getObject) (*answer, error) {
	return a.get(ctx, dat.TypeEVD, in.ID)
}

func (a *API) modifyEVD(ctx context.Context, in *modifyEVD) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeEVD, in.ID, func(c manager.Call) (*dat.EVD, error) {
		return relabelled(a, c, dat.TypeEVD, dat.Handle(in.ID), in.Body.Labels, func(c manager.Call, labels *map[string]string) (*dat.EVD, error) {
			input := in.Body.input()
			input.Labels = labels
			return a.manager.ModifyEVD(ctx, c, dat.Handle(in.ID), input)
		})
	})
}

func (a *API) freeEVD(ctx context.Context, in *freeObject) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypeEVD, in.ID, a.manager.FreeEVD)
}
