package document

import (
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// batchBody is a body with many parts of which each may be any JSON.
type batchBody struct {
	Atomic     bool    `json:"atomic,omitempty"`
	Operations []write `json:"operations" maxItems:"10000"`
}

type write struct {
	Method string                       `json:"method" enum:"POST,PUT"`
	Named  Nullable[map[string]*string] `json:"named,omitempty"`
	Words  []string                     `json:"words,omitempty"`
	Body   AnyJSON                      `json:"body,omitempty"`
}

// nested returns a value in depth levels around it.
func nested(depth int, open, inner, shut string) string {
	return strings.Repeat(open, depth) + inner + strings.Repeat(shut, depth)
}

// inBody returns a batch with one operation, which has a member.
func inBody(member string) string { return `{"operations":[{"method":"POST",` + member + `}]}` }

// many returns n texts that make makes of their numbers, with commas between.
func many(n int, make func(int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(make(i))
	}
	return b.String()
}

// hostileBodies are bodies that are made to be expensive, of a megabyte or more each, with the status of their refusal;
// 0 where nothing is wrong with them.
var hostileBodies = map[string]struct {
	body   string
	status int
}{
	"9,000 levels of arrays":           {inBody(`"body":` + nested(9000, "[", "", "]")), 422},
	"9,000 levels of objects":          {inBody(`"body":` + nested(9000, `{"aaaaaaaaaaaaaaaaaaaa":`, "1", "}")), 422},
	"a million levels that do not end": {strings.Repeat("[", 1<<20), 422},
	"one level too many":               {inBody(`"body":` + nested(MaxDepth-2, "[", "", "]")), 422},
	"as many levels as there may be":   {inBody(`"body":` + nested(MaxDepth-3, "[", "", "]")), 0},
	"brackets in a string":             {inBody(`"body":"` + strings.Repeat(`[{\"`, 1<<18) + `"`), 0},
	"doubled members":                  {inBody(`"body":{` + many(1<<17, func(int) string { return `"a":1` }) + `}`), 422},
	"unknown members":                  {`{` + many(1<<17, func(i int) string { return strconv.Quote(strconv.Itoa(i)) + ":1" }) + `}`, 422},
	"unknown members with dots":        {inBody(many(1<<17, func(i int) string { return `"a.b.` + strconv.Itoa(i) + `":1` })), 422},
	"named members with dots":          {inBody(`"named":{` + many(1<<17, func(i int) string { return `"a.b.` + strconv.Itoa(i) + `":1` }) + `}`), 422},
	"a name of a megabyte":             {inBody(`"` + strings.Repeat("n.", 1<<19) + `":1`), 422},
	"a named member of a megabyte":     {inBody(`"named":{"` + strings.Repeat("n.", 1<<19) + `":1}`), 422},
	"wrong items":                      {inBody(`"words":[` + many(1<<18, func(int) string { return "0" }) + `]`), 422},
	"items that are objects":           {inBody(`"words":[` + many(1<<18, func(int) string { return "{}" }) + `]`), 422},
	"too many operations":              {`{"operations":[` + many(1<<18, func(int) string { return "{}" }) + `]}`, 422},
	"any JSON with many values":        {inBody(`"body":[` + many(1<<19, func(int) string { return "0" }) + `]`), 0},
	"any JSON with many objects":       {inBody(`"body":[` + many(1<<18, func(int) string { return `{"":0}` }) + `]`), 0},
	"any JSON where none is known":     {inBody(`"method":` + nested(20, "[", many(1<<18, func(int) string { return `{"":0}` }), "]")), 422},
	"a number of a million digits":     {inBody(`"body":` + strings.Repeat("9", 1<<20)), 0},
	"a number where none may be":       {inBody(`"words":[` + strings.Repeat("9", 1<<20) + `]`), 422},
	"invalid UTF-8":                    {inBody(`"body":"` + strings.Repeat("a", 1<<20) + "\xff" + `"`), 400},
	"no JSON":                          {strings.Repeat("{", 20) + strings.Repeat("a", 1<<20), 400},
	"a string without an end":          {`{"a":"` + strings.Repeat("a", 1<<20), 400},
	"strings with NUL":                 {inBody(`"body":[` + many(1<<17, func(int) string { return `"\u0000"` }) + `]`), 422},
	"a megabyte of space":              {`{"operations":[]` + strings.Repeat(" ", 1<<20) + `}`, 0},
}

// Promise 14: whatever a body is made of, reading it takes little more memory than its text, and the answer is short.
func TestHostileBodiesCostLittle(t *testing.T) {
	const (
		times   = 32      // bytes of garbage for each byte of the text; it was 4,000 and more
		least   = 4 << 20 // bytes that any body may cost
		longest = 10_000  // bytes of the details and places of one problem
	)
	s := NewSchemas()
	schema := s.Schema(reflect.TypeFor[batchBody](), true, "")
	for name, c := range hostileBodies {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p := s.ValidateBody([]byte(c.body), schema)
			runtime.ReadMemStats(&after)
			if cost := after.TotalAlloc - before.TotalAlloc; cost > max(least, uint64(len(c.body))*times) {
				t.Errorf("%d bytes of text cost %d", len(c.body), cost)
			}
			status, said := 0, 0
			if p != nil {
				status, said = p.Status, len(p.Detail)
				for _, e := range p.Errors {
					said += len(e.Location) + len(e.Message)
				}
			}
			if status != c.status || said > longest {
				t.Errorf("status %d, not %d, with %d bytes: %.300s", status, c.status, said, p.Detail)
			}
		})
	}
}
