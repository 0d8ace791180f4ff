package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// operation is one write of a batch whose form has been checked.
type operation struct {
	// index is its place in the batch, from 0.
	index  int
	method string
	// segments are those of its path: the collection, the id, and what comes after it.
	segments []string
	body     json.RawMessage
}

// readOperations refuses the whole batch where the form of an operation is wrong, before any is carried out.
func readOperations(given []batchOperation) ([]operation, error) {
	all := make([]operation, len(given))
	for i, g := range given {
		segments := strings.Split(strings.TrimPrefix(g.Path, "/"), "/")
		if !strings.HasPrefix(g.Path, "/") || strings.ContainsAny(g.Path, "?#") || isNoOperation(segments[0]) {
			return nil, atOperation(i, document.NewProblem(document.KindInvalidMember, "The path of operation "+strconv.Itoa(i)+
				" must start with / below /api/v1, have no query, and not be /batch, or about who may: /session, /sessions, /signin-links, /tokens, /users."))
		}
		all[i] = operation{index: i, method: g.Method, segments: segments, body: json.RawMessage(g.Body)}
		for _, n := range all[i].references() {
			if n >= i {
				return nil, atOperation(i, document.NewProblem(document.KindReferenceNotReady, fmt.Sprintf("Operation %d refers to operation %d, which does not come before it.", i, n)))
			}
		}
	}
	return all, nil
}

// isNoOperation reports whether calls below a path are no operations of batches: a batch itself, and what is about
// who may, whose answers carry secrets.
func isNoOperation(collection string) bool {
	name, err := url.PathUnescape(collection)
	return err != nil || slices.Contains([]string{"batch", "session", "sessions", "signin-links", "tokens", "users"}, name)
}

// atOperation adds to a problem which operation of the batch it is about.
func atOperation(i int, p *document.Problem) *document.Problem {
	where := []document.ProblemError{{Location: "operations[" + strconv.Itoa(i) + "]", Message: p.Detail}}
	p.Errors = append(where, p.Errors...)
	return p
}

func (o operation) path() string { return "/" + strings.Join(o.segments, "/") }

// id returns the object that the operation's path names, HandleNull for a collection.
func (o operation) id() dat.Handle {
	if len(o.segments) < 2 {
		return dat.HandleNull
	}
	return dat.Handle(o.segments[1])
}

// reference is `$n.id`: the id of the object that operation n makes.
var reference = regexp.MustCompile(`^\$(\d{1,5})\.id$`)

// parseReference returns n of `$n.id`; ok is false for any other text.
func parseReference(s string) (n int, ok bool) {
	found := reference.FindStringSubmatch(s)
	if found == nil {
		return 0, false
	}
	n, err := strconv.Atoi(found[1])
	return n, err == nil
}

// references returns the operations that this one refers to, in its path and in its body.
func (o operation) references() []int {
	var all []int
	collect := func(s string) string {
		if n, ok := parseReference(s); ok {
			all = append(all, n)
		}
		return s
	}
	for _, s := range o.segments {
		collect(s)
	}
	if o.bodyMayRefer() {
		replaceReferences(o.body, collect)
	}
	return all
}

// withIDs returns the operation with its references replaced by the ids that earlier operations have made, which are
// given by operation. missing is an operation that it refers to and that made no object, -1 if there is none.
func (o operation) withIDs(made []string) (ready operation, missing int) {
	ready, missing = o, -1
	replace := func(s string) string {
		n, ok := parseReference(s)
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
	if o.bodyMayRefer() {
		ready.body = replaceReferences(o.body, replace)
	}
	return ready, missing
}

// missingReference returns the refusal of a reference to an operation that made no object.
func missingReference(n int) *document.Problem {
	return document.NewProblem(document.KindReferenceNotReady, "Operation "+strconv.Itoa(n)+" made no object that could be referred to.")
}

// bodyMayRefer reports whether the body can hold references. Most bodies cannot, and need not be decoded for them.
func (o operation) bodyMayRefer() bool { return bytes.Contains(o.body, []byte("$")) }

// bodyReference finds the strings of a JSON text that are references, and the colon after the names of members, which
// are none. Such a string needs no escape, and a quote within another string has one before it.
var bodyReference = regexp.MustCompile(`"\$\d{1,5}\.id"(\s*:)?`)

// replaceReferences returns a JSON text with every reference in it replaced; the names of members stay. It reads the text
// without decoding it, which would take many times the memory.
func replaceReferences(body json.RawMessage, replace func(string) string) json.RawMessage {
	return bodyReference.ReplaceAllFunc(body, func(found []byte) []byte {
		if found[len(found)-1] == ':' {
			return found
		}
		return encode(replace(string(found[1 : len(found)-1])))
	})
}
