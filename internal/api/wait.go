package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// maxWait bounds how long one call may be held.
const maxWait = 10 * time.Minute

// duration reads wait=N of Prefer (RFC 7240); 0 where there is none. Preferences
// of others are no concern of this service.
func (p Waiting) duration() (time.Duration, error) {
	for one := range strings.SplitSeq(p.Prefer, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(one), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if err != nil || time.Duration(seconds)*time.Second > maxWait {
			return 0, wrongHeader("Prefer", "must be wait=N with N whole seconds from 0 to "+number(int(maxWait/time.Second)))
		}
		return time.Duration(seconds) * time.Second, nil
	}
	return 0, nil
}

// applied is the header that says that the preference was honoured.
func applied(wait time.Duration) string {
	if wait == 0 {
		return ""
	}
	return "wait=" + number(int(wait/time.Second))
}

// later carries out an operation of an endpoint that ends later.
func (a *API) later(ctx context.Context, w Write, p Waiting, id string, do func(manager.Call) (*dat.Endpoint, error)) (*answer, error) {
	return a.laterOf(ctx, w, p, dat.TypeEndpoint, id, do)
}

// laterOf answers 202 with the endpoint as it is now, or, where the call waits and
// the outcome comes in time, 200 with what became of it.
func (a *API) laterOf(ctx context.Context, w Write, p Waiting, t dat.ObjectType, id string, do func(manager.Call) (*dat.Endpoint, error)) (*answer, error) {
	wait, err := p.duration()
	if err != nil {
		return nil, err
	}
	var endpoint *dat.Endpoint
	ans, err := changeTo(ctx, a, w, t, id, http.StatusAccepted, func(c manager.Call) (*dat.Endpoint, error) {
		endpoint, err = do(c)
		return endpoint, err
	})
	if err != nil || wait == 0 || w.DryRun {
		return ans, err
	}
	waiting, cancel := a.until(ctx, wait)
	defer cancel()
	if outcome, err := a.manager.WaitEP(waiting, endpoint.ID, settled); err == nil {
		ans = a.shown(http.StatusOK, outcome, false, true)
	} else if now, ok := a.manager.Get(dat.TypeEndpoint, endpoint.ID); ok {
		ans = a.shown(http.StatusAccepted, now, false, true)
	}
	ans.Preference = applied(wait)
	return ans, nil
}

// unsettled are the states that an operation of the consumer's passes through.
var unsettled = map[dat.EPState]bool{
	dat.EPActiveConnectionPending: true, dat.EPCompletionPending: true, dat.EPDisconnectPending: true,
}

func settled(s dat.EPState) bool { return !unsettled[s] }

// until bounds a wait, which also ends when the service stops.
func (a *API) until(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	bounded, cancel := context.WithTimeout(ctx, wait)
	stop := context.AfterFunc(a.alive, cancel)
	return bounded, func() { stop(); cancel() }
}

// dequeueEVD takes events, or waits for them.
func (a *API) dequeueEVD(ctx context.Context, in *dequeueEVD) (*answer, error) {
	wait, err := in.duration()
	if err != nil {
		return nil, err
	}
	c, err := a.oneEVD(ctx, in.Write, in.ID)
	if err != nil {
		return nil, err
	}
	var events []dat.Event
	if c.DryRun {
		events, err = a.manager.Look(dat.Handle(in.ID), int(in.Body.Max))
	} else {
		waiting, cancel := a.until(ctx, max(wait, time.Second))
		defer cancel()
		events, err = a.manager.Dequeue(waiting, dat.Handle(in.ID), int(in.Body.Max), int(orOne(in.Body.Threshold)), wait)
	}
	if err != nil {
		return nil, err
	}
	ans := a.events(events)
	ans.Preference = applied(wait)
	return ans, nil
}

// oneEVD finds the EVD of a call that is no change, and tests its condition.
func (a *API) oneEVD(ctx context.Context, w Write, id string) (manager.Call, error) {
	if err := a.ours(ctx, dat.TypeEVD, id); err != nil {
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

func (a *API) lookEVD(ctx context.Context, in *lookEVD) (*answer, error) {
	if err := a.ours(ctx, dat.TypeEVD, in.ID); err != nil {
		return nil, err
	}
	events, err := a.manager.Look(dat.Handle(in.ID), in.Limit)
	if err != nil {
		return nil, err
	}
	return a.events(events), nil
}

func (a *API) events(events []dat.Event) *answer {
	if events == nil {
		events = []dat.Event{}
	}
	return a.ok(eventList{Events: events})
}

func (a *API) postSE(ctx context.Context, in *postSE) (*answer, error) {
	c, err := a.oneEVD(ctx, in.Write, in.ID)
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
