package store

import (
	"bytes"
	"encoding/json"
	"slices"
)

// bookkeeping are the members that every change changes and that are not reported.
var bookkeeping = map[string]bool{"version": true, "created_at": true, "updated_at": true}

// diff compares two JSON objects of one recorded object. It returns the dotted names
// of the members that differ, sorted, and the partial objects that have only these.
func diff(before, after json.RawMessage) (fields []string, was, is json.RawMessage, err error) {
	return diffBelow("", before, after)
}

// diffBelow is diff for the object with a prefix: empty for the whole object, the
// name and a dot for a nested one.
func diffBelow(prefix string, before, after json.RawMessage) (fields []string, was, is json.RawMessage, err error) {
	b, a, err := bothMembers(before, after)
	if err != nil {
		return nil, nil, nil, err
	}
	if fields, b, a, err = diffMembers(prefix, b, a); err != nil {
		return nil, nil, nil, err
	}
	if was, err = json.Marshal(b); err != nil {
		return nil, nil, nil, err
	}
	is, err = json.Marshal(a)
	return fields, was, is, err
}

// diffMembers reduces two objects to the members in which they differ. A member
// that one of them lacks is null in it.
func diffMembers(prefix string, before, after members) (fields []string, was, is members, err error) {
	fields, was, is = []string{}, members{}, members{}
	var names []string
	for name := range after {
		names = append(names, name)
	}
	for name := range before.without(after) {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b, a := orNull(before[name]), orNull(after[name])
		if bytes.Equal(b, a) || prefix == "" && bookkeeping[name] {
			continue
		}
		if prefix == "" && nestedObjects[name] && isObject(b) && isObject(a) {
			inner, wasInner, isInner, err := diffBelow(name+".", b, a)
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
