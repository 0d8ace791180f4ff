package faults

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Finding is a promise that was not held; Promise is its number in docs/guarantees.md.
type Finding struct {
	Promise int
	Text    string
}

// String returns the finding in one line.
func (f Finding) String() string { return fmt.Sprintf("promise %d: %s", f.Promise, f.Text) }

// findings collects what checks find.
type findings []Finding

func (f *findings) add(promise int, format string, args ...any) {
	*f = append(*f, Finding{Promise: promise, Text: fmt.Sprintf(format, args...)})
}

// Evidence is what the checks compare.
type Evidence struct {
	Calls    []*Call
	Watchers []*Watcher
	Picture  *Picture
}

// checks are all comparisons, in the order in which they are reported.
var checks = []func(*Evidence) findings{
	checkDense, checkVersions, checkWrites, checkAnswers, checkReads, checkRaces, checkStreams, checkState, checkUsage,
	checkLinearizable, checkAnswered,
}

// Check compares calls, answers, streams, the log and the state.
func Check(e *Evidence) []Finding {
	var all findings
	for _, check := range checks {
		all = append(all, check(e)...)
	}
	return all
}

// checkDense holds that ids are dense and ascend.
func checkDense(e *Evidence) (all findings) {
	for i := range e.Picture.Log {
		if id := e.Picture.Log[i].ID; id != int64(i)+1 {
			all.add(4, "the log has change %d in place %d", id, i+1)
			return all
		}
	}
	return all
}

// checkVersions holds that the versions of each object grow by one, that refusals have
// the present one, and that nothing follows an object's end.
func checkVersions(e *Evidence) (all findings) {
	versions, ended := map[string]int64{}, map[string]int64{}
	for i := range e.Picture.Log {
		c := &e.Picture.Log[i]
		id := c.Object.ID
		if id == "" {
			continue // a refused creation
		}
		if at, is := ended[id]; is && c.isEffective() {
			all.add(4, "change %d (%s) follows the end of %s in change %d", c.ID, c.Cause, id, at)
		}
		due := versions[id]
		if c.isEffective() {
			due++
			versions[id] = c.Version
		}
		// After the database went back, a version that was told and lost is not given out again.
		jumps := c.Cause == "reconcile" && c.Version > due
		if c.Version != due && !jumps && (c.isEffective() || due != 0) {
			all.add(4, "change %d (%s) of %s has version %d where %d was due", c.ID, c.Cause, id, c.Version, due)
		}
		if c.isEnd() {
			ended[id] = c.ID
		}
	}
	return all
}

// byRequest returns the effective changes of each request.
func byRequest(log []Change) map[string][]*Change {
	all := map[string][]*Change{}
	for i := range log {
		if c := &log[i]; c.isEffective() && c.RequestID != "" {
			all[c.RequestID] = append(all[c.RequestID], c)
		}
	}
	return all
}

// effectsOf returns the effective changes of all attempts of a call.
func effectsOf(c *Call, changes map[string][]*Change) []*Change {
	var all []*Change
	for i := range c.Attempts {
		all = append(all, changes[c.Attempts[i].RequestID]...)
	}
	return all
}

// checkWrites holds that what was acknowledged is in the log as often as it should be,
// that what was refused is not, and that what is unknown is there whole or not at all.
func checkWrites(e *Evidence) (all findings) {
	changes := byRequest(e.Picture.Log)
	for _, c := range e.Calls {
		if c.isRead() {
			continue
		}
		effects := effectsOf(c, changes)
		if c.Kind == KindDryRun {
			if len(effects) > 0 {
				all.add(10, "a dry run had an effect: %s", story(c, effects))
			}
			continue
		}
		checkEffects(&all, e.Picture.Log, c, effects)
	}
	return all
}

// checkEffects judges the effects of one write.
func checkEffects(all *findings, log []Change, c *Call, effects []*Change) {
	n, whole := len(effects), wholeEffect(c)
	switch c.Outcome() {
	case Acknowledged:
		if n < whole.least {
			all.add(1, "an acknowledged write is not in the log: %s", story(c, effects))
		} else if n > whole.most {
			all.add(3, "a write had its effect more than once: %s", story(c, effects))
		}
	case Refused:
		if n > 0 && (c.Kind != KindConnection || !areTakenBack(log, effects)) {
			all.add(1, "a refused write is in the log: %s", story(c, effects))
		}
	case Unknown:
		if n > whole.most {
			all.add(3, "a write had its effect more than once: %s", story(c, effects))
		}
	}
	if c.Kind == KindAtomic && n > 0 {
		if n%c.Effects != 0 {
			all.add(11, "%d of %d changes of an atomic batch are in the log: %s", n, c.Effects, story(c, effects))
		} else if effects[c.Effects-1].ID-effects[0].ID != int64(c.Effects)-1 {
			all.add(11, "the changes of an atomic batch are not one unit: %s", story(c, effects))
		}
	}
}

