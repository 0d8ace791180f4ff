package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// outcome returns what is wrong with the outcome of a call that was told to wait, in one line; it is empty where the
// outcome is the one that was asked for. asked is the call's body.
type outcome func(a *answer, asked map[string]any, waited time.Duration) (string, error)

// States in which a connection is there, and those in which there is none.
var (
	connectedStates    = []string{dat.EPConnected.String(), dat.EPConnectedSinglePath.String(), dat.EPConnectedMultiPath.String()}
	disconnectedStates = []string{dat.EPDisconnected.String(), dat.EPUnconnected.String()}
)

// becomesConnected and becomesDisconnected judge the endpoint that a call answers with.
func becomesConnected(a *answer, _ map[string]any, waited time.Duration) (string, error) {
	return missedState(a, connectedStates, waited)
}

func becomesDisconnected(a *answer, _ map[string]any, waited time.Duration) (string, error) {
	return missedState(a, disconnectedStates, waited)
}

// missedState says that an endpoint is in none of the wanted states, and which event told why.
func missedState(a *answer, wanted []string, waited time.Duration) (string, error) {
	var e struct {
		ID, Name, State string
		LastEvent       struct {
			Event, Reason, Detail string
		} `json:"last_event"`
	}
	if err := decode(a.body, &e); err != nil {
		return "", fmt.Errorf("the answer is no endpoint: %w", err)
	}
	if slices.Contains(wanted, e.State) {
		return "", nil
	}
	name := e.Name
	if name == "" {
		name = e.ID
	}
	if a.status == http.StatusAccepted {
		return fmt.Sprintf("ep %s is still %s after %s, not %s", name, e.State, waited, wanted[0]), nil
	}
	why := []string{e.LastEvent.Event, e.LastEvent.Reason, e.LastEvent.Detail}
	why = slices.Compact(slices.DeleteFunc(why, func(s string) bool { return s == "" }))
	text := fmt.Sprintf("ep %s is %s, not %s", name, e.State, wanted[0])
	if len(why) > 0 {
		text += ": " + strings.Join(why, ", ")
	}
	return text, nil
}

// eventsCame judges the events that a wait has taken.
func eventsCame(a *answer, asked map[string]any, waited time.Duration) (string, error) {
	var got struct {
		Events []any `json:"events"`
	}
	if err := decode(a.body, &got); err != nil {
		return "", fmt.Errorf("the answer holds no events: %w", err)
	}
	threshold := int64(1)
	if n, ok := asked["threshold"].(int64); ok {
		threshold = n
	}
	if int64(len(got.Events)) >= threshold {
		return "", nil
	}
	return fmt.Sprintf("after %s there were %d events, not %d", waited, len(got.Events), threshold), nil
}
