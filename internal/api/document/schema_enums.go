package document

import (
	"encoding"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// enum is an enum of package dat as a schema.
type enum struct {
	name, description string
	words             []string
	// null reports that the enum's first value has no word: on the wire it is null.
	null bool
}

// enumOf lists the words of an enum by asking each value in turn for its own.
func enumOf[E interface {
	~uint8
	encoding.TextMarshaler
}](description string) enum {
	e := enum{name: reflect.TypeFor[E]().Name(), description: description}
	for i := range 256 {
		word, err := E(i).MarshalText()
		if err != nil {
			break
		}
		e.words = append(e.words, string(word))
	}
	return e
}

// orNull returns the enum with null in place of its first word.
func (e enum) orNull() enum {
	e.words, e.null = e.words[1:], true
	return e
}

// enums are the enums of package dat by type. One that is missing here is a number in the document.
var enums = map[reflect.Type]enum{
	reflect.TypeFor[dat.EPState]():        enumOf[dat.EPState]("DAT_EP_STATE without its prefix. Nine occur; the UNCONFIGURED_* and *_PATH names are never produced."),
	reflect.TypeFor[dat.Return]():         enumOf[dat.Return]("A DAT_RETURN."),
	reflect.TypeFor[dat.Subtype]():        enumOf[dat.Subtype]("A DAT_RETURN_SUBTYPE.").orNull(),
	reflect.TypeFor[dat.ObjectType]():     enumOf[dat.ObjectType]("The type of an object; node, a host, occurs in the log of changes only."),
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

// scalars are the types whose schema huma would not make as the wire has it.
var scalars = map[reflect.Type]func() *huma.Schema{
	reflect.TypeFor[dat.Handle]():       handle,
	reflect.TypeFor[dat.Name]():         func() *huma.Schema { return &huma.Schema{Type: huma.TypeString, Nullable: true} },
	reflect.TypeFor[dat.Watermark]():    func() *huma.Schema { return count(true) },
	reflect.TypeFor[dat.Time]():         func() *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: "date-time"} },
	reflect.TypeFor[uint32]():           func() *huma.Schema { return count(false) },
	reflect.TypeFor[int]():              func() *huma.Schema { return &huma.Schema{Type: huma.TypeInteger, Format: "int64"} },
	reflect.TypeFor[json.RawMessage]():  anyObject,
	reflect.TypeFor[dat.StreamMatrix](): streamMatrix,
}

// handle returns the schema of an id or null; an empty string is neither.
func handle() *huma.Schema {
	one := 1
	return &huma.Schema{Type: huma.TypeString, Nullable: true, MinLength: &one}
}

// count returns the schema of a number from 0 on. Its format is int64, so that no generated client narrows it.
func count(nullable bool) *huma.Schema {
	zero := 0.0
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &zero, Nullable: nullable}
}

// anyObject returns the schema of an object with any members, or null.
func anyObject() *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true}
}

// streamMatrix returns the schema of dat.StreamMatrix: each stream's row, which has a boolean for each stream.
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
