package rdmatest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// claims are the rules that a case names, and how many assertions have proved
// each. A claim counts only with an assertion: what a case merely sets up, awaits
// or survives proves nothing.
//
// A case that claims one rule proves it by any assertion. One that claims several
// says with World.proves which of them the next assertions are about.
type claims struct {
	mu sync.Mutex
	// rules are what the case claims, in its order.
	rules []string
	// scope are the rules that the next assertions prove.
	scope []string
	// assertions counts them, by rule.
	assertions map[string]int
	// unprovable are rules that this provider gives no occasion to prove, with the reason.
	unprovable map[string]string
}

func newClaims(rules string) *claims {
	c := &claims{rules: strings.Fields(rules), assertions: map[string]int{}, unprovable: map[string]string{}}
	if len(c.rules) == 1 {
		c.scope = c.rules
	}
	return c
}

// count counts one assertion for the rules of the scope.
func (c *claims) count() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rule := range c.scope {
		c.assertions[rule]++
	}
}

// enter sets the scope. It returns the first rule that the case does not claim, or "".
func (c *claims) enter(rules []string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scope = rules
	return c.firstUnclaimed(rules)
}

// excuse marks rules as unprovable here. It returns the first rule that the case
// does not claim, or "".
func (c *claims) excuse(reason string, rules []string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rule := range rules {
		c.unprovable[rule] = reason
	}
	return c.firstUnclaimed(rules)
}

// firstUnclaimed returns the first of the rules that the case does not claim, or "".
func (c *claims) firstUnclaimed(rules []string) string {
	if i := slices.IndexFunc(rules, func(rule string) bool { return !slices.Contains(c.rules, rule) }); i >= 0 {
		return rules[i]
	}
	return ""
}

// missing says of each claimed rule that no assertion proved it what is wrong; a
// rule that is unprovable here is wrong only where the provider has all features.
func (c *claims) missing(allFeatures bool) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, rule := range c.rules {
		reason, excused := c.unprovable[rule]
		switch {
		case c.assertions[rule] > 0:
		case excused && allFeatures:
			all = append(all, fmt.Sprintf("the case cannot prove %s: %s", rule, reason))
		case !excused:
			all = append(all, fmt.Sprintf("the case claims %s, and no assertion ran for it", rule))
		}
	}
	return all
}

// proves says which of the claimed rules the assertions prove that follow.
func (w *World) proves(rules ...string) {
	w.Helper()
	if rule := w.claims.enter(rules); rule != "" {
		w.Fatalf("the case proves %s and does not claim it", rule)
	}
}

// provesIfClaimed is proves for a walk over a table that several cases share: it
// leaves out the rules that the case does not claim.
func (w *World) provesIfClaimed(rules ...string) {
	w.Helper()
	w.proves(slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return !slices.Contains(w.claims.rules, rule) })...)
}

// cannotProve says that this provider gives no occasion to prove the rules, and
// why; where no rule is named it speaks of all that the case claims.
func (w *World) cannotProve(reason string, rules ...string) {
	w.Helper()
	if len(rules) == 0 {
		rules = w.claims.rules
	}
	if rule := w.claims.excuse(reason, rules); rule != "" {
		w.Fatalf("the case excuses %s and does not claim it", rule)
	}
	w.Logf("not proved here (%s): %s", strings.Join(rules, " "), reason)
}
