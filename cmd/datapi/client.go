package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// client calls the API of a service.
type client struct {
	base  *url.URL // with /api/v1
	token string
	http  *http.Client
}

// input is a request body that is sent unchanged.
type input struct {
	reader io.Reader
	kind   string // its media type
}

// request is one call; json or input is its body, or neither.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	json         any
	input        input
}

// answer is a response of the service.
type answer struct {
	status int
	body   []byte
}

// problem holds the members of a problem document (RFC 9457) that are printed.
type problem struct {
	Title     string `json:"title"`
	Detail    string `json:"detail"`
	Return    string `json:"dat_return"`
	Subtype   string `json:"dat_subtype"`
	Field     string `json:"field"`
	RequestID string `json:"request_id"`
	Errors    []struct {
		Location string `json:"location"`
		Message  string `json:"message"`
	} `json:"errors"`
}

// do makes the call and reads the whole answer. A refusal is an error with its detail and exitRefused; if there is no
// answer, the error has exitUnreachable.
func (c *client) do(ctx context.Context, rq *request) (*answer, error) {
	response, err := c.send(ctx, rq)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, unreachable(fmt.Errorf("the answer of %s broke off: %w", c.base.Host, err))
	}
	return &answer{response.StatusCode, data}, nil
}

// send makes the call and returns the response with its body unread. Its errors are those of do.
func (c *client) send(ctx context.Context, rq *request) (*http.Response, error) {
	hr, err := c.build(ctx, rq)
	if err != nil {
		return nil, usage(err)
	}
	response, err := c.http.Do(hr)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return nil, unreachable(fmt.Errorf("no service answers at %s: %w; is it running, and is --url right?", c.base.Host, err))
	}
	if response.StatusCode < http.StatusBadRequest {
		return response, nil
	}
	defer response.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20)) // the status alone makes it a refusal
	text := problemText(response, data)
	if response.StatusCode == http.StatusUnauthorized {
		text += " (the token is read from " + tokenVariable + " or --token-file; that of this host's service by the user who started it)"
	}
	return nil, refused(&refusal{response.StatusCode, text})
}

// build returns the HTTP request of a call.
func (c *client) build(ctx context.Context, rq *request) (*http.Request, error) {
	target := *c.base
	target.RawPath = target.Path + rq.path
	var err error
	if target.Path, err = url.PathUnescape(target.RawPath); err != nil {
		return nil, err
	}
	target.RawQuery = rq.query.Encode()
	reader, kind := rq.input.reader, rq.input.kind
	if rq.json != nil {
		data, err := json.Marshal(rq.json)
		if err != nil {
			return nil, err
		}
		reader, kind = bytes.NewReader(data), "application/json"
	}
	hr, err := http.NewRequestWithContext(ctx, rq.method, target.String(), reader)
	if err != nil {
		return nil, err
	}
	for name, values := range rq.header {
		hr.Header[name] = values
	}
	if reader != nil {
		hr.Header.Set("Content-Type", kind)
	}
	if c.token != "" {
		hr.Header.Set("Authorization", "Bearer "+c.token)
	}
	return hr, nil
}

// refusal is the error for a response whose status is 400 or more.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// problemText returns a problem document as one line, and one more for each of its errors that the line does not say
// already. For any other body it returns the status.
func problemText(response *http.Response, data []byte) string {
	var p problem
	if err := json.Unmarshal(data, &p); err != nil || (p.Title == "" && p.Detail == "") {
		return response.Status + ", and the answer is no problem document"
	}
	var b strings.Builder
	for _, word := range []string{p.Return, p.Subtype} {
		if word != "" {
			b.WriteString(word + " ")
		}
	}
	b.WriteString(p.Detail)
	if p.Detail == "" {
		b.WriteString(p.Title)
	}
	if p.Field != "" && !strings.Contains(p.Detail, p.Field) {
		fmt.Fprintf(&b, " (%s)", p.Field)
	}
	for _, e := range p.Errors {
		if !strings.Contains(p.Detail, strings.TrimSuffix(e.Message, ".")) {
			fmt.Fprintf(&b, "\n  %s: %s", e.Location, e.Message)
		}
	}
	return b.String()
}
