package dat

import (
	"bytes"
	"encoding/json"
	"strconv"
)

var jsonNull = []byte("null")

// Handle identifies an object of this service: an opaque string, UUIDv7 except
// for an IA, whose handle is `<ia name>@<node name>`.
//
// The empty handle is DAT_HANDLE_NULL and null on the wire.
type Handle string

// HandleNull is DAT_HANDLE_NULL.
const HandleNull Handle = ""

// MarshalJSON writes null for HandleNull.
func (h Handle) MarshalJSON() ([]byte, error) {
	if h == HandleNull {
		return jsonNull, nil
	}
	return json.Marshal(string(h))
}

// UnmarshalJSON reads a string or null.
func (h *Handle) UnmarshalJSON(b []byte) error {
	var s string // stays empty for null
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*h = Handle(s)
	return nil
}

// Name is a consumer's own word for an object: 1–63 of `a-z 0-9 . _ -`.
//
// The empty name is none, and null on the wire.
type Name string

// MarshalJSON writes null for no name.
func (n Name) MarshalJSON() ([]byte, error) { return Handle(n).MarshalJSON() }

// UnmarshalJSON reads a string or null.
func (n *Name) UnmarshalJSON(b []byte) error { return (*Handle)(n).UnmarshalJSON(b) }

// Watermark is a count of Recv buffers, or WatermarkInfinite.
//
// Allowed values are WatermarkInfinite and 0 … 2^31-1 (W17, W18). Infinite is
// null on the wire. Source: dat_ep_set_watermark.
type Watermark int32

// WatermarkInfinite is DAT_WATERMARK_INFINITE, the default: not interested (W2).
const WatermarkInfinite Watermark = -1

// Finite reports whether the mark can fire at all.
func (w Watermark) Finite() bool { return w != WatermarkInfinite }

// MarshalJSON writes null for WatermarkInfinite.
func (w Watermark) MarshalJSON() ([]byte, error) {
	if !w.Finite() {
		return jsonNull, nil
	}
	return strconv.AppendInt(nil, int64(w), 10), nil
}

// UnmarshalJSON reads a number or null.
func (w *Watermark) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, jsonNull) {
		*w = WatermarkInfinite
		return nil
	}
	var n int32
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*w = Watermark(n)
	return nil
}

// nullable writes an enum whose zero value has no word and is null.
func nullable[E ~uint8](names []string, e E) ([]byte, error) {
	if e == 0 {
		return jsonNull, nil
	}
	t, err := textOf(names, e)
	if err != nil {
		return nil, err
	}
	return json.Marshal(string(t))
}

// parseNullable reads what nullable writes.
func parseNullable[E ~uint8](names []string, b []byte, into *E) error {
	if bytes.Equal(b, jsonNull) {
		*into = 0
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	return parse(names, []byte(s), into)
}

// MarshalJSON writes null for EventNone.
func (e EventNumber) MarshalJSON() ([]byte, error) { return nullable(eventNumberNames[:], e) }

// UnmarshalJSON reads a DAT constant or null.
func (e *EventNumber) UnmarshalJSON(b []byte) error {
	return parseNullable(eventNumberNames[:], b, e)
}

// MarshalJSON writes null for ModeNone.
func (m EVDMode) MarshalJSON() ([]byte, error) { return nullable(evdModeNames[:], m) }

// UnmarshalJSON reads a mode or null.
func (m *EVDMode) UnmarshalJSON(b []byte) error { return parseNullable(evdModeNames[:], b, m) }

// MarshalJSON writes null for SubNone.
func (s Subtype) MarshalJSON() ([]byte, error) { return nullable(subtypeNames[:], s) }

// UnmarshalJSON reads a DAT constant or null.
func (s *Subtype) UnmarshalJSON(b []byte) error { return parseNullable(subtypeNames[:], b, s) }
