package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const schemaPrefix = "#/components/schemas/"

// Schemas makes the schemas of the document from Go types; it is a huma.Registry.
//
// It differs from huma's own registry in what the wire form of package dat needs: an enum is a named schema with its
// words, a handle, a name and a watermark may be null, and a pointer to a struct is that struct or null. It is filled
// while the calls are registered, by one goroutine, and only read from then on.
type Schemas struct {
	components map[string]*huma.Schema
	types      map[string]reflect.Type
}

// NewSchemas returns a registry without components.
func NewSchemas() *Schemas {
	return &Schemas{components: map[string]*huma.Schema{}, types: map[string]reflect.Type{}}
}

// Schema returns the schema of a Go type (huma.Registry): where the type has a name, a reference to its component,
// which is made at the first call; with allowRef false the component itself. hint names a type that has no name.
func (s *Schemas) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	base, pointer := t, t.Kind() == reflect.Pointer
	if pointer {
		base = t.Elem()
	}
	if e, ok := enums[base]; ok {
		return orNull(s.enum(e), pointer || e.null)
	}
	if scalar, ok := scalars[base]; ok {
		schema := scalar()
		schema.Nullable = schema.Nullable || pointer
		schema.PrecomputeMessages()
		return schema
	}
	if base.Kind() == reflect.Slice {
		if e, ok := enums[base.Elem()]; ok { // huma would make base64 of it: the enums of dat are bytes
			return &huma.Schema{Type: huma.TypeArray, Items: s.enum(e), Nullable: pointer}
		}
	}
	if base.Kind() != reflect.Struct || providesSchema(base) {
		return huma.SchemaFromType(s, t)
	}
	ref := s.component(base, hint)
	if !allowRef {
		return s.SchemaFromRef(ref.Ref)
	}
	return orNull(ref, pointer)
}

// component returns a reference to the schema of a struct, which it makes at the first call.
func (s *Schemas) component(t reflect.Type, hint string) *huma.Schema {
	name := componentName(t, hint)
	ref := &huma.Schema{Ref: schemaPrefix + name}
	if known, ok := s.types[name]; ok {
		if known != t {
			panic(fmt.Sprintf("two types share the schema name %s: %s and %s", name, known, t))
		}
		return ref
	}
	s.types[name], s.components[name] = t, &huma.Schema{} // before its members, which may refer to it
	schema := huma.SchemaFromType(s, t)
	if isObject[name] {
		s.addNodeMembers(name, schema)
	}
	describe(name, schema)
	schema.PrecomputeMessages()
	s.components[name] = schema
	return ref
}

// enum returns a reference to the schema of an enum of package dat, which it makes at the first call.
func (s *Schemas) enum(e enum) *huma.Schema {
	if _, ok := s.components[e.name]; !ok {
		schema := &huma.Schema{Type: huma.TypeString, Description: e.description}
		for _, word := range e.words {
			schema.Enum = append(schema.Enum, word)
		}
		schema.PrecomputeMessages()
		s.components[e.name] = schema
	}
	return &huma.Schema{Ref: schemaPrefix + e.name}
}

// SchemaFromRef returns the component that a reference names, or nil if there is none (huma.Registry).
func (s *Schemas) SchemaFromRef(ref string) *huma.Schema {
	return s.components[strings.TrimPrefix(ref, schemaPrefix)]
}

// TypeFromRef returns the Go type of the component that a reference names, or nil if there is none (huma.Registry).
func (s *Schemas) TypeFromRef(ref string) reflect.Type {
	return s.types[strings.TrimPrefix(ref, schemaPrefix)]
}

// Map returns all components by name (huma.Registry). The caller must not change it.
func (s *Schemas) Map() map[string]*huma.Schema { return s.components }

// Members returns the names of a component's members, sorted; none if there is no such component.
func (s *Schemas) Members(component string) []string {
	schema, ok := s.components[component]
	if !ok {
		return nil
	}
	return slices.Sorted(maps.Keys(schema.Properties))
}

// RegisterTypeAlias panics (huma.Registry): this registry has no aliases.
func (s *Schemas) RegisterTypeAlias(t, _ reflect.Type) {
	panic(fmt.Sprintf("the schema of %s belongs in the table of scalars", t))
}

// MarshalJSON writes the components.
func (s *Schemas) MarshalJSON() ([]byte, error) { return json.Marshal(s.components) }

// providesSchema reports whether a type makes its schema itself.
func providesSchema(t reflect.Type) bool {
	provider := reflect.TypeFor[huma.SchemaProvider]()
	return t.Implements(provider) || reflect.PointerTo(t).Implements(provider)
}

// orNull returns the schema, or where nullable is true the schema or null.
func orNull(s *huma.Schema, nullable bool) *huma.Schema {
	if !nullable {
		return s
	}
	return &huma.Schema{AnyOf: []*huma.Schema{s, nullSchema()}}
}

// nullSchema takes null only; huma's validator looks at the enum, not at the type.
func nullSchema() *huma.Schema {
	return &huma.Schema{Type: "null", Enum: []any{nil}}
}

// isNullable reports whether a schema takes null.
func isNullable(s *huma.Schema) bool {
	takesAnything := s.Type == "" && s.Ref == "" && len(s.AnyOf) == 0
	return s.Nullable || s.Type == "null" || takesAnything || slices.ContainsFunc(s.AnyOf, isNullable)
}
