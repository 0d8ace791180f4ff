package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

const schemaPrefix = "#/components/schemas/"

// registry makes the schemas of the document from Go types.
//
// It differs from huma's own in what the wire form of package dat needs: an
// enum is a named schema with its words, a handle, a name and a watermark may
// be null, and a pointer to a struct is that struct or null.
type registry struct {
	schemas map[string]*huma.Schema
	named   map[string]reflect.Type
}

func newRegistry() *registry {
	return &registry{schemas: map[string]*huma.Schema{}, named: map[string]reflect.Type{}}
}

// Schema gives the schema of a type, by reference where the type has a name.
func (r *registry) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	base, pointer := t, t.Kind() == reflect.Pointer
	if pointer {
		base = t.Elem()
	}
	if e, ok := enums[base]; ok {
		return nullableIf(r.enum(e), pointer || e.null)
	}
	if scalar, ok := scalars[base]; ok {
		s := scalar()
		s.Nullable = s.Nullable || pointer
		s.PrecomputeMessages()
		return s
	}
	if base.Kind() == reflect.Slice {
		if e, ok := enums[base.Elem()]; ok { // to huma a slice of bytes, whatever their name, is base64
			return &huma.Schema{Type: huma.TypeArray, Items: r.enum(e), Nullable: pointer}
		}
	}
	if base.Kind() != reflect.Struct || isProvider(base) {
		return huma.SchemaFromType(r, t)
	}
	s := r.component(base, hint)
	if !allowRef {
		return r.schemas[strings.TrimPrefix(s.Ref, schemaPrefix)]
	}
	return nullableIf(s, pointer)
}

// component defines the schema of a struct once and refers to it.
func (r *registry) component(t reflect.Type, hint string) *huma.Schema {
	name := schemaName(t, hint)
	ref := &huma.Schema{Ref: schemaPrefix + name}
	if known, ok := r.named[name]; ok {
		if known != t {
			panic(fmt.Sprintf("two types share the schema name %s: %s and %s", name, known, t))
		}
		return ref
	}
	r.named[name], r.schemas[name] = t, &huma.Schema{}
	s := huma.SchemaFromType(r, t)
	describe(name, s)
	s.PrecomputeMessages()
	r.schemas[name] = s
	return ref
}

// enum defines the schema of an enum of package dat once and refers to it.
func (r *registry) enum(e enumeration) *huma.Schema {
	if _, ok := r.schemas[e.name]; !ok {
		s := &huma.Schema{Type: huma.TypeString, Description: e.about}
		for _, word := range e.words {
			s.Enum = append(s.Enum, word)
		}
		s.PrecomputeMessages()
		r.schemas[e.name] = s
	}
	return &huma.Schema{Ref: schemaPrefix + e.name}
}

// SchemaFromRef finds a component, nil where there is none.
func (r *registry) SchemaFromRef(ref string) *huma.Schema {
	return r.schemas[strings.TrimPrefix(ref, schemaPrefix)]
}

// TypeFromRef finds the Go type of a component, nil where there is none.
func (r *registry) TypeFromRef(ref string) reflect.Type {
	return r.named[strings.TrimPrefix(ref, schemaPrefix)]
}

// Map is all components by name.
func (r *registry) Map() map[string]*huma.Schema { return r.schemas }

// RegisterTypeAlias is part of huma.Registry; this registry has no aliases.
func (r *registry) RegisterTypeAlias(t, _ reflect.Type) {
	panic(fmt.Sprintf("the schema of %s belongs in the table of scalars", t))
}

// MarshalJSON writes the components.
func (r *registry) MarshalJSON() ([]byte, error) { return json.Marshal(r.schemas) }

// initialisms begin the names of Go types in small letters and those of schemas
// in capitals.
var initialisms = []string{"pz", "evd", "srq", "lmr", "rmr", "psp", "rsp", "rdma", "ia", "cr"}

// schemaName is a Go type's name as the document writes it: PZCreate for
// pzCreate, EndpointPage for PageOf[Endpoint].
func schemaName(t reflect.Type, hint string) string {
	name := t.Name()
	if name == "" {
		name = hint
	}
	name, argument, generic := strings.Cut(name, "[")
	if !generic {
		return capitalised(name)
	}
	argument = strings.TrimSuffix(argument, "]")
	return capitalised(argument[strings.LastIndex(argument, ".")+1:]) + strings.TrimSuffix(capitalised(name), "Of")
}