// span is how many changes a call makes.
type span struct{ least, most int }

// areTakenBack reports whether the next change of each object puts its state back: the
// engine refused after the first change of a call was recorded.
func areTakenBack(log []Change, effects []*Change) bool {
	for _, e := range effects {
		rest := log[e.ID:]
		next := slices.IndexFunc(rest, func(c Change) bool { return c.Object.ID == e.Object.ID && c.isEffective() })
		if e.Before == nil || next < 0 || !reflect.DeepEqual(rest[next].After["state"], e.Before["state"]) {
			return false
		}
	}
	return true
}

// wholeEffect returns how many changes the call makes where it is acknowledged; most is
// also the bound where nothing is known.
func wholeEffect(c *Call) span {
	const any = 1 << 30
	switch {
	case c.Kind == KindConnection:
		return span{max(0, c.Effects+2), any} // -1 is at least one, -2 at least none
	case c.Effects == -2:
		return span{0, 1}
	case c.Kind == KindLoose && c.Outcome() == Acknowledged:
		done, open := c.results()
		return span{done, done + open}
	case c.Kind == KindLoose:
		return span{0, c.Effects}
	}
	return span{c.Effects, c.Effects}
}

// results returns how many operations of a loose batch were done according to its
// answer, and of how many the answer says that nobody knows.
func (c *Call) results() (done, open int) {
	list, ok := c.decoded()["results"].([]any)
	if !ok {
		return 0, 0
	}
	var asked struct {
		Operations []struct{ Path string } `json:"operations"`
	}
	_ = json.Unmarshal(c.Body, &asked) // the harness wrote it
	for n, item := range list {
		if n < len(asked.Operations) && strings.HasSuffix(asked.Operations[n].Path, "/reset") {
			continue // it changes nothing in the state that it is sent in
		}
		result, ok := item.(object)
		if !ok {
			continue
		}
		status, ok := result["status"].(float64)
		if ok && status >= 200 && status < 300 {
			done++
		}
		if body, is := result["body"].(object); is && text(body, "type") == "/problems/outcome-unknown" {
			open++
		}
	}
	return done, open
}

// story tells what became of a call.
func story(c *Call, effects []*Change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s)", c.Method, c.Path, c.Kind)
	if c.Key != "" {
		fmt.Fprintf(&b, " with key %s", c.Key)
	}
	if c.IfMatch != "" {
		fmt.Fprintf(&b, " If-Match %s", c.IfMatch)
	}
	if len(c.Body) > 0 {
		fmt.Fprintf(&b, " body %.200s", c.Body)
	}
	for i := range c.Attempts {
		a := &c.Attempts[i]
		if i > 2 && i < len(c.Attempts)-2 {
			continue
		}
		fmt.Fprintf(&b, "; %s at %s took %dms: ", a.RequestID, a.Called.UTC().Format("15:04:05.000"), a.Returned.Sub(a.Called).Milliseconds())
		if a.Status == 0 {
			fmt.Fprintf(&b, "lost (%s)", a.Loss)
		} else if b.WriteString(fmt.Sprint(a.Status)); a.Status >= 300 {
			fmt.Fprintf(&b, " %.200s", a.Body)
		}
	}
	b.WriteString("; in the log:")
	if len(effects) == 0 {
		b.WriteString(" nothing")
	}
	for _, change := range effects {
		fmt.Fprintf(&b, " change %d (%s, version %d of %s)", change.ID, change.Cause, change.Version, change.Object.ID)
	}
	return b.String()
}

// checkAnswered holds that no call was left without an answer for as long as the client waited.
func checkAnswered(e *Evidence) (all findings) {
	for _, c := range e.Calls {
		for i := range c.Attempts {
			if a := &c.Attempts[i]; a.Status == 0 && a.Returned.Sub(a.Called) >= answerLimit {
				all.add(9, "no answer within %s: %s", answerLimit, story(c, nil))
			}
		}
	}
	return all
}
