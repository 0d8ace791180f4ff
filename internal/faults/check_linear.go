package faults

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// linearLimit is how long the histories of all objects may take to be judged.
const linearLimit = 20 * time.Second

// register is an endpoint as the sequential specification has it.
type register struct {
	// made and freed are its life; it is there between them.
	made, freed bool
	version     int64
	// marker is the label `op`.
	marker string
}

// step is one call on an endpoint as the specification sees it.
type step struct {
	kind    Kind
	ifMatch int64 // 0 is no condition
	marker  string
	// known says that there is an answer; status, version and shown are what it says.
	known   bool
	status  int
	version int64
	shown   string
}

// there reports whether the endpoint lives.
func (r register) there() bool { return r.made && !r.freed }

// apply is the specification: whether a call may have its answer in a state, and the
// state after it. A call without an answer may always have happened: where it did not, it
// is placed at the end, where nobody sees it.
func (r register) apply(s step) (bool, register) {
	if !s.known {
		return true, r.effect(s)
	}
	switch {
	case s.status == http.StatusNotFound:
		return !r.there(), r
	case s.status == http.StatusPreconditionFailed:
		return r.there() && s.ifMatch != r.version && (s.version == 0 || s.version == r.version), r
	case s.status >= 300:
		return true, r // refused for another reason: checkWrites holds that nothing happened
	case s.kind == KindRead:
		return r.there() && s.version == r.version && s.shown == r.marker, r
	case s.kind == KindCreate:
		next := register{made: true, version: 1, marker: s.marker}
		return !r.made, next
	case s.kind == KindFree:
		next := r
		next.freed = true
		return r.there(), next
	case s.kind == KindModify:
		next := r.effect(s)
		return r.there() && next.version == s.version && next.marker == s.shown && next != r, next
	}
	// A watermark or a revert changes something or nothing.
	next := r
	next.version = s.version
	return r.there() && (s.version == r.version || s.version == r.version+1) && s.shown == r.marker, next
}

// effect is the state after a write that took place, or the same where it could not.
func (r register) effect(s step) register {
	switch {
	case s.kind == KindCreate && !r.made:
		return register{made: true, version: 1, marker: s.marker}
	case !r.there() || s.ifMatch != 0 && s.ifMatch != r.version:
		return r
	case s.kind == KindFree:
		r.freed = true
	case s.kind == KindModify:
		r.version, r.marker = r.version+1, s.marker
	case s.kind == KindWatermark || s.kind == KindRevert:
		r.version++
	}
	return r
}

// model is the specification of one endpoint for porcupine. A watermark or revert whose
// answer was lost may have changed something or nothing, so the model is not deterministic.
var model = porcupine.NondeterministicModel{
	Init: func() []any { return []any{register{}} },
	Step: func(state, input, _ any) []any {
		r, s := state.(register), input.(step) //nolint:errcheck // only these are put in
		may, next := r.apply(s)
		if !may {
			return nil
		}
		if !s.known {
			return []any{next, r}
		}
		return []any{next}
	},
	Equal: func(a, b any) bool { return a == b },
}

// linearKinds are the calls that the specification knows.
var linearKinds = []Kind{KindCreate, KindModify, KindWatermark, KindRevert, KindFree, KindRead}

// checkLinearizable holds that the calls on each endpoint can be put in an order that
// agrees with their times and answers. Endpoints that were changed otherwise (by events,
// in batches) are left to the other checks.
func checkLinearizable(e *Evidence) (all findings) {
	histories := map[string][]porcupine.Operation{}
	other := map[string]bool{}
	for i := range e.Picture.Log {
		if c := &e.Picture.Log[i]; c.isEffective() && !slices.Contains([]string{"dat_ep_create", "dat_ep_modify", "dat_ep_set_watermark", "revert", "dat_ep_free"}, c.Cause) {
			other[c.Object.ID] = true
		}
	}
	inBatch := batchChanges(e)
	for _, c := range e.Calls {
		id := c.Object
		if c.Kind == KindCreate {
			id = text(c.decoded(), "id")
		}
		if id == "" || !slices.Contains(linearKinds, c.Kind) || other[id] || inBatch[id] {
			continue
		}
		if c.Kind == KindRead && c.Outcome() == Unknown {
			continue
		}
		histories[id] = append(histories[id], operationOf(c))
	}
	until := time.Now().Add(linearLimit)
	for _, id := range sortedIDs(histories) {
		if !startsWithCreation(histories[id]) {
			continue
		}
		if porcupine.CheckOperationsTimeout(model.ToModel(), histories[id], max(time.Second, time.Until(until))) == porcupine.Illegal {
			all.add(2, "the calls on endpoint %s have no order that agrees with their answers:%s", id, operationStory(e, id))
		}
	}
	return all
}

// batchChanges returns the objects that batches changed.
func batchChanges(e *Evidence) map[string]bool {
	changed := map[string]bool{}
	changes := byRequest(e.Picture.Log)
	for _, c := range e.Calls {
		if c.Kind == KindAtomic || c.Kind == KindLoose {
			for _, change := range effectsOf(c, changes) {
				changed[change.Object.ID] = true
			}
		}
	}
	return changed
}

// operationOf returns a call as porcupine has it.
func operationOf(c *Call) porcupine.Operation {
	s := step{kind: c.Kind, marker: c.Marker, known: c.Outcome() != Unknown}
	if c.IfMatch != "" {
		_ = json.Unmarshal([]byte(c.IfMatch[1:len(c.IfMatch)-1]), &s.ifMatch) // the harness wrote it
	}
	o := porcupine.Operation{ClientId: c.Client, Call: c.called().UnixNano(), Return: math.MaxInt64}
	if s.known {
		a := c.answer()
		s.status = a.Status
		o.Return = a.Returned.UnixNano()
		var answer struct {
			Version        int64             `json:"version"`
			CurrentVersion int64             `json:"current_version"`
			Labels         map[string]string `json:"labels"`
		}
		_ = json.Unmarshal(a.Body, &answer) // what has no body has no version
		s.version, s.shown = max(answer.Version, answer.CurrentVersion), answer.Labels["op"]
	}
	o.Input = s
	return o
}

// startsWithCreation reports whether the creation of the object is in its history.
func startsWithCreation(operations []porcupine.Operation) bool {
	return slices.ContainsFunc(operations, func(o porcupine.Operation) bool {
		s, ok := o.Input.(step)
		return ok && s.kind == KindCreate
	})
}

// operationStory tells all calls on an object in the order in which they began.
func operationStory(e *Evidence, id string) string {
	var calls []*Call
	for _, c := range e.Calls {
		if c.Object == id || text(c.decoded(), "id") == id {
			calls = append(calls, c)
		}
	}
	slices.SortFunc(calls, func(a, b *Call) int { return a.called().Compare(b.called()) })
	changes, out := byRequest(e.Picture.Log), ""
	for _, c := range calls {
		out += "\n      " + story(c, effectsOf(c, changes))
	}
	return out
}
