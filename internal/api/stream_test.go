package api

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/api/document"
)

// stream opens a change stream and returns its lines; the function that it returns ends the stream.
func (r *rig) stream(query string, options ...option) (*http.Response, <-chan string, func()) {
	r.t.Helper()
	server := httptest.NewServer(r.api.Handler)
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, "GET", server.URL+basePath+"/changes/stream"+query, nil)
	must(r.t, err)
	for _, o := range options {
		o(request)
	}
	response, err := http.DefaultClient.Do(request)
	must(r.t, err)
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return response, lines, func() { cancel(); server.Close() }
}

// ids reads the ids of the next n changes of a stream.
func ids(t *testing.T, lines <-chan string, n int) []string {
	t.Helper()
	var all []string
	deadline := time.After(patience)
	for len(all) < n {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("the stream ended after %v", all)
			}
			if id, is := strings.CutPrefix(line, "id: "); is {
				all = append(all, id)
			}
		case <-deadline:
			t.Fatalf("only %v came", all)
		}
	}
	return all
}

func TestStreamDeliversInOrderWithoutGapAndResumes(t *testing.T) {
	r := newRig(t)
	response, lines, end := r.stream("")
	defer end()
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != document.MediaEvents {
		t.Fatalf("%d %v", response.StatusCode, response.Header)
	}
	start := r.store.Log().Last()
	for range 5 {
		r.pz(ia0)
	}
	got := ids(t, lines, 5)
	for i, id := range got {
		if id != fmt.Sprint(start+int64(i)+1) {
			t.Errorf("ids %v after %d", got, start)
		}
	}
	_, again, end2 := r.stream("?after=0", with("Last-Event-ID", got[1]))
	defer end2()
	if rest := ids(t, again, 3); rest[0] != got[2] || rest[2] != got[4] {
		t.Errorf("resumed %v after %s", rest, got[1])
	}
	_, filtered, end3 := r.stream("?after=" + fmt.Sprint(start) + "&cause=dat_evd_create")
	defer end3()
	r.pz(ia0)
	r.evd(ia0, "DTO")
	r.pz(ia0)
	if only := ids(t, filtered, 1); only[0] != fmt.Sprint(start+7) {
		t.Errorf("filtered %v", only)
	}
}

func TestStreamRefusesPositionsThatDoNotExist(t *testing.T) {
	r := newRig(t)
	for _, query := range []string{"?after=999999", "?after=x", "?after=-1", "?type=x", "?nosuch=1"} {
		response, _, end := r.stream(query)
		if response.StatusCode != 400 || response.Header.Get("Content-Type") != document.MediaProblem {
			t.Errorf("%s: %d", query, response.StatusCode)
		}
		end()
	}
	response, _, end := r.stream("", with("Last-Event-ID", "999999"))
	defer end()
	if response.StatusCode != 400 {
		t.Errorf("Last-Event-ID beyond the end: %d", response.StatusCode)
	}
}

func TestAPositionPastTheRetentionIsGone(t *testing.T) {
	r := newRig(t)
	ep := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	created := r.store.Log().Last()
	for _, name := range []string{"a", "b"} {
		r.do("PATCH", "/endpoints/"+ep, members{"name": name}).is(200)
	}
	r.do("PUT", "/retention", members{"age": "1us"}).is(200)
	eventually(t, "older changes are deleted", func() bool { return r.number(`SELECT count(*) FROM changes WHERE object_id = '`+ep+`'`) == 1 })
	r.do("GET", fmt.Sprintf("/endpoints/%s?as_of=%d", ep, created), nil).refused(410)
	r.do("GET", "/endpoints/"+ep+"/history/1", nil).refused(410)
	r.do("POST", "/endpoints/"+ep+"/revert", members{"version": 1}).refused(410)
	again := newRigOn(t, r.url, "beta") // a process reads the retention when it starts
	response, _, end := again.stream("?after=1")
	defer end()
	if response.StatusCode != 410 || response.Header.Get("Content-Type") != document.MediaProblem {
		t.Errorf("the stream from there: %d", response.StatusCode)
	}
}

func TestASilentStreamSendsComments(t *testing.T) {
	r := newRig(t)
	r.api.heartbeat = time.Millisecond
	_, lines, end := r.stream("")
	defer end()
	deadline := time.After(patience)
	for beats := 0; beats < 2; {
		select {
		case line, open := <-lines:
			if !open {
				t.Fatal("the stream ended")
			}
			if line == ": still here" {
				beats++
			}
		case <-deadline:
			t.Fatal("no comment came")
		}
	}
}

func TestStreamsEndWithTheService(t *testing.T) {
	r := newRig(t)
	_, lines, end := r.stream("")
	defer end()
	r.api.Close()
	deadline := time.After(patience)
	for {
		select {
		case _, open := <-lines:
			if !open {
				return
			}
		case <-deadline:
			t.Fatal("the stream did not end")
		}
	}
}

// Promise 14: a watcher that reads nothing is ended.
func TestAWatcherThatReadsNothingIsEnded(t *testing.T) {
	r := newRig(t)
	r.api.sendTimeout = 50 * time.Millisecond
	server := httptest.NewServer(r.api.Handler)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	must(t, err)
	defer func() { _ = conn.Close() }()
	must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(conn, "GET %s/changes/stream HTTP/1.1\r\nHost: localhost\r\n\r\n", basePath)
	must(t, err)
	watching := func() bool {
		return strings.Contains(r.raw("GET", "/metrics").Body.String(), "datapi_change_streams 1")
	}
	eventually(t, "the watcher is there", watching)
	ep := r.endpoint(ia0)
	large := strings.Repeat("x", 200)
	eventually(t, "the watcher is ended", func() bool {
		r.do("PATCH", "/endpoints/"+ep, members{"labels": labelsOf(64, large+fmt.Sprint(time.Now().UnixNano()))}).is(200)
		return !watching()
	})
}

func TestASlowStreamClientBlocksNobody(t *testing.T) {
	r := newRig(t)
	r.api.sendTimeout = time.Hour     // whoever waited for it would wait in vain
	_, _, end := r.stream("?after=0") // its lines are never read beyond the buffers
	defer end()
	ep := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range 200 {
			r.do("PATCH", "/endpoints/"+ep, members{"labels": labelsOf(64, strings.Repeat(fmt.Sprint(i%10), 255))}).is(200)
		}
	}()
	select {
	case <-written:
	case <-time.After(patience):
		t.Error("a writer waits for a client that reads nothing")
	}
}
