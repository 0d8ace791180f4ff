package store

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
)

// cursor is a place in a list: the sort key and the tie-breaker of the last row
// that was read. It is opaque to callers.
type cursor struct {
	// For names the list and its order; a cursor fits no other.
	For string `json:"f"`
	Key string `json:"k"`
	ID  int64  `json:"i"`
}

func writeCursor(c cursor) string {
	b, err := json.Marshal(c)
	if err != nil {
		return "" // two strings and a number can always be written
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor takes a cursor back, for the list it was made for only.
func readCursor(s, forList string, check func(string) error) (cursor, error) {
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
	if c.For != forList {
		return cursor{}, badQuery("cursor", "this cursor belongs to another list or order; ask for the first page again")
	}
	return c, nil
}
