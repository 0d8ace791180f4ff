package main

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// receivedSpan is a span as a collector gets it.
type receivedSpan struct {
	trace, id, parent, name string
	// node is the node that sent it.
	node       string
	attributes map[string]string
}

// collector takes traces over OTLP/HTTP.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	requests int
	spans    []receivedSpan
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var export coltrace.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &export) != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		c.take(&export)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(export *coltrace.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	words := func(all []*common.KeyValue) map[string]string {
		m := map[string]string{}
		for _, a := range all {
			m[a.Key] = a.Value.GetStringValue()
		}
		return m
	}
	for _, of := range export.ResourceSpans {
		node := words(of.Resource.Attributes)["service.instance.id"]
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, receivedSpan{
					trace: hex.EncodeToString(s.TraceId), id: hex.EncodeToString(s.SpanId), parent: hex.EncodeToString(s.ParentSpanId),
					name: s.Name, node: node, attributes: words(s.Attributes),
				})
			}
		}
	}
}

// of returns the spans of a trace, by their nodes and names.
func (c *collector) of(trace string) map[string]receivedSpan {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]receivedSpan{}
	for _, s := range c.spans {
		if s.trace == trace {
			all[s.node+" "+s.name] = s
		}
	}
	return all
}

const (
	traceID  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentID = "00f067aa0ba902b7"
)

// A call for an object of another node is one trace: from the client's span over both nodes to the commit.
func TestATraceGoesFromTheClientOverBothNodesToTheCommit(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	db := database(t, stateDir(t))
	beta := serveIn(t, stateDir(t), "--database-url="+db.URL(), "--node=beta")
	alpha := serveIn(t, stateDir(t), "--database-url="+db.URL(), "--node=alpha")
	zone := beta.must(t, "POST", "/pzs", object{"ia": "soft0@beta"})["id"].(string)
	rq, err := http.NewRequest("DELETE", alpha.base+"/api/v1/pzs/"+zone, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	rq.Header.Set("traceparent", "00-"+traceID+"-"+parentID+"-01")
	rq.Header.Set("X-Request-ID", "far-call")
	answer, err := http.DefaultClient.Do(rq)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	if answer.Body.Close(); answer.StatusCode != http.StatusNoContent {
		t.Fatalf("%d %s", answer.StatusCode, body)
	}
	const route = "DELETE /api/v1/pzs/{id}"
	eventually(t, "all spans have come", func() bool { return len(c.of(traceID)) >= 5 })
	spans := c.of(traceID)
	for _, link := range [][2]string{{"alpha forward DELETE", "alpha " + route}, {"beta " + route, "alpha forward DELETE"}, {"beta judge and act", "beta " + route}, {"beta commit", "beta " + route}} {
		if child, parent := spans[link[0]], spans[link[1]]; child.id == "" || child.parent != parent.id {
			t.Errorf("%q is not below %q: %+v", link[0], link[1], spans)
		}
	}
	if first := spans["alpha "+route]; first.parent != parentID || first.attributes["datapi.request_id"] != "far-call" {
		t.Errorf("the first span is %+v", first)
	}
	if acted := spans["beta judge and act"]; acted.attributes["dat.operation"] == "" {
		t.Errorf("what was judged is %+v", acted)
	}
	if status := alpha.end(t, syscall.SIGTERM); status != exitDone {
		t.Errorf("exit status %d", status)
	}
}

func TestNoTracesAreSentWhereNobodyAsks(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_SDK_DISABLED", "true")
	p := serveIn(t, stateDir(t))
	p.must(t, "POST", "/pzs", object{"ia": "soft0@alpha"})
	p.end(t, syscall.SIGTERM) // an end sends what is left
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests != 0 {
		t.Errorf("%d requests came", c.requests)
	}
}

// A collector that is away costs spans and nothing else; the stop is in order.
func TestAServiceRunsWithoutItsCollector(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+freeAddress(t))
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	p := serveIn(t, stateDir(t))
	p.must(t, "POST", "/pzs", object{"ia": "soft0@alpha"})
	if status := p.end(t, syscall.SIGTERM); status != exitDone {
		t.Errorf("exit status %d", status)
	}
	if !strings.Contains(p.said(), "traces were not sent") {
		t.Error("the log does not tell of the collector")
	}
}

func TestAProtocolThatTracesAreNotSentOverIsRefused(t *testing.T) {
	c := exec.Command(program, "serve", "--listen=127.0.0.1:0", "--data-dir="+stateDir(t))
	c.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc")
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Run(); err == nil || c.ProcessState.ExitCode() != exitUsage || !strings.Contains(said.String(), "http/protobuf") {
		t.Errorf("%v: %s", err, said.String())
	}
}
