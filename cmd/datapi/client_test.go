package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const anID = "01936f5e-0000-7000-8000-000000000001"

// seen is a request as a service saw it.
type receivedRequest struct {
	line   string // method and target
	header http.Header
	body   string
}

// fakeService answers every request with the same status and body and remembers what it was asked.
func fakeService(t *testing.T, status int, body string) (url string, requests *[]receivedRequest) {
	t.Helper()
	requests = &[]receivedRequest{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the body: %v", err)
		}
		*requests = append(*requests, receivedRequest{r.Method + " " + r.URL.RequestURI(), r.Header, string(data)})
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// command runs one command line and gives its status and both outputs.
func command(t *testing.T, stdin string, args ...string) (status int, out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(context.Background(), args, streams{strings.NewReader(stdin), &stdout, &stderr})
	return status, stdout.String(), stderr.String()
}

func TestVerbsSendWhatTheirFlagsSay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "private")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		args string
		line string
		body string
	}{
		{"ia list --state UP --state DOWN", "GET /api/v1/ias?state=UP&state=DOWN", ""},
		{"ep list --state connected --total", "GET /api/v1/endpoints?state=CONNECTED&total=true", ""},
		{"ep show " + anID + " --as-of 2026-01-31T12:00:00Z", "GET /api/v1/endpoints/" + anID + "?as_of=2026-01-31T12%3A00%3A00Z", ""},
		{"ia show soft0@alpha --ia-attributes= ", "GET /api/v1/ias/soft0@alpha?ia_attributes=", ""},
		{
			"ep create --ia soft0@alpha --pz null --max-recv-dtos 8 --labels app=lustre,tier=ost", "POST /api/v1/endpoints",
			`{"ia":"soft0@alpha","pz":null,"attributes":{"max_recv_dtos":8},"labels":{"app":"lustre","tier":"ost"}}`,
		},
		{
			"ep modify " + anID + " --qos BEST_EFFORT --ep-transport-specific retry_count=7,tos=null", "PATCH /api/v1/endpoints/" + anID,
			`{"attributes":{"qos":"BEST_EFFORT","ep_transport_specific":{"retry_count":"7","tos":null}}}`,
		},
		{
			"ep set-watermark " + anID + " --soft-high 4 --hard-high infinite", "PUT /api/v1/endpoints/" + anID + "/watermarks",
			`{"soft_high":4,"hard_high":null}`,
		},
		{
			"ep connect " + anID + " --remote-ia-address 10.77.0.2 --remote-port-qual 7 --private-data @" + file, "POST /api/v1/endpoints/" + anID + "/connect",
			`{"remote_ia_address":"10.77.0.2","remote_port_qual":7,"private_data":"aGVsbG8="}`,
		},
		{"node show alpha", "GET /api/v1/nodes/alpha", ""},
		{"node retire alpha --reason burnt", "DELETE /api/v1/nodes/alpha", ""},
		{"ep reset " + anID, "POST /api/v1/endpoints/" + anID + "/reset", ""},
		{"ep free " + anID + " --dry-run", "DELETE /api/v1/endpoints/" + anID + "?dry_run=true", ""},
		{
			"evd create --ia soft0@alpha --qlen 16 --streams DTO,CONNECTION", "POST /api/v1/evds",
			`{"ia":"soft0@alpha","qlen":16,"streams":["DTO","CONNECTION"]}`,
		},
		{`evd post-se ` + anID + ` --data {"n":1}`, "POST /api/v1/evds/" + anID + "/events", `{"data":{"n":1}}`},
		{"ep list --limit 5 --label app=lustre --fields id,name", "GET /api/v1/endpoints?fields=id%2Cname&label=app%3Dlustre&limit=5", ""},
		{"change list --order asc --type endpoint", "GET /api/v1/changes?order=asc&type=endpoint", ""},
		{"retention show", "GET /api/v1/retention", ""},
		{"retention set --age 30d", "PUT /api/v1/retention", `{"age":"30d"}`},
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) {
			url, requests := fakeService(t, http.StatusOK, `{"items":[],"next_cursor":null}`)
			status, _, errors := command(t, "", append(strings.Fields(c.args), "--url", url)...)
			if status != exitDone || len(*requests) != 1 {
				t.Fatalf("status %d, %d requests, said %q; want 0 and one request", status, len(*requests), errors)
			}
			got := (*requests)[0]
			if got.line != c.line {
				t.Errorf("asked %q, want %q", got.line, c.line)
			}
			sameJSON(t, got.body, c.body)
		})
	}
}

