//go:build ha

package faults

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// failOver is what is known of one fail-over.
type failOver struct {
	// fault is when the fault had happened to all of the primary's processes or connections.
	fault time.Time
	// promoted is when the new primary's Patroni says that it promoted it, writable when
	// its PostgreSQL was first seen to take writes.
	promoted, writable time.Time
	old, new           *member
}

// acknowledgedAt returns the moments at which writes at a node were acknowledged, in order;
// those at all nodes where none is named. Calls that may be answered with 2xx and have changed
// nothing do not count: a loose batch, and what an endpoint may have been already.
func (h *haWorld) acknowledgedAt(name string) []time.Time {
	var all []time.Time
	for _, c := range h.history.Calls() {
		if !c.isRead() && c.Kind != KindDryRun && c.Kind != KindLoose && c.Effects != -2 && c.Outcome() == Acknowledged && (name == "" || c.Node == name) {
			all = append(all, c.answer().Returned)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// withoutWrites returns the longest time between two acknowledged writes of which the second
// came after the fault, and when that time ended.
func withoutWrites(acknowledged []time.Time, fault time.Time) (longest time.Duration, ended time.Time) {
	for n := 1; n < len(acknowledged); n++ {
		if d := acknowledged[n].Sub(acknowledged[n-1]); acknowledged[n].After(fault) && d > longest {
			longest, ended = d, acknowledged[n]
		}
	}
	return longest, ended
}

// printTimes prints how long there were no writes beside what Patroni took.
func (h *haWorld) printTimes(what string, f *failOver) {
	h.t.Helper()
	since := func(t time.Time) string { return strconv.FormatFloat(t.Sub(f.fault).Seconds(), 'f', 1, 64) + " s" }
	h.t.Logf("%s: %s promoted %s after the fault by its Patroni's log, seen to take writes after %s", what, f.new.name, since(f.promoted), since(f.writable))
	for _, s := range h.nodes {
		gap, ended := withoutWrites(h.acknowledgedAt(s.node), f.fault)
		h.t.Logf("%s: node %s was without acknowledged writes for %.1f s, until %s after the fault", what, s.node, gap.Seconds(), since(ended))
	}
	gap, _ := withoutWrites(h.acknowledgedAt(""), f.fault)
	h.t.Logf("%s: no node acknowledged a write for %.1f s", what, gap.Seconds())
}

// checkOwnReads holds that each node shows its own endpoints whatever becomes of the database.
func (h *haWorld) checkOwnReads() (all findings) {
	owner, own := map[string]string{}, 0
	calls := h.history.Calls()
	for _, c := range calls {
		if c.Kind == KindCreate {
			made := c.decoded()
			_, owner[text(made, "id")], _ = strings.Cut(text(made, "ia"), "@")
		}
	}
	for _, c := range calls {
		if c.Kind != KindRead || owner[c.Object] != c.Node {
			continue
		}
		own++
		if a := c.answer(); a.Status != http.StatusOK && a.Status != http.StatusNotFound {
			all.add(9, "a node refused to show its own endpoint: %s", story(c, nil))
		}
	}
	h.t.Logf("%d reads of a node's own endpoints", own)
	if own == 0 {
		all.add(9, "nobody read a node's own endpoint")
	}
	return all
}

// rewound matches what a service says of a log that went back.
var rewound = regexp.MustCompile(`"the log of changes went back[^"]*".*?"last_seen":(\d+),"last_found":(\d+)`)

// lost returns how many changes were lost by what the nodes say in their logs: from the last one
// that any of them had seen to the end that the first of them found, before others had gone on
// from there. It is an error if none says that the log went back.
func (h *haWorld) lost() (int, error) {
	last, end := -1, math.MaxInt
	for _, s := range h.nodes {
		for _, m := range rewound.FindAllStringSubmatch(s.Log(), -1) {
			seen, _ := strconv.Atoi(m[1]) // they are digits
			found, _ := strconv.Atoi(m[2])
			h.t.Logf("%s says that the log of changes went back from %d to %d", s.node, seen, found)
			last, end = max(last, seen), min(end, found)
		}
	}
	if last < 0 {
		return 0, fmt.Errorf("no service says that the log of changes went back")
	}
	return last - end, nil
}
