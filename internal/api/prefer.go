package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// maxWait bounds how long one call may be held.
const maxWait = 10 * time.Minute

// duration returns N seconds of `Prefer: wait=N` (RFC 7240), 0 if there is no such preference. Other preferences are
// ignored.
func (p Waiting) duration() (time.Duration, error) {
	for one := range strings.SplitSeq(p.Prefer, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(one), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if err != nil || time.Duration(seconds)*time.Second > maxWait {
			return 0, wrongHeader("Prefer", "must be wait=N with N whole seconds from 0 to "+strconv.Itoa(int(maxWait/time.Second)))
		}
		return time.Duration(seconds) * time.Second, nil
	}
	return 0, nil
}

// preferenceApplied returns the value of Preference-Applied: what the call has waited, "" where it did not.
func preferenceApplied(wait time.Duration) string {
	if wait == 0 {
		return ""
	}
	return "wait=" + strconv.Itoa(int(wait/time.Second))
}

// changeWithOutcome carries out a write to an object after which the outcome of an endpoint's operation comes later.
// It answers 202 with the endpoint as it is now or, where the call waits and the outcome comes in time, 200 with the
// endpoint as it is then.
func (a *API) changeWithOutcome(ctx context.Context, w Write, p Waiting, t dat.ObjectType, id string, do func(manager.Call) (*dat.Endpoint, error)) (*answer, error) {
	wait, err := p.duration()
	if err != nil {
		return nil, err
	}
	var endpoint *dat.Endpoint
	ans, err := changeWithStatus(ctx, a, w, t, id, http.StatusAccepted, func(c manager.Call) (*dat.Endpoint, error) {
		endpoint, err = do(c)
		return endpoint, err
	})
	if err != nil || wait == 0 || w.DryRun {
		return ans, err
	}
	waiting, cancel := a.boundWait(ctx, wait)
	defer cancel()
	if outcome, err := a.manager.WaitEP(waiting, endpoint.ID, isOutcome); err == nil {
		ans = a.shown(http.StatusOK, withoutPeer(callerScope(ctx), outcome), false, true)
	} else if now, ok := a.manager.Get(dat.TypeEndpoint, endpoint.ID); ok {
		ans = a.shown(http.StatusAccepted, withoutPeer(callerScope(ctx), now), false, true)
	}
	ans.Preference = preferenceApplied(wait)
	return ans, nil
}

// transient are the states through which connect, accept and disconnect pass.
var transient = map[dat.EPState]bool{
	dat.EPActiveConnectionPending: true, dat.EPCompletionPending: true, dat.EPDisconnectPending: true,
}

// isOutcome reports whether an operation that has brought an endpoint into the state is over.
func isOutcome(s dat.EPState) bool { return !transient[s] }

// boundWait returns a context for a wait, which ends after the given time and when the service stops.
func (a *API) boundWait(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	bounded, cancel := context.WithTimeout(ctx, wait)
	stop := context.AfterFunc(a.alive, cancel)
	return bounded, func() { stop(); cancel() }
}
