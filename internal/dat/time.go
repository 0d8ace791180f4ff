package dat

import (
	"encoding/json"
	"time"
)

// Time is a moment in UTC, in microseconds on the wire (RFC 3339).
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000000Z"

// At returns t with the precision of the wire: UTC, truncated to microseconds.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

// String returns RFC 3339 in UTC with six digits of the second.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// MarshalJSON writes the JSON string of String.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads RFC 3339.
func (t *Time) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &t.Time); err != nil {
		return err
	}
	t.Time = t.UTC()
	return nil
}
