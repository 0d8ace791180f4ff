package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// memberKind says how the word of a flag is converted to a member of a body.
type memberKind uint8

const (
	text    memberKind = iota // the word itself
	number                    // an integer
	boolean                   // true or false
	words                     // several words, by comma or by repeating the flag
	pairs                     // name=value, repeated; name=null removes
	blob                      // text, or @file, sent in base64
	raw                       // JSON as it is
	handle                    // an object's id, or its name
)

// member is one member of a request body, or one parameter of its query, that a flag sets.
type member struct {
	wire string // dotted path in the body
	kind memberKind
	need bool // the flag must be given
	help string
}

// required returns the member as one whose flag must be given.
func (m member) required() member {
	m.need = true
	return m
}

// flag returns the name of the flag: the last part of the path with hyphens.
func (m member) flag() string {
	last := m.wire[strings.LastIndexByte(m.wire, '.')+1:]
	return strings.ReplaceAll(last, "_", "-")
}

// register adds the flag of the member.
func (m member) register(flags *pflag.FlagSet) {
	help := m.help
	if m.need {
		help += " (required)"
	}
	switch m.kind {
	case words, pairs:
		flags.StringSlice(m.flag(), nil, help)
	default:
		flags.String(m.flag(), "", help)
	}
}

// value returns the flag's value as it stands in a body, and whether the flag was given. The word `null` is null, and
// for a number so is `infinite`, DAT's word for a watermark that never fires.
func (m member) value(flags *pflag.FlagSet) (any, bool, error) {
	f := flags.Lookup(m.flag())
	if f == nil || !f.Changed {
		return nil, false, nil
	}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		v, err := m.many(list.GetSlice())
		return v, true, err
	}
	word := f.Value.String()
	if word == "null" || (m.kind == number && word == "infinite") {
		return nil, true, nil
	}
	v, err := m.one(word)
	if err != nil {
		return nil, true, fmt.Errorf("--%s: %w", m.flag(), err)
	}
	return v, true, nil
}

// one returns the value of a flag that takes one word.
func (m member) one(word string) (any, error) {
	switch m.kind {
	case number:
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no integer", word)
		}
		return n, nil
	case boolean:
		b, err := strconv.ParseBool(word)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", word)
		}
		return b, nil
	case blob:
		return readBase64(word)
	case raw:
		if !json.Valid([]byte(word)) {
			return nil, fmt.Errorf("%q is no JSON", word)
		}
		return json.RawMessage(word), nil
	default:
		return word, nil
	}
}

// many returns the value of a flag that takes several words, or several name=value.
func (m member) many(list []string) (any, error) {
	if m.kind == words {
		return list, nil
	}
	object := make(map[string]any, len(list))
	for _, pair := range list {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("--%s: %q is not name=value", m.flag(), pair)
		}
		if value == "null" {
			object[name] = nil
		} else {
			object[name] = value
		}
	}
	return object, nil
}

// readBase64 returns the base64 of the word, or of the contents of the file name if the word is @name.
func readBase64(word string) (string, error) {
	data := []byte(word)
	if name, ok := strings.CutPrefix(word, "@"); ok {
		var err error
		if data, err = os.ReadFile(name); err != nil {
			return "", err
		}
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

// body returns the request body that the given flags make; it is nil if the verb has no members.
func body(members []member, flags *pflag.FlagSet) (map[string]any, error) {
	if members == nil {
		return nil, nil
	}
	top := map[string]any{}
	for _, m := range members {
		v, given, err := m.value(flags)
		if err != nil {
			return nil, usage(err)
		}
		if !given {
			if m.need {
				return nil, usage(fmt.Errorf("--%s is required: %s", m.flag(), m.help))
			}
			continue
		}
		put(top, strings.Split(m.wire, "."), v)
	}
	return top, nil
}

// put sets the member at path and creates the objects that enclose it.
func put(object map[string]any, path []string, value any) {
	for len(path) > 1 {
		next, ok := object[path[0]].(map[string]any)
		if !ok {
			next = map[string]any{}
			object[path[0]] = next
		}
		object, path = next, path[1:]
	}
	object[path[0]] = value
}
