package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// reconnectAfter is the pause before a lost stream is taken up again.
const reconnectAfter = time.Second

// sseEvent is one event of a stream (text/event-stream).
type sseEvent struct {
	id, name, data string
}

// readEvents hands every event of a stream to each until the stream ends, or each has an error.
func readEvents(stream io.Reader, each func(sseEvent) error) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 16<<20) // a change with a large object is one line
	var e sseEvent
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			if e.data != "" || e.name != "" {
				if err := each(e); err != nil {
					return err
				}
			}
			e = sseEvent{}
		case field == "id":
			e.id = value
		case field == "event":
			e.name = value
		case field == "data" && e.data != "":
			e.data += "\n" + value
		case field == "data":
			e.data = value
		}
	}
	return lines.Err()
}

// follow hands every change that passes the filter to each, in order, over lost connections, until ctx ends. It
// says on notes when the connection is lost and when it is there again; ready is called before the first change.
func follow(ctx context.Context, cl *client, filter url.Values, notes io.Writer, ready func() error, each func(change string) error) error {
	last, lost := "", false
	for {
		rq := &request{method: http.MethodGet, path: "/changes/stream", query: filter, header: http.Header{"Accept": {"text/event-stream"}}}
		if last != "" {
			rq.header.Set("Last-Event-ID", last)
		}
		response, err := cl.send(ctx, rq)
		var no *refusal
		if err != nil && (!lost || (errors.As(err, &no) && no.status == http.StatusGone)) {
			return err
		}
		if err == nil {
			if lost {
				fmt.Fprintln(notes, "datapi: connected again")
			}
			err = ready()
			if err == nil {
				err = readEvents(response.Body, func(e sseEvent) error {
					if e.name != "change" {
						return nil
					}
					last = e.id
					return each(e.data)
				})
			}
			response.Body.Close()
			lost = false
		}
		if ctx.Err() != nil {
			return nil
		}
		if !lost {
			fmt.Fprintf(notes, "datapi: the stream of changes broke off (%v); trying again\n", err)
		}
		lost = true
		if !pause(ctx, reconnectAfter) {
			return nil
		}
	}
}

// pause waits; false means that ctx ended before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
