package api

import (
	"bytes"
	"encoding/json"
)

// doubledMember finds a member that is twice in one object of well-formed JSON:
// decoding would silently take the last. It tells its place, empty where there is
// none.
func doubledMember(body []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(body))
	return doubledBelow(decoder, "body")
}

// doubledBelow reads one value.
func doubledBelow(decoder *json.Decoder, at string) string {
	token, err := decoder.Token()
	if err != nil {
		return ""
	}
	switch token {
	case json.Delim('{'):
		return doubledInObject(decoder, at)
	case json.Delim('['):
		for n := 0; decoder.More(); n++ {
			if found := doubledBelow(decoder, at+"["+number(n)+"]"); found != "" {
				return found
			}
		}
		_, _ = decoder.Token() // the end of a list that was well formed
	}
	return ""
}

func doubledInObject(decoder *json.Decoder, at string) string {
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
		if found := doubledBelow(decoder, place); found != "" {
			return found
		}
	}
	_, _ = decoder.Token() // the end of an object that was well formed
	return ""
}
