package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"pgregory.net/rapid"

	"github.com/datapi/datapi/internal/api/document"
)

// fuzzer is a service with one object of each type that can be created, so that a call with a right path gets as far
// as the rules that judge it.
type fuzzer struct {
	*rig
	// ids are the objects by the name of their collection.
	ids map[string]string
}

func newFuzzer(t testing.TB) *fuzzer {
	f := &fuzzer{rig: newRig(t), ids: map[string]string{}}
	f.createMissing()
	return f
}

// createMissing makes the objects that there are not yet, or that a call has freed.
func (f *fuzzer) createMissing() {
	f.t.Helper()
	for _, collection := range []string{"pzs", "evds", "srqs", "lmrs", "rmrs", "endpoints", "psps"} {
		if id := f.ids[collection]; id != "" && f.do("GET", "/"+collection+"/"+id, nil).status == 200 {
			continue
		}
		pz := f.ids["pzs"]
		body := map[string]members{
			"pzs": {"ia": ia0}, "evds": {"ia": ia0, "qlen": 16, "streams": []string{"CR", "SOFTWARE"}}, "psps": {"ia": ia0, "evd": f.ids["evds"]},
			"srqs": {"ia": ia0, "pz": pz, "max_recv_dtos": 16, "max_recv_iov": 1}, "rmrs": {"ia": ia0, "pz": pz}, "endpoints": {"ia": ia0, "pz": pz},
			"lmrs": {"ia": ia0, "pz": pz, "length": 64, "privileges": []string{"LOCAL_READ", "LOCAL_WRITE"}},
		}[collection]
		f.ids[collection] = f.do("POST", "/"+collection, body).is(201).id()
	}
}

// badValues are sent as members of every type.
var badValues = []any{
	nil, true, "", "x", "\x00", "\u202e", strings.Repeat("x", 5000), -1, 0, 1, 65536, int64(1) << 53, json.Number("1e400"), json.Number("9223372036854775808"),
	json.Number("-9223372036854775808"), 1.5,
	[]any{},
	[]any{nil},
	[]any{[]any{}},
	map[string]any{},
	map[string]any{"": nil},
	map[string]any{"\x00": 1},
	"$0.id", "../..", "%00", "0x", "NaN", "null",
}

// badParameters are sent as query parameters and headers of every type.
var badParameters = []string{
	"", "x", "1", "-1", "true", "0", "99999999999999999999", "*", `"1"`, "\x00", "\xff", "a=b", "wait=0", "2026-01-01T00:00:00Z", "CONNECTED", "name", ia0, strings.Repeat("y", 600),
}

// value draws a value for a schema: mostly of its type, sometimes a bad one.
func (f *fuzzer) value(t *rapid.T, s *huma.Schema, depth int) any {
	s, _ = f.api.schemas.Resolve(s)
	if s == nil || depth > 6 || rapid.IntRange(0, 15).Draw(t, "bad") == 0 {
		return rapid.SampledFrom(badValues).Draw(t, "value")
	}
	switch s.Type {
	case huma.TypeBoolean:
		return rapid.Bool().Draw(t, "bool")
	case huma.TypeInteger:
		return rapid.SampledFrom([]any{0, 1, 2, 7, 64, 1000, 65535, 1 << 31, -1, int64(1) << 62}).Draw(t, "integer")
	case huma.TypeArray:
		all := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			all = append(all, f.value(t, s.Items, depth+1))
		}
		return all
	case huma.TypeObject:
		return f.object(t, s, depth)
	}
	return f.text(t, s)
}

func (f *fuzzer) object(t *rapid.T, s *huma.Schema, depth int) any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || rapid.IntRange(0, 3).Draw(t, name) == 0 {
			object[name] = f.value(t, s.Properties[name], depth+1)
		}
	}
	if additional, ok := s.AdditionalProperties.(*huma.Schema); ok {
		object[rapid.SampledFrom([]string{"a", "", "retry_count", "tos", "max_inline_data", strings.Repeat("k", 300)}).Draw(t, "key")] = f.value(t, additional, depth+1)
	}
	if rapid.IntRange(0, 15).Draw(t, "unknown") == 0 {
		object["unknown"] = 1
	}
	return object
}

