package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// members are the raw members of a JSON object by name.
type members map[string]json.RawMessage

// nested are the members of objects whose own members are changed one by one;
// every other member changes as a whole.
var nested = map[string]bool{
	"attributes": true, "watermarks": true, "transport": true,
	"ia_attributes": true, "provider_attributes": true,
}

// bookkeeping changes with every change and is none of it.
var bookkeeping = map[string]bool{"version": true, "created_at": true, "updated_at": true}

// diff tells which members differ between two bodies of one object: their
// dotted names, sorted, and the two partial objects that hold them alone.
func diff(before, after []byte) (fields []string, was, is json.RawMessage, err error) {
	return differingRaw("", before, after)
}

// differing reduces two objects to the members in which they differ.
func differing(prefix string, before, after members) (fields []string, was, is members, err error) {
	fields, was, is = []string{}, members{}, members{}
	names := slices.Sorted(maps.Keys(after))
	for name := range before {
		if _, both := after[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		b, a := orNull(before[name]), orNull(after[name])
		if bytes.Equal(b, a) || prefix == "" && bookkeeping[name] {
			continue
		}
		if prefix == "" && nested[name] && b[0] == '{' && a[0] == '{' {
			inner, wasInner, isInner, err := differingRaw(name+".", b, a)
			if err != nil {
				return nil, nil, nil, err
			}
			fields = append(fields, inner...)
			was[name], is[name] = wasInner, isInner
			continue
		}
		fields = append(fields, prefix+name)
		was[name], is[name] = b, a
	}
	return fields, was, is, nil
}

func differingRaw(prefix string, before, after json.RawMessage) (fields []string, was, is json.RawMessage, err error) {
	var b, a members
	if err := json.Unmarshal(before, &b); err != nil {
		return nil, nil, nil, err
	}
	if err := json.Unmarshal(after, &a); err != nil {
		return nil, nil, nil, err
	}
	fields, b, a, err = differing(prefix, b, a)
	if err != nil {
		return nil, nil, nil, err
	}
	if was, err = json.Marshal(b); err != nil {
		return nil, nil, nil, err
	}
	is, err = json.Marshal(a)
	return fields, was, is, err
}

// orNull is null for a member that an older program did not write.
func orNull(m json.RawMessage) json.RawMessage {
	if len(m) == 0 {
		return json.RawMessage("null")
	}
	return m
}
