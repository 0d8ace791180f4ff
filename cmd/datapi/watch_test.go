package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A watcher of what changes without a word in the log shows an answer when it says something new, and not each time.
func TestWatchingShowsWhatIsNew(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	states := []string{"UNCONNECTED", "UNCONNECTED", "CONNECTED"}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"state":%q,"observed_at":"%d"}`, states[min(asked, len(states)-1)], asked)
		asked++
		if asked > len(states) {
			cancel()
		}
	}))
	defer server.Close()
	var out, said bytes.Buffer
	args := []string{"ep", "status", anID, "--watch", "-o", "json", "--url", server.URL}
	status := run(ctx, args, streams{strings.NewReader(""), &out, &said})
	want := "{\"state\":\"UNCONNECTED\",\"observed_at\":\"0\"}\n{\"state\":\"CONNECTED\",\"observed_at\":\"2\"}\n"
	if status != exitDone || out.String() != want {
		t.Errorf("status %d, printed %q, said %q; want %q", status, out.String(), said.String(), want)
	}
}

// Of many changes at once the last one tells enough: the list is not asked for after each.
func TestManyChangesAtOnceAreShownTogether(t *testing.T) {
	const changes = 2000
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var made, lists atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/stream") {
			lists.Add(1)
			n := made.Load()
			fmt.Fprintf(w, `{"items":[{"id":"%d"}],"next_cursor":null}`, n)
			if n == changes {
				time.AfterFunc(time.Millisecond, cancel) // after the answer was taken, or the wait for the next is cut short
			}
			return
		}
		if r.URL.Query().Get("type") != "pz" {
			t.Errorf("it follows %s", r.URL.RawQuery)
		}
		for n := int64(1); n <= changes; n++ {
			made.Store(n)
			fmt.Fprintf(w, "id: %d\nevent: change\ndata: {}\n\n", n)
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	var out, said bytes.Buffer
	status := run(ctx, []string{"pz", "list", "--watch", "-o", "name", "--url", server.URL}, streams{strings.NewReader(""), &out, &said})
	if n := lists.Load(); status != exitDone || n == 0 || n > changes/100 {
		t.Errorf("status %d, said %q, and asked %d times after %d changes", status, said.String(), n, changes)
	}
}