func capitalised(name string) string {
	for _, short := range initialisms {
		if rest, ok := strings.CutPrefix(name, short); ok && (rest == "" || unicode.IsUpper(rune(rest[0]))) {
			return strings.ToUpper(short) + rest
		}
	}
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

func isProvider(t reflect.Type) bool {
	provider := reflect.TypeFor[huma.SchemaProvider]()
	return t.Implements(provider) || reflect.PointerTo(t).Implements(provider)
}

// nullableIf is the schema or null.
func nullableIf(s *huma.Schema, nullable bool) *huma.Schema {
	if !nullable {
		return s
	}
	return &huma.Schema{AnyOf: []*huma.Schema{s, nullSchema()}}
}

// nullSchema takes null only; the enum makes huma's validator see that too.
func nullSchema() *huma.Schema {
	return &huma.Schema{Type: "null", Enum: []any{nil}}
}

// isNullable tells whether a schema takes null.
func isNullable(s *huma.Schema) bool {
	if s.Nullable || s.Type == "null" || (s.Type == "" && s.Ref == "" && len(s.AnyOf) == 0) {
		return true
	}
	for _, one := range s.AnyOf {
		if isNullable(one) {
			return true
		}
	}
	return false
}

// enumeration is an enum of package dat as a schema.
type enumeration struct {
	name, about string
	words       []string
	// null: the value without a word is null on the wire.
	null bool
}

// enumOf lists the words of an enum by asking it for each in turn.
func enumOf[E interface {
	~uint8
	encoding.TextMarshaler
}](about string) enumeration {
	e := enumeration{name: reflect.TypeFor[E]().Name(), about: about}
	for i := 0; i < 256; i++ {
		word, err := E(i).MarshalText()
		if err != nil {
			break
		}
		e.words = append(e.words, string(word))
	}
	return e
}

// orNull leaves the first word out: that value is null on the wire.
func (e enumeration) orNull() enumeration {
	e.words, e.null = e.words[1:], true
	return e
}

var enums = map[reflect.Type]enumeration{
	reflect.TypeFor[dat.EPState]():        enumOf[dat.EPState]("DAT_EP_STATE without its prefix. Nine occur; the UNCONFIGURED_* and *_PATH names are never produced."),
	reflect.TypeFor[dat.Return]():         enumOf[dat.Return]("A DAT_RETURN."),
	reflect.TypeFor[dat.Subtype]():        enumOf[dat.Subtype]("A DAT_RETURN_SUBTYPE.").orNull(),
	reflect.TypeFor[dat.ObjectType]():     enumOf[dat.ObjectType]("The type of an object."),
	reflect.TypeFor[dat.EventNumber]():    enumOf[dat.EventNumber]("A DAT_EVENT_NUMBER.").orNull(),
	reflect.TypeFor[dat.Stream]():         enumOf[dat.Stream]("An event stream that can feed an Event Dispatcher."),
	reflect.TypeFor[dat.CompletionFlag](): enumOf[dat.CompletionFlag]("A flag of DAT_COMPLETION_FLAGS."),
	reflect.TypeFor[dat.QOS]():            enumOf[dat.QOS]("A quality of service (DAT_QOS)."),
	reflect.TypeFor[dat.ServiceType]():    enumOf[dat.ServiceType]("A DAT_SERVICE_TYPE; reliable connected is the only one."),
	reflect.TypeFor[dat.CloseFlag]():      enumOf[dat.CloseFlag]("How to disconnect: at once, or after what is outstanding is done."),
	reflect.TypeFor[dat.EPCreator]():      enumOf[dat.EPCreator]("Whether the provider can create the endpoint for a connection request."),
	reflect.TypeFor[dat.PSPFlag]():        enumOf[dat.PSPFlag]("Who creates the endpoint for a request on a PSP."),
	reflect.TypeFor[dat.MemType]():        enumOf[dat.MemType]("What a local memory region is made of."),
	reflect.TypeFor[dat.Privilege]():      enumOf[dat.Privilege]("A memory privilege."),
	reflect.TypeFor[dat.EVDMode]():        enumOf[dat.EVDMode]("How completions wake a waiter.").orNull(),
	reflect.TypeFor[dat.IAState]():        enumOf[dat.IAState]("Whether an adapter can carry connections now."),
	reflect.TypeFor[dat.SRQState]():       enumOf[dat.SRQState]("DAT_SRQ_STATE."),
	reflect.TypeFor[dat.DTOStatus]():      enumOf[dat.DTOStatus]("A DAT_DTO_COMPLETION_STATUS, of RMR binds too."),
	reflect.TypeFor[dat.DTOKind]():        enumOf[dat.DTOKind]("The operation that a completion is of."),
	reflect.TypeFor[dat.Input]():          enumOf[dat.Input]("What can happen to an endpoint: an operation of a caller or an event of the engine."),
}

var scalars = map[reflect.Type]func() *huma.Schema{
	reflect.TypeFor[dat.Handle]():    handle,
	reflect.TypeFor[dat.Name]():      func() *huma.Schema { return &huma.Schema{Type: huma.TypeString, Nullable: true} },
	reflect.TypeFor[dat.Watermark](): func() *huma.Schema { return integer(true) },
	reflect.TypeFor[dat.Time](): func() *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
	},
	reflect.TypeFor[uint32](): func() *huma.Schema { return integer(false) },
	reflect.TypeFor[int]():    func() *huma.Schema { return &huma.Schema{Type: huma.TypeInteger, Format: "int64"} },
	reflect.TypeFor[json.RawMessage](): func() *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true}
	},
	reflect.TypeFor[dat.StreamMatrix](): streamMatrix,
}

// handle is an id or null; an empty one is neither.
func handle() *huma.Schema {
	one := 1
	return &huma.Schema{Type: huma.TypeString, Nullable: true, MinLength: &one}
}

// integer is a count from 0 that fits 64 bits, so that no client narrows it.
func integer(nullable bool) *huma.Schema {
	zero := 0.0
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &zero, Nullable: nullable}
}

// streamMatrix is an object of objects of booleans over the six stream names.
func streamMatrix() *huma.Schema {
	words := enums[reflect.TypeFor[dat.Stream]()].words
	row := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Properties: map[string]*huma.Schema{}, Required: words}
	all := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Properties: map[string]*huma.Schema{}, Required: words}
	for _, word := range words {
		row.Properties[word] = &huma.Schema{Type: huma.TypeBoolean}
		all.Properties[word] = row
	}
	return all
}
