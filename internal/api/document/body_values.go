package document

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// bodyCheck reads the values of a JSON text, which is well formed, beside its schema, and collects the wrong places. It
// stops where there are enough of them.
type bodyCheck struct {
	schemas *Schemas
	decoder *json.Decoder
	wrong   []ProblemError
	// unknown counts the members that no schema has.
	unknown int
	// stopped reports that the rest of the text is not read: it is refused in any case.
	stopped bool
	// inAny counts the values that take any JSON around the present one, the first of which began at anyStart.
	inAny    int
	anyStart int64
}

func (c *bodyCheck) refuse(at *place, message string) {
	c.wrong = append(c.wrong, ProblemError{Location: at.String(), Message: message})
	c.stopped = c.stopped || len(c.wrong) >= maxPlaces
}

// value judges the next value and returns what huma's validation looks at. Of alternatives huma says only that none
// of them fits; held against the one that is meant, the value's own fault is told.
func (c *bodyCheck) value(at *place, schema *huma.Schema) any {
	before := len(c.wrong)
	alternatives := schema != nil && len(schema.AnyOf) > 0
	schema, null := c.schemas.Resolve(schema)
	if takesAnyJSON(schema) {
		return c.anyJSON(at)
	}
	v := c.known(at, schema, null)
	if alternatives && v != nil && len(c.wrong) == before {
		c.wrong = append(c.wrong, placesOf(c.schemas.validate(at.String(), v, schema))...)
	}
	return v
}

// takesAnyJSON reports whether a schema, which is resolved, takes any value.
func takesAnyJSON(schema *huma.Schema) bool {
	return schema == nil || schema.Type == "" && len(schema.Properties) == 0
}

// anyJSON judges a value that may be any JSON, and keeps nothing of it.
func (c *bodyCheck) anyJSON(at *place) any {
	if c.inAny == 0 {
		c.anyStart = c.decoder.InputOffset()
	}
	c.inAny++
	c.known(at, nil, true)
	c.inAny--
	return nil
}

func (c *bodyCheck) known(at *place, schema *huma.Schema, null bool) any {
	token := c.token(at)
	switch v := token.(type) {
	case nil:
		if !null && !c.stopped {
			c.refuse(at, "must not be null; leave it out instead")
		}
	case string:
		c.checkString(at, v, schema)
	case json.Number:
		return c.number(at, v, schema)
	case json.Delim:
		if v == '[' {
			return c.array(at, schema)
		}
		return c.object(at, schema)
	}
	return token
}

// token returns the next token, or nil where the reading has stopped.
func (c *bodyCheck) token(at *place) json.Token {
	if c.stopped {
		return nil
	}
	token, err := c.decoder.Token()
	if err != nil {
		c.refuse(at, "is not JSON")
		c.stopped = true
		return nil
	}
	return token
}

func (c *bodyCheck) checkString(at *place, v string, schema *huma.Schema) {
	if strings.ContainsRune(v, 0) {
		c.refuse(at, "must not contain NUL")
	}
	if schema == nil {
		return
	}
	if v == "" && schema.MinLength != nil {
		c.refuse(at, "must not be empty: give an id, or null for DAT_HANDLE_NULL")
	}
	if limit, ok := schema.Extensions[maxBytesKey].(int); ok && len(v) > limit {
		c.refuse(at, "must have at most "+strconv.Itoa(limit)+" bytes")
	}
	if schema.ContentEncoding == "base64" {
		if _, err := base64.StdEncoding.DecodeString(v); err != nil {
			c.refuse(at, "must be base64 (RFC 4648, section 4, with padding)")
		}
	}
}

// number judges a number and returns it as huma wants it.
func (c *bodyCheck) number(at *place, v json.Number, schema *huma.Schema) any {
	if schema == nil {
		return nil
	}
	if schema.Type == huma.TypeInteger {
		if _, err := v.Int64(); err != nil {
			c.refuse(at, "must be a whole number without fraction or exponent that fits 64 bits")
		}
	}
	plain, err := v.Float64()
	if err != nil && schema.Type != huma.TypeInteger {
		c.refuse(at, "has a number that is too large")
	}
	return plain
}

