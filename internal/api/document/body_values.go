package document

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// bodyCheck reads the values of a JSON text beside its schema, and collects the wrong places. It stops where there are
// enough of them.
type bodyCheck struct {
	schemas *Schemas
	cursor  jsonCursor
	wrong   []ProblemError
	// unknown counts the members that no schema has.
	unknown int
	// stopped reports that the rest of the text is not read: it is refused in any case.
	stopped bool
	// inAny counts the values that take any JSON around the present one, the first of which began at anyStart.
	inAny, anyStart int
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
		c.anyStart = c.cursor.at
	}
	c.inAny++
	c.known(at, nil, true)
	c.inAny--
	return nil
}

// known judges a value whose schema is resolved, and returns what huma's validation looks at.
func (c *bodyCheck) known(at *place, schema *huma.Schema, null bool) any {
	switch c.cursor.next() {
	case '[':
		return c.array(at, schema)
	case '{':
		return c.object(at, schema)
	case '"':
		v := c.cursor.string()
		c.checkString(at, v, schema)
		return v
	}
	switch word := c.cursor.word(); word {
	case "null":
		if !null {
			c.refuse(at, nullRefusal(at))
		}
		return nil
	case "true", "false":
		return word == "true"
	default:
		return c.number(at, json.Number(word), schema)
	}
}

// nullRefusal says what would be right in the place of a null: of a member that must be there, a value.
func nullRefusal(at *place) string {
	if at.required {
		return "must not be null; it takes a value, which its description tells"
	}
	return "must not be null; leave it out instead"
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

// array judges the items of an array that begins here. Of more than the schema takes, one too many is kept.
func (c *bodyCheck) array(at *place, schema *huma.Schema) any {
	items, limit := []any{}, -1
	var of *huma.Schema
	if schema != nil && schema.Type == huma.TypeArray {
		of, limit = schema.Items, maxItems
		if schema.MaxItems != nil {
			limit = *schema.MaxItems
		}
	}
	item := &place{parent: at}
	c.cursor.enter()
	for n := 0; c.more(); n++ {
		item.index = n
		if limit < 0 || n > limit {
			c.anyJSON(item)
			continue
		}
		items = append(items, c.value(item, of))
		if n == limit && schema.MaxItems == nil {
			c.refuse(at, "must have at most "+strconv.Itoa(limit)+" items")
			c.stopped = true
		}
	}
	return items
}

// more reports whether the array or object that is being read goes on; where it ends it passes over its bracket.
func (c *bodyCheck) more() bool { return !c.stopped && !c.cursor.closes() }

// object judges the members of an object that begins here.
func (c *bodyCheck) object(at *place, schema *huma.Schema) any {
	var members map[string]any
	if schema != nil {
		members = map[string]any{}
	}
	var seen nameSet
	named, member := 0, &place{parent: at}
	c.cursor.enter()
	for c.more() {
		name := c.cursor.string()
		member.name = name
		if c.inAny == 0 || c.cursor.at-c.anyStart <= maxAnyJSON {
			if seen.add(name) {
				c.refuse(member, "must be there once")
			}
		}
		if strings.ContainsRune(name, 0) {
			c.refuse(at, "must not have members with NUL in their names")
			c.anyJSON(member)
			continue
		}
		if schema == nil {
			c.anyJSON(member)
		} else if own, known := schema.Properties[name]; known {
			member.required = slices.Contains(schema.Required, name)
			members[name] = c.value(member, own)
		} else if of, ok := schema.AdditionalProperties.(*huma.Schema); ok {
			named++
			member.required = false
			c.checkName(at, schema, name, named)
			members[name] = c.value(member, of)
		} else {
			c.unknownMember(schema, member, members)
		}
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
	if schema.Type == huma.TypeObject {
		members[shortened(at.name)] = nil
		c.unknown++
		c.stopped = c.stopped || c.unknown >= maxPlaces
	}
}
