package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/manager"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// evdCreate is what dat_evd_create takes.
type evdCreate struct {
	IA      string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	QLen    int64             `json:"qlen" example:"256" doc:"The queue's length in events, from 1 to the adapter's max_evd_qlen."`
	Streams []dat.Stream      `json:"streams" doc:"The event streams that may feed it: those that the adapter can merge. ASYNC is the service's own."`
	Name    dat.Name          `json:"name,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// evdPatch is what dat_evd_resize, dat_evd_set_unwaitable and
// dat_evd_clear_unwaitable take.
type evdPatch struct {
	QLen     *int64           `json:"qlen,omitempty" nullable:"false" doc:"The new length in events; not below what is queued."`
	Waitable *bool            `json:"waitable,omitempty" nullable:"false" doc:"Whether waiting is allowed."`
	Name     nullable[string] `json:"name,omitempty" doc:"The new name; null takes it away."`
	Labels   labelPatch       `json:"labels,omitempty" doc:"Labels to set; null removes one, others stay; null for all removes all."`
}

// dequeueBody is what dat_evd_dequeue and dat_evd_wait take.
type dequeueBody struct {
	Max       int64  `json:"max" minimum:"1" maximum:"65536" example:"16" doc:"How many events to take at most."`
	Threshold *int64 `json:"threshold,omitempty" nullable:"false" minimum:"1" maximum:"65536" doc:"With Prefer: wait=N, how many events to wait for; 1 where left out."`
}

// softwareEvent is what dat_evd_post_se takes.
type softwareEvent struct {
	Data anyJSON `json:"data,omitempty" doc:"What the event carries: any JSON."`
}

// eventList is a number of events.
type eventList struct {
	Events []dat.Event `json:"events" doc:"The events, oldest first."`
}

// anyJSON is any JSON value, kept as it came.
type anyJSON json.RawMessage

// Schema takes everything.
func (anyJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// UnmarshalJSON keeps the text.
func (j *anyJSON) UnmarshalJSON(b []byte) error {
	*j = append((*j)[:0], b...)
	return nil
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

type dequeueEVD struct {
	Write
	ObjectPath
	Waiting
	Body dequeueBody
}

type lookEVD struct {
	Read
	ObjectPath
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many events to show."`
}

type postSE struct {
	Write
	ObjectPath
	Body *softwareEvent
}

func (a *API) registerEVDs() {
	evd, events := reflect.TypeFor[dat.EVD](), reflect.TypeFor[eventList]()
	register(a, route{
		id: "create-evd", method: http.MethodPost, path: "/evds", tag: tagEVD, summary: "Create an event dispatcher", about: "dat_evd_create.",
		status: http.StatusCreated, answer: evd, versioned: true, makes: true,
	}, a.createEVD)
	register(a, route{
		id: "list-evds", method: http.MethodGet, path: "/evds", tag: tagEVD, summary: "List event dispatchers",
		answer: reflect.TypeFor[PageOf[dat.EVD]](),
	}, a.listEVDs)
	register(a, route{
		id: "get-evd", method: http.MethodGet, path: "/evds/{id}", tag: tagEVD, summary: "Query an event dispatcher", about: "dat_evd_query.",
		answer: evd, versioned: true,
	}, a.getEVD)
	register(a, route{
		id: "modify-evd", method: http.MethodPatch, path: "/evds/{id}", tag: tagEVD, summary: "Resize an event dispatcher, or change whether it can be waited on",
		about:  "dat_evd_resize, dat_evd_set_unwaitable, dat_evd_clear_unwaitable. All or nothing.",
		answer: evd, versioned: true, bodyTypes: []string{mergePatchType},
	}, a.modifyEVD)
	register(a, route{
		id: "free-evd", method: http.MethodDelete, path: "/evds/{id}", tag: tagEVD, summary: "Free an event dispatcher",
		about: "dat_evd_free. In use: DAT_INVALID_STATE_EVD_IN_USE.", status: http.StatusNoContent,
	}, a.freeEVD)
	register(a, route{
		id: "dequeue-evd", method: http.MethodPost, path: "/evds/{id}/dequeue", tag: tagEVD, summary: "Take events, or wait for them",
		about:  "dat_evd_dequeue; with Prefer: wait=N dat_evd_wait, which answers with what is there when the threshold is reached or the time ran out.",
		answer: events,
	}, a.dequeueEVD)
	register(a, route{
		id: "list-evd-events", method: http.MethodGet, path: "/evds/{id}/events", tag: tagEVD, summary: "Look at events without taking them",
		answer: events,
	}, a.lookEVD)
	register(a, route{
		id: "post-evd-event", method: http.MethodPost, path: "/evds/{id}/events", tag: tagEVD, summary: "Post a software event",
		about: "dat_evd_post_se.", status: http.StatusCreated, answer: reflect.TypeFor[dat.Event](),
	}, a.postSE)
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