// array judges the items of an array whose bracket was read. Of more than the schema takes, one too many is kept.
func (c *bodyCheck) array(at *place, schema *huma.Schema) any {
	items, limit := []any{}, -1
	var of *huma.Schema
	if schema != nil && schema.Type == huma.TypeArray {
		of, limit = schema.Items, maxItems
		if schema.MaxItems != nil {
			limit = *schema.MaxItems
		}
	}
	for n := 0; c.more(); n++ {
		item := &place{parent: at, index: n}
		if n > limit {
			c.anyJSON(item)
			continue
		}
		items = append(items, c.value(item, of))
		if n == limit && schema.MaxItems == nil {
			c.refuse(at, "must have at most "+strconv.Itoa(limit)+" items")
			c.stopped = true
		}
	}
	c.closing()
	return items
}

// more reports whether the array or object that is being read goes on.
func (c *bodyCheck) more() bool { return !c.stopped && c.decoder.More() }

// closing reads the closing bracket.
func (c *bodyCheck) closing() {
	if !c.stopped {
		_, _ = c.decoder.Token() // the text is well formed
	}
}

// object judges the members of an object whose brace was read.
func (c *bodyCheck) object(at *place, schema *huma.Schema) any {
	members, seen, named := map[string]any{}, map[string]struct{}{}, 0
	for c.more() {
		name, _ := c.token(at).(string)
		if c.stopped {
			break
		}
		member := &place{parent: at, name: name}
		if _, twice := seen[name]; twice {
			c.refuse(member, "must be there once")
		}
		if c.inAny == 0 || c.decoder.InputOffset()-c.anyStart <= maxAnyJSON {
			seen[name] = struct{}{}
		}
		if strings.ContainsRune(name, 0) {
			c.refuse(at, "must not have members with NUL in their names")
			c.anyJSON(member)
			continue
		}
		if of, known := memberOf(schema, name); known {
			members[name] = c.value(member, of)
		} else if of := additionalOf(schema); of != nil {
			named++
			c.checkName(at, schema, name, named)
			members[name] = c.value(member, of)
		} else {
			c.unknownMember(schema, member, members)
		}
	}
	c.closing()
	if takesAnyJSON(schema) {
		return nil
	}
	return members
}

// checkName judges the name of the nth member of an object that takes members of any name.
func (c *bodyCheck) checkName(at *place, schema *huma.Schema, name string, n int) {
	limit := maxNamed
	if schema.MaxProperties != nil {
		limit = *schema.MaxProperties
	}
	if n > limit {
		c.refuse(at, "must have at most "+strconv.Itoa(limit)+" members")
		c.stopped = true
		return
	}
	if rule, ok := schema.Extensions[propertyNamesKey].(*nameRule); ok && !rule.matches(name) {
		c.refuse(at, "must not have the member "+strconv.Quote(shortened(name))+": "+rule.Description)
	} else if len(name) > maxNamedLength {
		c.refuse(at, "must not have members whose names are longer than "+strconv.Itoa(maxNamedLength)+" bytes")
	}
}

// unknownMember passes over a member that the schema does not have. The first of them are left to huma, which refuses
// them; more need not be read.
func (c *bodyCheck) unknownMember(schema *huma.Schema, at *place, members map[string]any) {
	c.anyJSON(at)
	if takesAnyJSON(schema) || schema.Type != huma.TypeObject {
		return
	}
	members[shortened(at.name)] = nil
	c.unknown++
	c.stopped = c.stopped || c.unknown >= maxPlaces
}

// memberOf returns the schema of a member of its own that an object has; nil takes anything.
func memberOf(schema *huma.Schema, name string) (member *huma.Schema, known bool) {
	if schema == nil {
		return nil, true
	}
	own, ok := schema.Properties[name]
	return own, ok
}

// additionalOf returns the schema of the members of any name that an object takes, nil where it takes none.
func additionalOf(schema *huma.Schema) *huma.Schema {
	if schema == nil {
		return nil
	}
	of, _ := schema.AdditionalProperties.(*huma.Schema)
	return of
}