func (f *fuzzer) text(t *rapid.T, s *huma.Schema) any {
	if len(s.Enum) > 0 {
		return rapid.SampledFrom(s.Enum).Draw(t, "word")
	}
	known := append(slices.Sorted(maps.Values(f.ids)), ia0, ia0, ia1, "10.77.0.1", "10.77.0.2", "BEST_EFFORT", "EVD_THRESHOLD", "RC", "aGk=", "0x1", "7", "a-name", "ABRUPT", "/pzs", "/endpoints/"+f.ids["endpoints"])
	return rapid.SampledFrom(known).Draw(t, "string")
}

// TestNoInputCausesAnInternalError sends bad input in every parameter and member of every call, by the document: each
// answer is a right one or a problem, never a 500, never a crash.
func TestNoInputCausesAnInternalError(t *testing.T) {
	f := newFuzzer(t)
	f.api.operations(func(method, path string, op *huma.Operation) {
		if path == "/changes/stream" {
			return
		}
		t.Run(method+strings.ReplaceAll(path, "/", "_"), func(t *testing.T) {
			f.t = t
			rapid.Check(t, func(rt *rapid.T) { f.call(rt, method, path, op) })
			f.t = t
			f.createMissing()
		})
	})
}

// call draws a request for a call, sends it, and judges the answer.
func (f *fuzzer) call(t *rapid.T, method, path string, op *huma.Operation) {
	id := f.ids[strings.Split(path, "/")[1]]
	if id == "" || rapid.IntRange(0, 9).Draw(t, "wrong id") == 0 {
		id = rapid.SampledFrom([]string{"x", "%00", "00000000-0000-7000-8000-000000000000", "%F0%9F%92%A9", ia0, "..", "%2e%2e%2f"}).Draw(t, "id")
	}
	target := strings.NewReplacer("{id}", id, "{ia}", ia0, "{version}", rapid.SampledFrom([]string{"1", "0", "x", "99999999999999999999"}).Draw(t, "version")).Replace(path)
	query, header := url.Values{}, http.Header{}
	for _, p := range op.Parameters {
		if p.Ref != "" {
			p = f.api.huma.OpenAPI().Components.Parameters[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
		}
		if p.In == "path" || rapid.IntRange(0, 9).Draw(t, p.Name) > 0 {
			continue
		}
		value := rapid.SampledFrom(badParameters).Draw(t, "parameter")
		if p.In == "query" {
			query.Add(p.Name, value)
		} else {
			header.Set(p.Name, strings.Map(func(r rune) rune { return max(r, ' ') }, value))
		}
	}
	var body []byte
	if op.RequestBody != nil {
		body = f.body(t, op)
	}
	f.send(t, method, target, query, header, body)
}

func (f *fuzzer) body(t *rapid.T, op *huma.Operation) []byte {
	media := op.RequestBody.Content[document.MediaJSON]
	if media == nil || rapid.IntRange(0, 19).Draw(t, "no JSON") == 0 {
		return []byte(rapid.SampledFrom([]string{"", "{", "nul", "\xff", `{"a":}`, `"\ud800"`, strings.Repeat("[", 20000), `{"a":1,"a":2}`}).Draw(t, "text"))
	}
	body, err := json.Marshal(f.value(t, media.Schema, 0))
	if err != nil {
		return []byte(`1e400`)
	}
	return body
}

// send fails where the answer to a request is an internal error or an incomplete problem.
func (f *fuzzer) send(t *rapid.T, method, target string, query url.Values, header http.Header, body []byte) {
	address := "http://localhost" + basePath + target
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request := httptest.NewRequest(method, address, strings.NewReader(string(body)))
	request.Header = header
	if len(body) > 0 {
		request.Header.Set("Content-Type", document.MediaJSON)
	}
	if strings.HasSuffix(target, "/data") && method == "PUT" {
		request.Header.Set("Content-Type", document.MediaOctets)
	}
	out := httptest.NewRecorder()
	f.api.Handler.ServeHTTP(out, request)
	if out.Code < 400 {
		return
	}
	var p document.Problem
	if err := json.Unmarshal(out.Body.Bytes(), &p); err != nil && method != "HEAD" || out.Code == 500 || p.Status != out.Code || p.Detail == "" {
		t.Fatalf("%s %s\nheader %v\nbody %.2000s\nanswered %d %s", method, address, header, body, out.Code, out.Body)
	}
	if (out.Code == 400 || out.Code == 422) && p.Return == nil {
		t.Fatalf("%s %s %s: no dat_return in %s", method, address, body, out.Body)
	}
}
