package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	// answerLimit is how long a client waits for an answer; the service promises 10 s
	// where its database is away, whatever was being done.
	answerLimit = 40 * time.Second
	// retryFor is how long a client repeats a call whose answer was lost.
	retryFor = time.Minute
)

// Client is one user of the service. It does one thing after the other.
type Client struct {
	number int
	// node is the one on whose adapters the client makes its objects.
	node    string
	base    string
	http    *http.Client
	random  *rand.Rand
	history *History
	prefix  string
	calls   int
	// noRepeat lets the client give up where an answer is lost, as one that crashed.
	noRepeat bool
}

// newClient returns a client of a node that speaks to an address.
func newClient(number int, node, address string, seed uint64, prefix string, history *History) *Client {
	return &Client{
		number: number, node: node, base: "http://" + address + "/api/v1", history: history, prefix: prefix,
		random: rand.New(rand.NewPCG(seed, uint64(number))),
		http:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}, Timeout: answerLimit},
	}
}

// close ends the client's connections.
func (c *Client) close() { c.http.CloseIdleConnections() }

// object is a decoded answer.
type object = map[string]any

// encode makes JSON of the harness' own values.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps, texts and numbers always have a form
	}
	return data
}

// do makes the call: once, or with an Idempotency-Key until an answer says what became
// of it, ctx ends or retryFor has passed. The call is in the history afterwards.
func (c *Client) do(ctx context.Context, call *Call, body any) *Call {
	call.Client, call.Node = c.number, c.node
	if body != nil {
		call.Body = encode(body)
	}
	c.calls++
	id := fmt.Sprintf("%s-c%d-%d", c.prefix, c.number, c.calls)
	until := time.Now().Add(retryFor)
	for n := 1; ; n++ {
		attempt := c.attempt(ctx, call, id+"-"+strconv.Itoa(n))
		call.Attempts = append(call.Attempts, attempt)
		repeat := call.Key != "" && !c.noRepeat && attempt.isRetryable() && ctx.Err() == nil && time.Now().Before(until)
		if !repeat {
			break
		}
		c.pause(ctx, 20*time.Millisecond, 250*time.Millisecond)
	}
	c.history.add(call)
	return call
}

// attempt sends the request once.
func (c *Client) attempt(ctx context.Context, call *Call, id string) Attempt {
	a := Attempt{RequestID: id, Called: time.Now()}
	a.Status, a.Header, a.Body, a.Loss = c.send(ctx, call, id)
	a.Returned = time.Now()
	return a
}

func (c *Client) send(ctx context.Context, call *Call, id string) (status int, header http.Header, body []byte, loss string) {
	request, err := http.NewRequestWithContext(context.WithoutCancel(ctx), call.Method, c.base+call.Path, bytes.NewReader(call.Body))
	if err != nil {
		panic(err) // the harness' own paths are paths
	}
	// Without it the transport sends no body again by itself. What has a key and no body,
	// a DELETE, it does send again: an attempt is then two requests.
	request.GetBody = nil
	if call.Body == nil {
		request.Body = http.NoBody
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("X-Request-ID", id)
	if call.Key != "" {
		request.Header.Set("Idempotency-Key", call.Key)
	}
	if call.IfMatch != "" {
		request.Header.Set("If-Match", call.IfMatch)
	}
	if call.Kind == KindConnection {
		request.Header.Set("Prefer", "wait=2")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, nil, errors.Unwrap(err).Error()
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, nil, err.Error()
	}
	return response.StatusCode, response.Header, body, ""
}

// read makes a GET that the history does not remember, and decodes its answer.
func (c *Client) read(ctx context.Context, path string) (int, object) {
	status, _, body, _ := c.send(ctx, &Call{Method: http.MethodGet, Path: path}, c.prefix+"-read")
	decoded := object{}
	if json.Unmarshal(body, &decoded) != nil {
		return status, nil
	}
	return status, decoded
}

// pause waits for a random time, or until ctx ends.
func (c *Client) pause(ctx context.Context, least, most time.Duration) {
	wait := time.NewTimer(least + time.Duration(c.random.Int64N(int64(most-least)+1)))
	defer wait.Stop()
	select {
	case <-ctx.Done():
	case <-wait.C:
	}
}

// text returns a member of a decoded answer as text; numbers are written out.
func text(o object, name string) string {
	switch v := o[name].(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// decoded returns the answer of a call that was acknowledged, else nil.
func (c *Call) decoded() object {
	if c.Outcome() != Acknowledged {
		return nil
	}
	o := object{}
	if json.Unmarshal(c.answer().Body, &o) != nil {
		return nil
	}
	return o
}
