package document

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// maxPlaces is how many wrong places of a body one problem lists.
const maxPlaces = 20

// CheckBody refuses a body that is not one JSON value (400) and what the schema does not take although huma would let
// it pass (422): a member that occurs twice, null where the document has none, a number that does not fit 64 bits,
// text with NUL. It returns nil where there is nothing to refuse; the rest is huma's validation.
func (s *Schemas) CheckBody(body []byte, schema *huma.Schema) *Problem {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return notJSON(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return NewProblem(KindInvalidRequest, "The body must be one JSON value and nothing after it.")
	}
	c := bodyCheck{schemas: s}
	if at := duplicateMember(body); at != "" {
		c.refuse(at, "must be there once")
	}
	c.check("body", v, schema)
	if len(c.wrong) == 0 {
		return nil
	}
	p := NewProblem(KindInvalidMember, detailOf("", c.wrong))
	p.Errors = c.wrong
	p.Field = firstMember(c.wrong)
	return p
}

// ValidateBody refuses what CheckBody refuses and what huma's own validation does: the whole judgement of a body that
// does not come by a request of its own, such as an operation of a batch.
func (s *Schemas) ValidateBody(body []byte, schema *huma.Schema) *Problem {
	if p := s.CheckBody(body, schema); p != nil {
		return p
	}
	if wrong := s.validate("body", json.RawMessage(body), schema); len(wrong) > 0 {
		return FromHuma(http.StatusUnprocessableEntity, "validation failed", wrong)
	}
	return nil
}

// validate is huma's validation of a value, whose place is at.
func (s *Schemas) validate(at string, v any, schema *huma.Schema) []error {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was JSON before
	}
	var plain any
	if json.Unmarshal(raw, &plain) != nil {
		return []error{&huma.ErrorDetail{Location: at, Message: "has a number that is too large"}}
	}
	path, result := huma.NewPathBuffer([]byte{}, 0), &huma.ValidateResult{}
	path.Push(at)
	huma.Validate(s, schema, path, huma.ModeWriteToServer, plain, result)
	return result.Errors
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

// bodyCheck walks a body beside its schema and collects the wrong places.
type bodyCheck struct {
	schemas *Schemas
	wrong   []ProblemError
}

func (c *bodyCheck) refuse(at, message string) {
	if len(c.wrong) < maxPlaces {
		c.wrong = append(c.wrong, ProblemError{Location: at, Message: message})
	}
}

// check judges one value. Of alternatives huma says only that none of them fits; held against the one that is meant,
// the value's own fault is told.
func (c *bodyCheck) check(at string, v any, schema *huma.Schema) {
	before := len(c.wrong)
	alternatives := schema != nil && len(schema.AnyOf) > 0
	schema, null := c.schemas.Resolve(schema)
	c.checkValue(at, v, schema, null)
	if alternatives && v != nil && len(c.wrong) == before {
		c.wrong = append(c.wrong, placesOf(c.schemas.validate(at, v, schema))...)
	}
}

func (c *bodyCheck) checkValue(at string, v any, schema *huma.Schema, null bool) {
	switch v := v.(type) {
	case nil:
		if !null {
			c.refuse(at, "must not be null; leave it out instead")
		}
	case string:
		c.checkString(at, v, schema)
	case json.Number:
		c.checkNumber(at, v, schema)
	case []any:
		for i, item := range v {
			c.check(at+"["+strconv.Itoa(i)+"]", item, itemsOf(schema))
		}
	case map[string]any:
		c.checkObject(at, v, schema)
	}
}

func (c *bodyCheck) checkString(at, v string, schema *huma.Schema) {
	if strings.ContainsRune(v, 0) {
		c.refuse(at, "must not contain NUL")
	}
	if v == "" && schema != nil && schema.MinLength != nil {
		c.refuse(at, "must not be empty: give an id, or null for DAT_HANDLE_NULL")
	}
	if schema != nil && schema.ContentEncoding == "base64" {
		if _, err := base64.StdEncoding.DecodeString(v); err != nil {
			c.refuse(at, "must be base64 (RFC 4648, section 4, with padding)")
		}
	}
}

func (c *bodyCheck) checkNumber(at string, v json.Number, schema *huma.Schema) {
	if schema == nil || schema.Type != huma.TypeInteger {
		return
	}
	if _, err := v.Int64(); err != nil {
		c.refuse(at, "must be a whole number without fraction or exponent that fits 64 bits")
	}
}

func (c *bodyCheck) checkObject(at string, v map[string]any, schema *huma.Schema) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if strings.ContainsRune(name, 0) {
			c.refuse(at, "must not have members with NUL in their names")
			continue
		}
		if member, known := memberOf(schema, name); known {
			c.check(at+"."+name, v[name], member)
		}
	}
}

func itemsOf(schema *huma.Schema) *huma.Schema {
	if schema == nil {
		return nil
	}
	return schema.Items
}

// memberOf returns the schema of an object's member: its own, or that of additional members; nil takes anything.
// Unknown members are left to huma, which refuses them.
func memberOf(schema *huma.Schema, name string) (member *huma.Schema, known bool) {
	if schema == nil {
		return nil, true
	}
	if own, ok := schema.Properties[name]; ok {
		return own, true
	}
	if additional, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		return additional, true
	}
	return nil, len(schema.Properties) == 0 && schema.Type == ""
}

func notJSON(err error) *Problem {
	where := "it ends too early"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		where = "it is wrong at byte " + strconv.FormatInt(syntax.Offset, 10)
	}
	p := NewProblem(KindInvalidRequest, "The body must be JSON, but "+where+".")
	p.Errors = []ProblemError{{Location: "body", Message: "is not JSON: " + where}}
	return p
}
