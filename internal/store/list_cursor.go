package store

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
)

// cursor is a place in a list: that of the last row that was read. It is opaque to
// callers.
type cursor struct {
	// For is the signature of the list; a cursor fits no other one.
	For string `json:"f"`
	// Key is the member that the list is sorted by.
	Key string `json:"k"`
	// ID breaks the ties: the id of the change that created the object, or of the
	// change itself in a list of changes.
	ID int64 `json:"i"`
}

// writeCursor returns the text of a cursor.
func writeCursor(c cursor) string {
	b, err := json.Marshal(c)
	if err != nil {
		return "" // two strings and a number can always be written
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads the cursor of the list with a signature; check, if not nil,
// returns an error for a key that cannot be. Anything else, and the cursor of
// another list, is DAT_INVALID_PARAMETER.
func readCursor(s, signature string, check func(string) error) (cursor, error) {
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		err = d.Decode(&c)
	}
	if err == nil && check != nil {
		err = check(c.Key)
	}
	if err != nil || c.ID < 0 {
		return cursor{}, badQuery("cursor", "this is no cursor of ours; take next_cursor of the page before, or leave it out")
	}
	if c.For != signature {
		return cursor{}, badQuery("cursor", "this cursor belongs to another list or order; ask for the first page again")
	}
	return c, nil
}
