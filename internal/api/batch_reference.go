package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// operation is one write of a batch, read.
type operation struct {
	index    int
	method   string
	segments []string
	body     json.RawMessage
}

// reference is `$n.id`: the id that operation n made.
var reference = regexp.MustCompile(`^\$(\d{1,5})\.id$`)

// readOperations judges the form of all operations before any is carried out.
func readOperations(given []batchOperation) ([]operation, error) {
	all := make([]operation, len(given))
	for i, g := range given {
		segments := strings.Split(strings.TrimPrefix(g.Path, "/"), "/")
		if !strings.HasPrefix(g.Path, "/") || strings.ContainsAny(g.Path, "?#") || segments[0] == "batch" || segments[0] == "session" {
			return nil, atOperation(i, problemOfKind(kindInvalidMember, "The path of operation "+number(i)+
				" must start with / below /api/v1, have no query, and not be /batch or /session."))
		}
		all[i] = operation{index: i, method: g.Method, segments: segments, body: json.RawMessage(g.Body)}
		for _, n := range all[i].references() {
			if n >= i {
				return nil, atOperation(i, problemOfKind(kindReferenceNotReady, fmt.Sprintf("Operation %d refers to operation %d, which does not come before it.", i, n)))
			}
		}
	}
	return all, nil
}

// atOperation says which operation of a batch a problem belongs to.
func atOperation(i int, p *Problem) *Problem {
	where := []ProblemError{{Location: "operations[" + number(i) + "]", Message: p.Detail}}
	p.Errors = append(where, p.Errors...)
	return p
}

// references are the operations that this one refers to.
func (o operation) references() []int {
	var all []int
	note := func(s string) string {
		if n, ok := referenced(s); ok {
			all = append(all, n)
		}
		return s
	}
	for _, s := range o.segments {
		note(s)
	}
	if bytes.Contains(o.body, []byte("$")) {
		replaceStrings(decoded(o.body), note)
	}
	return all
}

func referenced(s string) (int, bool) {
	found := reference.FindStringSubmatch(s)
	if found == nil {
		return 0, false
	}
	n, err := strconv.Atoi(found[1])
	return n, err == nil
}

// resolved is the operation with its references replaced by the ids that were
// made; missing is a reference to an operation that made none.
func (o operation) resolved(made []string) (ready operation, missing int) {
	ready, missing = o, -1
	replace := func(s string) string {
		n, ok := referenced(s)
		if !ok {
			return s
		}
		if n >= len(made) || made[n] == "" {
			missing = n
			return s
		}
		return made[n]
	}
	ready.segments = make([]string, len(o.segments))
	for i, s := range o.segments {
		ready.segments[i] = replace(s)
	}
	if bytes.Contains(o.body, []byte("$")) {
		body, err := json.Marshal(replaceStrings(decoded(o.body), replace))
		if err != nil {
			panic(err) // it was JSON before
		}
		ready.body = body
	}
	return ready, missing
}

func decoded(body json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		panic(err) // the schema has let it through
	}
	return v
}

// replaceStrings gives a value with every string in it replaced.
func replaceStrings(v any, replace func(string) string) any {
	switch v := v.(type) {
	case string:
		return replace(v)
	case []any:
		for i := range v {
			v[i] = replaceStrings(v[i], replace)
		}
	case map[string]any:
		for name := range v {
			v[name] = replaceStrings(v[name], replace)
		}
	}
	return v
}

func (o operation) path() string { return "/" + strings.Join(o.segments, "/") }
