package store

import (
	"encoding/json"
	"errors"
	"maps"
)

// members are the members of a JSON object by name, not decoded.
type members map[string]json.RawMessage

// nestedObjects are the members of recorded objects whose own members are compared
// and changed one by one. Every other member changes as a whole.
var nestedObjects = map[string]bool{
	"attributes": true, "watermarks": true, "transport": true,
	"ia_attributes": true, "provider_attributes": true,
}

// bothMembers returns the members of two objects.
func bothMembers(first, second json.RawMessage) (a, b members, err error) {
	err = errors.Join(json.Unmarshal(first, &a), json.Unmarshal(second, &b))
	return a, b, err
}

// add adds a member at a path, whose last name is the member's and whose other names
// are those of the enclosing objects. A member that is there keeps its value; an
// enclosing object that is null or missing stays so.
func (m members) add(path []string, value any) error {
	name := path[0]
	if len(path) == 1 {
		if _, there := m[name]; there {
			return nil
		}
		raw, err := json.Marshal(value)
		m[name] = raw
		return err
	}
	if !isObject(m[name]) {
		return nil
	}
	var inner members
	if err := json.Unmarshal(m[name], &inner); err != nil {
		return err
	}
	if err := inner.add(path[1:], value); err != nil {
		return err
	}
	raw, err := json.Marshal(inner)
	m[name] = raw
	return err
}

// without returns the members whose names are not among those of others.
func (m members) without(others members) members {
	rest := maps.Clone(m)
	maps.DeleteFunc(rest, func(name string, _ json.RawMessage) bool { _, there := others[name]; return there })
	return rest
}

// isObject reports whether JSON is an object, as opposed to null or missing.
func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// orNull returns null for a member that is missing.
func orNull(m json.RawMessage) json.RawMessage {
	if len(m) == 0 {
		return json.RawMessage("null")
	}
	return m
}
