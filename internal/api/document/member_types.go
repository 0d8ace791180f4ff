package document

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Nullable is a member of a merge patch (RFC 7396), which may be left out, be null, or have a value. The schema of
// the member is that of T or null.
type Nullable[T any] struct {
	// Present reports whether the member was sent, as null or with a value.
	Present bool
	// Value is nil where the member was left out or null.
	Value *T
}

// Schema returns the schema of T, or null (huma.SchemaProvider).
func (Nullable[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[*T](), true, "")
}

// UnmarshalJSON reads null or a value; encoding/json calls it only where the member was sent.
func (n *Nullable[T]) UnmarshalJSON(b []byte) error {
	n.Present, n.Value = true, nil
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	n.Value = new(T)
	return json.Unmarshal(b, n.Value)
}

// AnyJSON is a member that may have any JSON value; it keeps the text as it was sent.
type AnyJSON json.RawMessage

// Schema returns the schema that takes everything (huma.SchemaProvider).
func (AnyJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// UnmarshalJSON keeps the text.
func (j *AnyJSON) UnmarshalJSON(b []byte) error {
	*j = append((*j)[:0], b...)
	return nil
}
