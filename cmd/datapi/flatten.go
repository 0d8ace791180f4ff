package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// flat is one member of an object at any depth, by its dotted path.
type flat struct {
	path, value string
}

// decode reads JSON and does not convert numbers.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// flatten returns the members of an object in the order in which they are written; a list is one value.
func flatten(data []byte) ([]flat, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	start, err := d.Token()
	if err != nil || start != json.Delim('{') {
		return nil, errors.Join(errors.New("the answer is no object"), err)
	}
	var lines []flat
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		below, err := flattenMember(fmt.Sprint(name), value)
		if err != nil {
			return nil, err
		}
		lines = append(lines, below...)
	}
	return lines, nil
}

// flattenMember returns a member, or the members of a member that is an object.
func flattenMember(name string, value json.RawMessage) ([]flat, error) {
	if value[0] == '{' {
		below, err := flatten(value)
		if err != nil {
			return nil, err
		}
		for i := range below {
			below[i].path = name + "." + below[i].path
		}
		if len(below) > 0 {
			return below, nil
		}
	}
	var v any
	if err := decode(value, &v); err != nil {
		return nil, err
	}
	return []flat{{name, cell(v)}}, nil
}

// at returns the member at a dotted path, or nil if there is none.
func at(object map[string]any, path string) any {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return object[name]
	}
	next, ok := object[name].(map[string]any)
	if !ok {
		return nil
	}
	return at(next, rest)
}

// keysAndValues returns an object without lists and objects in it as labels are written, key=value by comma; ok is false
// for another object.
func keysAndValues(object map[string]any) (list string, ok bool) {
	var all []string
	for key, value := range object {
		switch value.(type) {
		case []any, map[string]any:
			return "", false
		}
		all = append(all, key+"="+cell(value))
	}
	slices.Sort(all)
	return strings.Join(all, ","), true
}

// cell returns a value as a table shows it: null and empty as a hyphen, lists by comma, simple objects as
// key=value, others as JSON.
func cell(v any) string {
	switch value := v.(type) {
	case nil:
		return "-"
	case string:
		if value == "" {
			return "-"
		}
		return value
	case []any:
		words := make([]string, len(value))
		for i, item := range value {
			words[i] = cell(item)
		}
		if len(words) == 0 {
			return "-"
		}
		return strings.Join(words, ",")
	case map[string]any:
		if len(value) == 0 {
			return "-"
		}
		if list, ok := keysAndValues(value); ok {
			return list
		}
		data, err := json.Marshal(value)
		if err != nil {
			return err.Error()
		}
		return string(data)
	default:
		return fmt.Sprint(value)
	}
}
