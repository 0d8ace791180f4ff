package faults

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Kind says what a call asks for.
type Kind string

// The kinds of calls.
const (
	KindCreate     Kind = "create"
	KindModify     Kind = "modify"
	KindWatermark  Kind = "watermark"
	KindRevert     Kind = "revert"
	KindFree       Kind = "free"
	KindAtomic     Kind = "atomic batch"
	KindLoose      Kind = "loose batch"
	KindConnection Kind = "connection" // connect, accept, disconnect, reset
	KindDryRun     Kind = "dry run"
	KindRead       Kind = "read" // of one endpoint
	KindList       Kind = "list" // or another read
)

// Attempt is one request of a call, with its answer or the loss of it.
type Attempt struct {
	RequestID        string
	Called, Returned time.Time
	// Status is 0 where the answer was lost; Loss says how.
	Status int
	Header http.Header
	Body   []byte
	Loss   string
}

// problemType returns the name of the problem that the answer is, or nothing.
func (a *Attempt) problemType() string {
	var p struct {
		Type string `json:"type"`
	}
	if a.Status < 400 || json.Unmarshal(a.Body, &p) != nil {
		return ""
	}
	return p.Type
}

// isRead reports whether the call changes nothing.
func (c *Call) isRead() bool { return c.Kind == KindRead || c.Kind == KindList }

// isUnknown reports whether the attempt leaves open whether the call had an effect: no
// answer came, or one that says so. So does "the first request with this key still runs":
// the transport may have lost that one's answer and sent the same again by itself.
func (a *Attempt) isUnknown() bool {
	problem := a.problemType()
	return a.Status == 0 || problem == "/problems/outcome-unknown" || problem == "/problems/key-running"
}

// isRetryable reports whether the same call may have another answer later.
func (a *Attempt) isRetryable() bool {
	return a.isUnknown() || a.Status >= 500 || a.Status == http.StatusTooManyRequests
}

// Call is what a client asked for once, with all its attempts: more than one only with
// an Idempotency-Key, or where it reads.
type Call struct {
	Client int
	// Node is the one on whose adapters the client makes its objects, and which it asks.
	Node         string
	Kind         Kind
	Method, Path string
	Body         []byte
	Key, IfMatch string
	// Object is the id of the object that it is about, where that is one that the client knew.
	Object string
	// Marker is the value that the call writes into the label `op`, so that its effect
	// can be told by what is in force.
	Marker string
	// Effects is how many changes it makes where it is acknowledged; -1 is any number
	// from 1 on, -2 from 0 on. A loose batch is judged by its results.
	Effects  int
	Attempts []Attempt
}

// Outcome is what a client knows of a call in the end.
type Outcome string

// The outcomes of a call.
const (
	Acknowledged Outcome = "acknowledged"
	Refused      Outcome = "refused"
	Unknown      Outcome = "unknown"
)

// Outcome returns what is known: the first answer that says what became of the call.
func (c *Call) Outcome() Outcome {
	unknown := false
	for i := range c.Attempts {
		a := &c.Attempts[i]
		switch {
		case a.Status >= 200 && a.Status < 300:
			return Acknowledged
		case a.isUnknown():
			unknown = true
		case a.Status < 500 && !a.isRetryable():
			// With a key, a refusal is the first answer: nothing happened before it.
			return Refused
		}
	}
	if unknown {
		return Unknown
	}
	return Refused
}

// answer returns the attempt that decided the outcome: the last one.
func (c *Call) answer() *Attempt { return &c.Attempts[len(c.Attempts)-1] }

// called returns when the first attempt began.
func (c *Call) called() time.Time { return c.Attempts[0].Called }

// History is everything that the clients of a world did. Its methods may be called from
// several goroutines.
type History struct {
	mu    sync.Mutex
	calls []*Call
}

// add enters a call that has ended.
func (h *History) add(c *Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, c)
}

// Calls returns all calls, in the order of their ends.
func (h *History) Calls() []*Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[:len(h.calls):len(h.calls)]
}

// Acknowledged returns how many writes were acknowledged.
func (h *History) Acknowledged() int {
	n := 0
	for _, c := range h.Calls() {
		if !c.isRead() && c.Kind != KindDryRun && c.Outcome() == Acknowledged {
			n++
		}
	}
	return n
}
