//go:build mutations

package faults

import (
	"errors"
	"regexp"
	"testing"
)

// scenarios are what mutations run in.
var scenarios = map[string]func(*World, map[string]string){
	"kill": killAtEachPoint, "engine": refuseAtAnyStep, "standby": stallAndTakeOver,
}

// hunt runs a scenario on a changed program and returns what it found.
func hunt(t *testing.T, m Mutation) (found findings) {
	t.Helper()
	overlay, err := m.overlay(programs.root)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, programs)
	w.hunting = true
	defer func() {
		found = w.found
		p := recover()
		if err, ok := p.(error); p != nil && (!ok || !errors.Is(err, errHuntEnded)) {
			panic(p)
		}
	}()
	scenarios[m.Scenario](w, overlay)
	return nil
}

// firstMatch returns the first finding that shows a mutation.
func firstMatch(m Mutation, all findings) (Finding, bool) {
	for _, f := range all {
		if regexp.MustCompile(m.Found).MatchString(f.String()) {
			return f, true
		}
	}
	return Finding{}, false
}

// The harness finds a planted bug of each kind, and does not find it where it is not planted.
func TestMutationsAreFound(t *testing.T) {
	for name := range scenarios {
		t.Run("without a bug, "+name, func(t *testing.T) {
			found := hunt(t, Mutation{Name: "none", Scenario: name})
			for _, m := range mutations {
				if f, ok := firstMatch(m, found); ok && m.Scenario == name {
					t.Errorf("%q is found where it is not planted: %.1000s", m.Name, f)
				}
			}
		})
	}
	const most = 5
	for _, m := range mutations {
		t.Run(m.Name, func(t *testing.T) {
			for round := 1; round <= most; round++ {
				found := hunt(t, m)
				if f, ok := firstMatch(m, found); ok {
					t.Logf("found in round %d of %d: %.600s", round, most, f)
					return
				}
				for n, f := range found {
					if n < 5 {
						t.Logf("found something else: %.300s", f)
					}
				}
			}
			t.Errorf("the harness did not find it in %d rounds", most)
		})
	}
}