// sameJSON compares two documents without regard to the order of members.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if want == "" || got == "" {
		g, w = got, want
	} else if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("the body %q is no JSON: %v", got, err)
	} else if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestWritesCarryTheOptionsOfTheCall(t *testing.T) {
	t.Setenv(tokenVariable, "0123456789abcdef")
	url, requests := fakeService(t, http.StatusOK, `{"state":"DISCONNECTED"}`)
	status, _, errors := command(t, "", "ep", "disconnect", anID, "--url", url, "--if-match", "3", "--reason", "planned",
		"--idempotency-key", "k1", "--wait", "5s")
	if status != exitDone {
		t.Fatalf("status %d, said %q", status, errors)
	}
	for name, want := range map[string]string{
		"If-Match": `"3"`, "X-Change-Reason": "planned", "Idempotency-Key": "k1", "Prefer": "wait=5",
		"Authorization": "Bearer 0123456789abcdef", "Content-Type": "application/json",
	} {
		if got := (*requests)[0].header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestNamesStandForIDs(t *testing.T) {
	url, requests := fakeService(t, http.StatusOK, `{"items":[{"id":"`+anID+`"}]}`)
	for _, line := range []string{"pz free zone-1", "ep modify " + anID + " --pz zone-1 --recv-evd queue-1", "ep list --srq pool"} {
		if status, _, errors := command(t, "", append(strings.Fields(line), "--url", url)...); status != exitDone {
			t.Fatalf("status %d, said %q", status, errors)
		}
	}
	want := []string{
		"GET /api/v1/pzs?fields=id&limit=1&name=zone-1", "DELETE /api/v1/pzs/" + anID,
		"GET /api/v1/pzs?fields=id&limit=1&name=zone-1", "GET /api/v1/evds?fields=id&limit=1&name=queue-1", "PATCH /api/v1/endpoints/" + anID,
		"GET /api/v1/srqs?fields=id&limit=1&name=pool", "GET /api/v1/endpoints?srq=" + anID,
	}
	for i, line := range want {
		if got := (*requests)[i].line; got != line {
			t.Errorf("request %d was %q, want %q", i, got, line)
		}
	}
	sameJSON(t, (*requests)[4].body, `{"pz":"`+anID+`","recv_evd":"`+anID+`"}`)
}

func TestEveryHandleIsOfAKnownType(t *testing.T) {
	for _, n := range nouns() {
		for _, v := range n.verbs {
			for _, m := range slices.Concat(v.query, v.body) {
				if _, err := typeOfHandle(m.wire); (m.kind == handle || m.kind == handles) && err != nil && m.wire != "object" {
					t.Errorf("%s %s: --%s is a handle of nothing: %v", n.name, v.name, m.flag(), err)
				}
			}
		}
	}
}

func TestExitStatusTellsRefusalUsageAndSilenceApart(t *testing.T) {
	problem := `{"title":"Conflict","detail":"pz may be changed in UNCONNECTED only","dat_return":"DAT_INVALID_STATE","field":"pz"}`
	url, _ := fakeService(t, http.StatusConflict, problem)
	closed := httptest.NewServer(nil)
	closed.Close()
	cases := []struct {
		name   string
		args   []string
		status int
		said   string
	}{
		{"a refusal", []string{"ep", "reset", anID, "--url", url}, exitRefused, "datapi: DAT_INVALID_STATE pz may be changed in UNCONNECTED only\n"},
		{"an unknown command", []string{"endpoint"}, exitUsage, "unknown command"},
		{"an unknown verb", []string{"ep", "explode"}, exitUsage, "unknown command"},
		{"an unknown flag", []string{"ep", "list", "--colour"}, exitUsage, "unknown flag"},
		{"a missing argument", []string{"ep", "show"}, exitUsage, "datapi: ep show needs NAME|ID..."},
		{"a missing member", []string{"ep", "set-watermark", anID, "--soft-high", "1"}, exitUsage, "--hard-high is required"},
		{"an empty filter", []string{"ep", "list", "--state", ""}, exitUsage, "--state is empty"},
		{"a wrong word of a filter", []string{"ep", "list", "--state", "up"}, exitUsage, `--state "up" is none of UNCONNECTED, `},
		{"no reason", []string{"node", "retire", "beta"}, exitUsage, "node retire needs --reason"},
		{"a wait of no seconds", []string{"ep", "disconnect", anID, "--wait", "5ms"}, exitUsage, "no number of whole seconds"},
		{"another program's verb", []string{"ep", "delete", anID}, exitUsage, "did you mean free?"},
		{"another program's noun", []string{"endpoints", "list"}, exitUsage, "did you mean ep?"},
		{"nothing to modify", []string{"ep", "modify", anID}, exitUsage, "needs a flag that says what to modify"},
		{"a word for a number", []string{"evd", "create", "--ia", "a@b", "--qlen", "many", "--streams", "DTO"}, exitUsage, `"many" is no integer`},
		{"a bad format", []string{"ep", "list", "-o", "xml"}, exitUsage, `"xml" is none of table, wide, name, json, yaml`},
		{"nobody there", []string{"ep", "list", "--url", closed.URL}, exitUnreachable, "no service answers at"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, out, errors := command(t, "", c.args...)
			if status != c.status || !strings.Contains(errors, c.said) || out != "" {
				t.Errorf("status %d, out %q, said %q; want %d and %q", status, out, errors, c.status, c.said)
			}
		})
	}
}

func TestARefusalForLackOfATokenSaysWhereItIsReadFrom(t *testing.T) {
	url, _ := fakeService(t, http.StatusUnauthorized, `{"title":"Who is asking?","detail":"this call needs a token"}`)
	status, _, said := command(t, "", "ep", "list", "--url", url)
	if status != exitRefused || said != "datapi: this call needs a token (the token is read from DATAPI_TOKEN or --token-file; that of this host's service by the user who started it)\n" {
		t.Errorf("status %d, said %q", status, said)
	}
}

func TestMemoryGoesInAndOutAsItIs(t *testing.T) {
	memory, _ := fakeService(t, http.StatusOK, "\x00\x01memory")
	if status, out, _ := command(t, "", "lmr", "read", anID, "--url", memory); status != exitDone || out != "\x00\x01memory" {
		t.Errorf("read: status %d, wrote %q", status, out)
	}
	url, requests := fakeService(t, http.StatusNoContent, "")
	if status, _, errors := command(t, "abc", "lmr", "write", anID, "--offset", "8", "--url", url); status != exitDone {
		t.Fatalf("write: status %d, said %q", status, errors)
	}
	got := (*requests)[0]
	if got.line != "PUT /api/v1/lmrs/"+anID+"/data?offset=8" || got.body != "abc" || got.header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("write sent %q with %q as %q", got.line, got.body, got.header.Get("Content-Type"))
	}
}
