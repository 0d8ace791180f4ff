package api

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// strictness walks a value beside its schema.
type strictness struct {
	schemas *registry
	places  []ProblemError
}

func (s *strictness) refuse(at, message string) {
	if len(s.places) < 20 {
		s.places = append(s.places, ProblemError{Location: at, Message: message})
	}
}

func (s *strictness) check(at string, v any, schema *huma.Schema) {
	before := len(s.places)
	alternatives := schema != nil && len(schema.AnyOf) > 0
	schema, null := s.resolve(schema)
	s.checkValue(at, v, schema, null)
	if alternatives && v != nil && len(s.places) == before {
		s.places = append(s.places, placesOf(validated(s.schemas, schema, at, v))...)
	}
}

// validated holds a value against a schema as huma does. Of alternatives huma says
// only that none fits; asked for the one that is meant, it says why.
func validated(schemas *registry, schema *huma.Schema, at string, v any) []error {
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
	huma.Validate(schemas, schema, path, huma.ModeWriteToServer, plain, result)
	return result.Errors
}

func (s *strictness) checkValue(at string, v any, schema *huma.Schema, null bool) {
	switch v := v.(type) {
	case nil:
		if !null {
			s.refuse(at, "must not be null; leave it out instead")
		}
	case string:
		s.checkString(at, v, schema)
	case json.Number:
		s.checkNumber(at, v, schema)
	case []any:
		for i, one := range v {
			s.check(at+"["+strconv.Itoa(i)+"]", one, itemsOf(schema))
		}
	case map[string]any:
		s.checkObject(at, v, schema)
	}
}

func (s *strictness) checkString(at, v string, schema *huma.Schema) {
	if strings.ContainsRune(v, 0) {
		s.refuse(at, "must not contain NUL")
	}
	if v == "" && schema != nil && schema.MinLength != nil {
		s.refuse(at, "must not be empty: give an id, or null for DAT_HANDLE_NULL")
	}
	if schema != nil && schema.ContentEncoding == "base64" {
		if _, err := base64.StdEncoding.DecodeString(v); err != nil {
			s.refuse(at, "must be base64 (RFC 4648, section 4, with padding)")
		}
	}
}

func (s *strictness) checkNumber(at string, v json.Number, schema *huma.Schema) {
	if schema == nil || schema.Type != huma.TypeInteger {
		return
	}
	if _, err := v.Int64(); err != nil {
		s.refuse(at, "must be a whole number without fraction or exponent that fits 64 bits")
	}
}

func (s *strictness) checkObject(at string, v map[string]any, schema *huma.Schema) {
	for _, name := range sortedKeys(v) {
		if strings.ContainsRune(name, 0) {
			s.refuse(at, "must not have members with NUL in their names")
			continue
		}
		if below, known := memberOf(schema, name); known {
			s.check(at+"."+name, v[name], below)
		}
	}
}

// resolve follows references; null tells whether null is allowed.
func (s *strictness) resolve(schema *huma.Schema) (found *huma.Schema, null bool) {
	null = schema == nil || isNullable(schema)
	for schema != nil {
		switch {
		case schema.Ref != "":
			schema = s.schemas.SchemaFromRef(schema.Ref)
		case len(schema.AnyOf) > 0:
			schema = schema.AnyOf[0]
		default:
			return schema, null || isNullable(schema)
		}
	}
	return nil, null
}

func itemsOf(schema *huma.Schema) *huma.Schema {
	if schema == nil {
		return nil
	}
	return schema.Items
}

// memberOf is the schema of a member: its own or that of additional ones. A
// member that the schema does not know is huma's to refuse.
func memberOf(schema *huma.Schema, name string) (*huma.Schema, bool) {
	if schema == nil {
		return nil, true
	}
	if below, ok := schema.Properties[name]; ok {
		return below, true
	}
	if below, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		return below, true
	}
	return nil, len(schema.Properties) == 0 && schema.Type == ""
}
