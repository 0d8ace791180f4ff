package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
