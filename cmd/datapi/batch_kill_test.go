package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"syscall"
	"testing"
)

// batchOf returns the body of a batch that makes zones with a prefix and their numbers as names.
func batchOf(t *testing.T, atomic bool, prefix string, count int) []byte {
	t.Helper()
	operations := make([]object, count)
	for i := range operations {
		operations[i] = object{"method": "POST", "path": "/pzs", "body": object{"ia": "soft0@alpha", "name": fmt.Sprintf("%s-%d", prefix, i)}}
	}
	body, err := json.Marshal(object{"atomic": atomic, "operations": operations})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// sendBatch sends a batch with an Idempotency-Key; a status of 0 is no answer.
func (p *process) sendBatch(t *testing.T, key string, body []byte) (status int, answer []byte, replayed bool) {
	t.Helper()
	rq, err := http.NewRequest(http.MethodPost, p.base+"/api/v1/batch", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	rq.Header.Set("Content-Type", "application/json")
	rq.Header.Set("Idempotency-Key", key)
	response, err := (&http.Client{Timeout: patience}).Do(rq)
	if err != nil {
		return 0, nil, false
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, false
	}
	return response.StatusCode, answer, response.Header.Get("Idempotency-Replayed") == "true"
}

// countZones returns how many zones have a name of a pattern.
func (p *process) countZones(t *testing.T, pattern string) int {
	t.Helper()
	return int(p.must(t, "GET", "/pzs?limit=1&total=true&name="+pattern, nil)["total"].(float64))
}

// Promise 3: a batch that was interrupted by kill -9 and is repeated with its key has one effect.
func TestRepeatedBatchHasOneEffectOverAKill(t *testing.T) {
	const count = 3000
	dir := stateDir(t)
	for _, killAt := range []int{1, 1000, 2500} {
		prefix := fmt.Sprintf("r%d", killAt)
		body := batchOf(t, false, prefix, count)
		p := serveIn(t, dir)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			p.sendBatch(t, prefix, body)
		}()
		eventually(t, "a part of the batch is committed", func() bool { return p.countZones(t, prefix+"-*") >= killAt })
		p.end(t, syscall.SIGKILL)
		<-sent

		again := serveIn(t, dir)
		before := again.countZones(t, prefix+"-*")
		status, first, replayed := again.sendBatch(t, prefix, body)
		if status != http.StatusOK || !replayed {
			t.Fatalf("the repetition is answered with %d, replayed %v", status, replayed)
		}
		var answer struct{ Results []struct{ Status int } }
		if err := json.Unmarshal(first, &answer); err != nil || len(answer.Results) != count {
			t.Fatalf("%d results, %v", len(answer.Results), err)
		}
		for n, r := range answer.Results {
			if r.Status != http.StatusCreated {
				t.Fatalf("killed at %d of %d: operation %d is %d", before, count, n, r.Status)
			}
		}
		if made := again.countZones(t, prefix+"-*"); made != count {
			t.Errorf("%d zones were made, want %d", made, count)
		}
		if _, second, replayed := again.sendBatch(t, prefix, body); !replayed || !bytes.Equal(first, second) {
			t.Errorf("the second repetition differs from the first, or is not called one: %v", replayed)
		}
		again.end(t, syscall.SIGTERM)
	}
}

// Promise 11: an atomic batch is all or none, also under kill -9; promise 3: repeated with its key it is once.
func TestAtomicBatchIsAllOrNoneOverAKill(t *testing.T) {
	const count, clients = 200, 8
	dir := stateDir(t)
	for round := range 3 {
		p := serveIn(t, dir)
		var (
			mu   sync.Mutex
			done = map[string]bool{} // by key: whether the batch was answered
			all  sync.WaitGroup
		)
		for client := range clients {
			all.Go(func() {
				for n := 0; ; n++ {
					key := fmt.Sprintf("a%d-%d-%d", round, client, n)
					status, _, _ := p.sendBatch(t, key, batchOf(t, true, key, count))
					mu.Lock()
					done[key] = status == http.StatusOK
					mu.Unlock()
					if status != http.StatusOK {
						return
					}
				}
			})
		}
		eventually(t, "batches are acknowledged", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(done) >= clients
		})
		p.end(t, syscall.SIGKILL)
		all.Wait()

		again := serveIn(t, dir)
		for key, answered := range done {
			made := again.countZones(t, key+"-*")
			if made != count && (answered || made != 0) {
				t.Errorf("batch %s, answered %v, made %d zones of %d", key, answered, made, count)
			}
			if status, _, replayed := again.sendBatch(t, key, batchOf(t, true, key, count)); status != http.StatusOK || replayed != (made == count) {
				t.Errorf("the repetition of %s: %d, replayed %v", key, status, replayed)
			}
			if now := again.countZones(t, key+"-*"); now != count {
				t.Errorf("after the repetition of %s there are %d zones", key, now)
			}
		}
		again.end(t, syscall.SIGTERM)
	}
}
