package api

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// nullable is a member that may be left out, be null, or have a value.
type nullable[T any] struct {
	present bool
	value   *T
}

// Schema is that of the value, or null.
func (nullable[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[*T](), true, "")
}

// UnmarshalJSON remembers that the member was there.
func (n *nullable[T]) UnmarshalJSON(b []byte) error {
	n.present, n.value = true, nil
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	n.value = new(T)
	return json.Unmarshal(b, n.value)
}

// name is the new name of a patch: nil leaves it, an empty one takes it away.
func nameOf(n nullable[string]) *dat.Name {
	if !n.present {
		return nil
	}
	name := dat.Name("")
	if n.value != nil {
		name = dat.Name(*n.value)
	}
	return &name
}
