package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// dequeueBody is what dat_evd_dequeue and dat_evd_wait take.
type dequeueBody struct {
	Max       int64  `json:"max" minimum:"1" maximum:"65536" example:"16" doc:"How many events to take at most."`
	Threshold *int64 `json:"threshold,omitempty" nullable:"false" minimum:"1" maximum:"65536" doc:"With Prefer: wait=N, how many events to wait for; 1 where left out."`
}

// softwareEvent is what dat_evd_post_se takes.
type softwareEvent struct {
	Data document.AnyJSON `json:"data,omitempty" doc:"What the event carries: any JSON."`
}

// eventList is what dequeue and the view of a queue answer.
type eventList struct {
	Events []dat.Event `json:"events" doc:"The events, oldest first."`
}

type dequeueEvents struct {
	Write
	ObjectPath
	Waiting
	Body dequeueBody
}

type viewEvents struct {
	Read
	Forwarding
	ObjectPath
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many events to show."`
}

type postSoftwareEvent struct {
	Write
	ObjectPath
	Body *softwareEvent
}

func (a *API) registerEVDEvents() {
	events := reflect.TypeFor[eventList]()
	register(a, route{
		id: "dequeue-evd", method: http.MethodPost, path: "/evds/{id}/dequeue", tag: document.TagEVD, summary: "Take events, or wait for them",
		about:  "dat_evd_dequeue; with Prefer: wait=N dat_evd_wait, which answers with what is there when the threshold is reached or the time ran out.",
		answer: events, unrecorded: true,
	}, a.dequeueEvents)
	register(a, route{
		id: "list-evd-events", method: http.MethodGet, live: whollyLive, path: "/evds/{id}/events", tag: document.TagEVD, summary: "Look at events without taking them",
		answer: events,
	}, a.viewEvents)
	register(a, route{
		id: "post-evd-event", method: http.MethodPost, path: "/evds/{id}/events", tag: document.TagEVD, summary: "Post a software event",
		about: "dat_evd_post_se.", status: http.StatusCreated, answer: reflect.TypeFor[dat.Event](), unrecorded: true,
	}, a.postSoftwareEvent)
}

// dequeueEvents takes events, or waits for them; a dry run only looks.
func (a *API) dequeueEvents(ctx context.Context, in *dequeueEvents) (*answer, error) {
	wait, err := in.duration()
	if err != nil {
		return nil, err
	}
	c, err := a.callOnQueue(ctx, in.Write, in.ID)
	if err != nil {
		return nil, err
	}
	var events []dat.Event
	if c.DryRun {
		events, err = a.manager.Look(dat.Handle(in.ID), int(in.Body.Max))
	} else {
		waiting, cancel := a.boundWait(ctx, max(wait, time.Second))
		defer cancel()
		events, err = a.manager.Dequeue(waiting, dat.Handle(in.ID), int(in.Body.Max), int(valueOr(in.Body.Threshold, 1)), wait)
	}
	if err != nil {
		return nil, err
	}
	ans := a.answerEvents(a.eventsInScope(ctx, events))
	ans.Preference = preferenceApplied(wait)
	return ans, nil
}

// callOnQueue returns who asks for a write to an EVD's queue. That is no change of the EVD, so the condition on its
// version is tested here and not by the Manager.
func (a *API) callOnQueue(ctx context.Context, w Write, id string) (manager.Call, error) {
	if err := a.requireOwn(ctx, dat.TypeEVD, id); err != nil {
		return manager.Call{}, err
	}
	c, err := a.call(ctx, w, nil)
	if err != nil || c.Match == nil {
		return c, err
	}
	evd, ok := a.manager.Get(dat.TypeEVD, dat.Handle(id))
	if !ok {
		return c, noSuch(dat.TypeEVD)
	}
	return c, c.Match(evd.Head().Version)
}

func (a *API) viewEvents(ctx context.Context, in *viewEvents) (*answer, error) {
	if err := a.requireOwn(ctx, dat.TypeEVD, in.ID); err != nil {
		return nil, err
	}
	events, err := a.manager.Look(dat.Handle(in.ID), in.Limit)
	if err != nil {
		return nil, err
	}
	events = a.eventsInScope(ctx, events)
	if !seesSecrets(ctx) {
		return a.ok(struct {
			Events []eventForm `json:"events"`
		}{eventsWithoutSecrets(events)}), nil
	}
	return a.answerEvents(events), nil
}

func (a *API) answerEvents(events []dat.Event) *answer {
	if events == nil {
		events = []dat.Event{}
	}
	return a.ok(eventList{Events: events})
}

func (a *API) postSoftwareEvent(ctx context.Context, in *postSoftwareEvent) (*answer, error) {
	c, err := a.callOnQueue(ctx, in.Write, in.ID)
	if err != nil {
		return nil, err
	}
	var data manager.SoftwareEvent
	if in.Body != nil {
		data = manager.SoftwareEvent(in.Body.Data)
	}
	event, err := a.manager.PostSE(ctx, c, dat.Handle(in.ID), data)
	if err != nil {
		return nil, err
	}
	ans := a.ok(event)
	ans.Status = http.StatusCreated
	return ans, nil
}
