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

// reconnectAfter is the pause before a stream that ended is opened again.
const reconnectAfter = time.Second

// sseEvent is one event of a stream (text/event-stream).
type sseEvent struct {
	id, name, data string
}

// readEvents calls each with every event of a stream until the stream ends or each returns an error.
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

// follow calls each with every change that passes the filter, in order, until ctx ends; a connection that is lost is
// opened again. It prints on notes when the connection is lost and when it is open again. ready is called whenever it
// is open, before the changes.
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

// pause waits for a time and reports whether it passed before ctx ended.
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
