package faults

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Watcher follows the stream of changes, and resumes with Last-Event-ID when it breaks.
type Watcher struct {
	base string
	http *http.Client
	// hangUp is the average time after which the watcher breaks the stream itself; 0 is never.
	hangUp time.Duration
	random *rand.Rand

	mu sync.Mutex
	// start is the position after which it began; last the `id:` of the last change.
	start int64
	last  string
	got   []Change
	// states are the events stale and fresh, in order.
	states []string
	// refusal is the problem that ended the watch, if one did.
	refusal string
}

// newWatcher returns a watcher that begins after a change.
func newWatcher(address string, after int64, seed uint64, hangUp time.Duration) *Watcher {
	return &Watcher{
		base: "http://" + address + "/api/v1", start: after, last: fmt.Sprint(after), hangUp: hangUp,
		random: rand.New(rand.NewPCG(seed, 1<<32)), http: &http.Client{Transport: &http.Transport{}},
	}
}

// run watches until ctx ends or the position is refused for good.
func (w *Watcher) run(ctx context.Context) {
	defer w.http.CloseIdleConnections()
	for ctx.Err() == nil && w.Refusal() == "" {
		w.watchOnce(ctx)
		wait := time.NewTimer(50 * time.Millisecond)
		select {
		case <-ctx.Done():
		case <-wait.C:
		}
		wait.Stop()
	}
}

// watchOnce follows one stream to its end.
func (w *Watcher) watchOnce(ctx context.Context) {
	if w.hangUp > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.hangUp/2+time.Duration(w.random.Int64N(int64(w.hangUp))))
		defer cancel()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/changes/stream", nil)
	if err != nil {
		panic(err) // the address is one
	}
	request.Header.Set("Authorization", "Bearer "+token)
	w.mu.Lock()
	request.Header.Set("Last-Event-ID", w.last)
	w.mu.Unlock()
	response, err := w.http.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		w.refused(response)
		return
	}
	w.follow(bufio.NewReader(response.Body))
}

// refused remembers a refusal that a repetition would meet again.
func (w *Watcher) refused(response *http.Response) {
	var p struct{ Type, Detail string }
	if response.StatusCode >= 500 || json.NewDecoder(response.Body).Decode(&p) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refusal = fmt.Sprintf("%d %s: %s", response.StatusCode, p.Type, p.Detail)
}

// follow reads events until the stream ends.
func (w *Watcher) follow(r *bufio.Reader) {
	event := map[string]string{}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return // an event that is not complete is none
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			w.take(event)
			clear(event)
			continue
		}
		if name, value, ok := strings.Cut(line, ":"); ok && name != "" {
			event[name] = strings.TrimPrefix(value, " ")
		}
	}
}

// take enters one event.
func (w *Watcher) take(event map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch event["event"] {
	case "":
	case "change":
		var c Change
		if err := json.Unmarshal([]byte(event["data"]), &c); err != nil {
			c.Cause = "unreadable: " + event["data"]
		}
		w.got, w.last = append(w.got, c), event["id"]
	default:
		w.states = append(w.states, event["event"])
	}
}

// Changes returns what came, in the order in which it came.
func (w *Watcher) Changes() []Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.got[:len(w.got):len(w.got)]
}

// States returns the events stale and fresh, in order.
func (w *Watcher) States() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states[:len(w.states):len(w.states)]
}

// Refusal returns the problem that ended the watch, or nothing.
func (w *Watcher) Refusal() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refusal
}
