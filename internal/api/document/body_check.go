package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

const (
	// MaxDepth is how many levels deep JSON may be: an object or array in another one is a level. No call needs more
	// than six; what is deeper costs its reader more with each level.
	MaxDepth = 32
	// maxPlaces is how many wrong places of a body one problem lists.
	maxPlaces = 20
	// maxItems is how many items an array may have whose schema has no bound: as many as a batch has operations.
	maxItems = 10_000
	// maxNamed is how many members an object may have that takes members of any name, where its schema has no bound, and
	// maxNamedLength how many bytes such a name may have: more than any such object of DAT or of this service.
	maxNamed       = 256
	maxNamedLength = 255
	// maxAnyJSON is in how many bytes of a member that takes any JSON members that occur twice are looked for: as many as
	// the body of a call may have. An operation of a batch with more is refused as such a call would be.
	maxAnyJSON = 1 << 20
)

// CheckedBody is a body that CheckBody has read: as much of it as its validation looks at. What its schema does not
// know or does not bound is left out, so that a body takes little more memory than its text.
type CheckedBody struct {
	value  any
	schema *huma.Schema
}

// CheckBody reads a body beside its schema. It refuses one that is not one JSON value in UTF-8 (400), that is more than
// MaxDepth levels deep, and what huma's validation would let pass or could not bear (422): a member that occurs twice,
// null where the document has none, a number that does not fit 64 bits, text with NUL, more members than can be meant.
// The rest is the validation of what it returns.
func (s *Schemas) CheckBody(body []byte, schema *huma.Schema) (*CheckedBody, *Problem) {
	if p := checkText(body); p != nil {
		return nil, p
	}
	c := bodyCheck{schemas: s, cursor: jsonCursor{text: string(body)}}
	value := c.value(&place{name: "body"}, schema)
	if len(c.wrong) == 0 {
		return &CheckedBody{value: value, schema: schema}, nil
	}
	p := NewProblem(KindInvalidMember, detailOf("", c.wrong))
	p.Errors = c.wrong
	p.Field = firstMember(c.wrong)
	return nil, p
}

// Validate is huma's validation of a body that CheckBody has let through, with huma's words.
func (s *Schemas) Validate(b *CheckedBody) *Problem {
	if wrong := s.validate("body", b.value, b.schema); len(wrong) > 0 {
		return FromHuma(http.StatusUnprocessableEntity, "validation failed", wrong)
	}
	return nil
}

// ValidateBody refuses what CheckBody and Validate refuse: the whole judgement of a body that does not come by a
// request of its own, such as an operation of a batch.
func (s *Schemas) ValidateBody(body []byte, schema *huma.Schema) *Problem {
	checked, p := s.CheckBody(body, schema)
	if p != nil {
		return p
	}
	return s.Validate(checked)
}

// validate is huma's validation of a value, whose place is at. It builds the place of everything that it looks at and
// collects all that is wrong, so that a value must be bounded by bodyCheck before.
func (s *Schemas) validate(at string, v any, schema *huma.Schema) []error {
	path, result := huma.NewPathBuffer([]byte{}, 0), &huma.ValidateResult{}
	path.Push(at)
	huma.Validate(s, schema, path, huma.ModeWriteToServer, v, result)
	return result.Errors
}

// checkText refuses what is too deep, and what is not one JSON value in UTF-8. It reads the text without building
// anything of it; the depth comes first, because it bounds what the others cost.
func checkText(body []byte) *Problem {
	if isDeeperThan(body, MaxDepth) {
		must := "must be at most " + strconv.Itoa(MaxDepth) + " levels deep"
		p := NewProblem(KindInvalidMember, "The JSON of the body "+must+"; an object or array in another one is a level.")
		p.Errors = []ProblemError{{Location: "body", Message: must}}
		return p
	}
	if !utf8.Valid(body) {
		return notJSON("it is not UTF-8 at byte " + strconv.Itoa(invalidAt(body)+1))
	}
	if json.Valid(body) {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	err := decoder.Decode(new(json.RawMessage))
	if err == nil {
		return NewProblem(KindInvalidRequest, "The body must be one JSON value and nothing after it.")
	}
	where := "it ends too early"
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		where = "it is wrong at byte " + strconv.FormatInt(syntax.Offset, 10)
	} else if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		panic(fmt.Sprintf("reading JSON from memory: %v", err))
	}
	return notJSON(where)
}

// isDeeperThan reports whether the objects and arrays of a JSON text are nested more than limit deep. Brackets within
// strings do not count; of a text that is not JSON it may report either.
func isDeeperThan(text []byte, limit int) bool {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			i++
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// invalidAt returns the place of the first byte that is not UTF-8.
func invalidAt(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	return at
}

func notJSON(where string) *Problem {
	p := NewProblem(KindInvalidRequest, "The body must be JSON, but "+where+".")
	p.Errors = []ProblemError{{Location: "body", Message: "is not JSON: " + where}}
	return p
}

// Resolve follows references, and of alternatives takes the first, which is the one that is not null. It returns nil
// if there is no schema; null reports whether null is taken.
func (s *Schemas) Resolve(schema *huma.Schema) (found *huma.Schema, null bool) {
	null = schema == nil || isNullable(schema)
	for schema != nil {
		switch {
		case schema.Ref != "":
			schema = s.SchemaFromRef(schema.Ref)
		case len(schema.AnyOf) > 0:
			schema = schema.AnyOf[0]
		default:
			return schema, null || isNullable(schema)
		}
	}
	return nil, null
}
