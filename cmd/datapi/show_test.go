package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestListsAreTablesForPeople(t *testing.T) {
	url, _ := fakeService(t, http.StatusOK, `{"items":[
		{"id":"1","name":"ost-7","state":"CONNECTED","ia":"soft0@a","peer":{"name":"ost-8"},"remote_ia_address":"10.77.0.2","remote_port_qual":7,"version":3,"updated_at":"now"},
		{"id":"2","name":"","state":"UNCONNECTED","ia":"soft0@a","peer":null,"remote_ia_address":null,"remote_port_qual":null,"version":1,"updated_at":"now"}],
		"next_cursor":"abc"}`)
	status, out, said := command(t, "", "ep", "list", "--url", url)
	want := "ID  NAME   STATE        IA       PEER NAME  REMOTE_IA_ADDRESS  REMOTE_PORT_QUAL  VERSION  UPDATED_AT\n" +
		"1   ost-7  CONNECTED    soft0@a  ost-8      10.77.0.2          7                 3        now\n" +
		"2   -      UNCONNECTED  soft0@a  -          -                  -                 1        now\n"
	if status != exitDone || out != want {
		t.Errorf("status %d, printed\n%s\nwant\n%s", status, out, want)
	}
	if said != "there are more: --cursor abc, or --all\n" {
		t.Errorf("said %q", said)
	}
}

func TestObjectsAreShownInTheOrderOfTheService(t *testing.T) {
	url, _ := fakeService(t, http.StatusOK, `{"id":"1","attributes":{"qos":"BEST_EFFORT","ep_transport_specific":{}},"modifiable":["pz","qos"],"big":9007199254740993}`)
	_, out, _ := command(t, "", "ep", "show", anID, "--url", url)
	want := "id                                1\n" +
		"attributes.qos                    BEST_EFFORT\n" +
		"attributes.ep_transport_specific  -\n" +
		"modifiable                        pz,qos\n" +
		"big                               9007199254740993\n"
	if out != want {
		t.Errorf("printed\n%s\nwant\n%s", out, want)
	}
}

func TestProgramsGetTheAnswerAsJSON(t *testing.T) {
	url, _ := fakeService(t, http.StatusOK, `{"id":"1","n":9007199254740993}`)
	_, out, _ := command(t, "", "pz", "show", anID, "-o", "json", "--url", url)
	if want := "{\n  \"id\": \"1\",\n  \"n\": 9007199254740993\n}\n"; out != want {
		t.Errorf("printed %q, want %q", out, want)
	}
}

func TestBatchTellsWhatBecameOfEachOperation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ops.json")
	if err := os.WriteFile(file, []byte(`[{"method":"POST","path":"/pzs","body":{"ia":"a@b"}},{"method":"DELETE","path":"/pzs/$0.id"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	url, requests := fakeService(t, http.StatusOK, `{"results":[{"status":201,"body":{"id":"1"}},{"status":409,"body":{"detail":"in use"}}]}`)
	status, out, said := command(t, "", "batch", file, "--url", url)
	if status != exitRefused || out != "0\t201\t1\n1\t409\tin use\n" || said != "datapi: 1 of 2 operations were refused\n" {
		t.Errorf("status %d, printed %q, said %q", status, out, said)
	}
	sameJSON(t, (*requests)[0].body, `{"atomic":false,"operations":[{"method":"POST","path":"/pzs","body":{"ia":"a@b"}},{"method":"DELETE","path":"/pzs/$0.id"}]}`)
}

func TestWatchersGoOnWhereALostStreamEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		n := len(asked)
		fmt.Fprintf(w, ": beat\n\nid: %d\nevent: change\ndata: {\"id\":%d}\n\nevent: stale\ndata: {}\n\n", n, n)
	}))
	defer server.Close()
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var notes strings.Builder
	cl := &client{base: base.JoinPath("/api/v1"), http: server.Client()}
	err = follow(ctx, cl, nil, &notes, func() error { return nil }, func(change string) error {
		if got = append(got, change); len(got) == 2 {
			cancel()
		}
		return nil
	})
	if err != nil || strings.Join(got, " ") != `{"id":1} {"id":2}` || strings.Join(asked, ",") != ",1" {
		t.Errorf("got %v after asking %q, error %v", got, asked, err)
	}
	if !strings.Contains(notes.String(), "trying again") || !strings.Contains(notes.String(), "connected again") {
		t.Errorf("said %q", notes.String())
	}
}

func TestAListOfSeveralPagesIsShownAsOne(t *testing.T) {
	url := answers{
		"GET /api/v1/pzs?limit=1000":          `{"items":[{"id":"1"},{"id":"2"}],"next_cursor":"c","position":"7","partial":false}`,
		"GET /api/v1/pzs?cursor=c&limit=1000": `{"items":[{"id":"3"}],"next_cursor":null,"position":"8","partial":false}`,
		"GET /api/v1/pzs?limit=2&offset=1":    `{"items":[{"id":"2"}],"next_cursor":"d","position":"7","partial":false}`,
		"GET /api/v1/pzs?cursor=d&limit=2":    `{"items":[{"id":"3"}],"next_cursor":null,"position":"8","partial":false}`,
	}.serve(t)
	status, out, said := command(t, "", "pz", "list", "--all", "-o", "name", "--url", url)
	if status != exitDone || out != "1\n2\n3\n" || said != "" {
		t.Errorf("status %d, printed %q, said %q", status, out, said)
	}
	_, out, _ = command(t, "", "pz", "list", "--all", "--limit", "2", "--offset", "1", "-o", "json", "--url", url)
	sameJSON(t, out, `{"items":[{"id":"2"},{"id":"3"}],"next_cursor":null,"position":"7","partial":false}`)
}
