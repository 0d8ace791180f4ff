package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

const (
	faultClients = 32
	// faultWrites is how many acknowledged writes there are before the service is killed.
	faultWrites = 400
)

// rounds is how often a fault is tried: once, or as often as DATAPI_FAULT_ROUNDS says.
func rounds(t *testing.T) int {
	t.Helper()
	word := os.Getenv("DATAPI_FAULT_ROUNDS")
	if word == "" {
		return 1
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
		t.Fatalf("DATAPI_FAULT_ROUNDS is %q, want a number from 1 on", word)
	}
	return n
}

// written is what one client knows of one endpoint: what the service acknowledged, and what was asked for last.
type written struct {
	id            string
	version, dtos float64 // acknowledged
	asked         float64 // the value of a modify without an answer, else 0
}

// writer creates endpoints and modifies each of them until the service answers no more.
func writer(p *process, client, round int, acknowledged *atomic.Int64) []*written {
	var all []*written
	for n := 0; ; n++ {
		status, ep, _ := p.call("POST", "/endpoints", object{
			"ia": "soft0@alpha", "name": fmt.Sprintf("r%d-c%d-%d", round, client, n), "attributes": object{"max_recv_dtos": 1},
		})
		if status != 201 {
			return all
		}
		acknowledged.Add(1)
		w := &written{id: ep["id"].(string), version: 1, dtos: 1}
		all = append(all, w)
		for range 3 {
			w.asked = w.dtos + 1
			status, ep, _ = p.call("PATCH", "/endpoints/"+w.id, object{"attributes": object{"max_recv_dtos": w.asked}})
			if status != 200 {
				return all
			}
			acknowledged.Add(1)
			w.version, w.dtos, w.asked = ep["version"].(float64), w.asked, 0
		}
	}
}

// What was acknowledged is there after kill -9, in history and in force; what was not is there whole or not at all.
func TestFaultKilledServiceKeepsWhatItAcknowledged(t *testing.T) {
	dir := stateDir(t)
	for round := range rounds(t) {
		p := serveIn(t, dir)
		var (
			acknowledged atomic.Int64
			mu           sync.Mutex
			all          []*written
			clients      sync.WaitGroup
		)
		for client := range faultClients {
			clients.Go(func() {
				mine := writer(p, client, round, &acknowledged)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, mine...)
			})
		}
		eventually(t, "enough writes are acknowledged", func() bool { return acknowledged.Load() >= faultWrites })
		p.end(t, syscall.SIGKILL)
		clients.Wait()

		again := serveIn(t, dir)
		for _, w := range all {
			checkAcknowledged(t, again, w)
		}
		checkLogMatchesObjects(t, again)
		if status := again.end(t, syscall.SIGTERM); status != exitDone {
			t.Errorf("round %d: exit status %d after SIGTERM", round, status)
		}
	}
}

// checkKept holds an endpoint against what its client knows.
func checkAcknowledged(t *testing.T, p *process, w *written) {
	t.Helper()
	ep := p.must(t, "GET", "/endpoints/"+w.id, nil)
	version, dtos := ep["version"].(float64), ep["attributes"].(map[string]any)["max_recv_dtos"].(float64)
	last := version == w.version && dtos == w.dtos
	unanswered := w.asked != 0 && version == w.version+1 && dtos == w.asked
	if !last && !unanswered {
		t.Errorf("endpoint %s is version %v with max_recv_dtos %v; acknowledged was %v with %v, asked for %v", w.id, version, dtos, w.version, w.dtos, w.asked)
	}
	if status := p.must(t, "GET", "/endpoints/"+w.id+"/status", nil); status["state"] != "UNCONNECTED" {
		t.Errorf("endpoint %s is not in force: %v", w.id, status)
	}
}

// checkNothingHalf holds the log against the objects: ids without a gap, each object's version and parameters as its
// last change says.
func checkLogMatchesObjects(t *testing.T, p *process) {
	t.Helper()
	var next float64 = 1
	latest := map[string]float64{}
	for cursor := ""; ; {
		page := p.must(t, "GET", "/changes?order=asc&limit=1000"+cursor, nil)
		for _, item := range page["items"].([]any) {
			change := item.(map[string]any)
			if change["id"].(float64) != next {
				t.Fatalf("change %v follows %v", change["id"], next-1)
			}
			next++
			of := change["object"].(map[string]any)
			if of["type"] == "endpoint" {
				latest[of["id"].(string)] = change["version"].(float64)
			}
		}
		if page["next_cursor"] == nil {
			break
		}
		cursor = "&cursor=" + page["next_cursor"].(string)
	}
	living := 0
	for cursor := ""; ; {
		page := p.must(t, "GET", "/endpoints?limit=1000&fields=id,version"+cursor, nil)
		for _, item := range page["items"].([]any) {
			ep := item.(map[string]any)
			if latest[ep["id"].(string)] != ep["version"].(float64) {
				t.Errorf("endpoint %v is version %v, its last change made %v", ep["id"], ep["version"], latest[ep["id"].(string)])
			}
			living++
		}
		if page["next_cursor"] == nil {
			break
		}
		cursor = "&cursor=" + page["next_cursor"].(string)
	}
	if living != len(latest) {
		t.Errorf("%d endpoints live, the log knows %d", living, len(latest))
	}
}
