package document

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// duplicateMember returns the place of the first member whose name occurs twice in one object, such as
// "body.labels.a", or "" if there is none. The body must be well-formed JSON. Go's decoder would take the last of the
// two without a word.
func duplicateMember(body []byte) string {
	return duplicateIn(json.NewDecoder(bytes.NewReader(body)), "body")
}

// duplicateIn looks for a duplicate in the decoder's next value, whose place is at.
func duplicateIn(decoder *json.Decoder, at string) string {
	token, err := decoder.Token()
	if err != nil {
		return ""
	}
	switch token {
	case json.Delim('{'):
		return duplicateInObject(decoder, at)
	case json.Delim('['):
		for n := 0; decoder.More(); n++ {
			if found := duplicateIn(decoder, at+"["+strconv.Itoa(n)+"]"); found != "" {
				return found
			}
		}
		_, _ = decoder.Token() // the closing bracket of well-formed JSON
	}
	return ""
}

// duplicateInObject looks for a duplicate in an object whose opening brace has been read.
func duplicateInObject(decoder *json.Decoder, at string) string {
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		name, isName := token.(string)
		if err != nil || !isName {
			return ""
		}
		place := at + "." + name
		if seen[name] {
			return place
		}
		seen[name] = true
		if found := duplicateIn(decoder, place); found != "" {
			return found
		}
	}
	_, _ = decoder.Token() // the closing brace of well-formed JSON
	return ""
}
