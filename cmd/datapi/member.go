package main

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// memberKind says how the word of a flag is converted to a member of a body.
type memberKind uint8

const (
	text    memberKind = iota // the word itself
	number                    // an integer
	mark                      // an integer, or infinite
	boolean                   // true or false
	toggle                    // true where the flag is given
	words                     // several words, by comma or by repeating the flag
	pairs                     // name=value, repeated; name=null removes
	blob                      // text, or @file, sent in base64
	raw                       // JSON as it is
	handle                    // an object's name, or its id
	handles                   // several of them, by comma or by repeating the flag
	moment                    // a time, or a duration before now
	numMemberKinds
)

// kindTypes are the words for the values of each kind in the help of a command.
var kindTypes = [numMemberKinds]string{
	text: "word", number: "number", mark: "number|infinite", boolean: "true|false", toggle: "bool", words: "words", pairs: "key=value", blob: "text|@file",
	raw: "json", handle: "name|id", handles: "name|id", moment: "time|ago",
}

// member is one member of a request body, or one parameter of its query, that a flag sets.
type member struct {
	wire string // dotted path in the body
	kind memberKind
	need bool // the flag must be given
	help string
	// choices are the words that it takes, where they are known and few.
	choices []string
	// flagName is the flag's name where it is not the last part of the path.
	flagName string
}

// field returns a member with the help of its flag.
func field(wire string, kind memberKind, help string) member {
	return member{wire: wire, kind: kind, help: help}
}

// required returns the member as one whose flag must be given.
func (m member) required() member {
	m.need = true
	return m
}

// of returns the member as one that takes certain words only.
func (m member) of(choices ...string) member {
	m.choices = choices
	return m
}

// enumWords returns the words of an enum of package dat, in its order.
func enumWords[E interface {
	~uint8
	encoding.TextMarshaler
}]() []string {
	var all []string
	for e := E(0); ; e++ {
		word, err := e.MarshalText()
		if err != nil {
			return all
		}
		all = append(all, string(word))
	}
}

// as returns the member with another name of its flag.
func (m member) as(flagName string) member {
	m.flagName = flagName
	return m
}

// flag returns the name of the flag: the last part of the path with hyphens, unless it has another one.
func (m member) flag() string {
	if m.flagName != "" {
		return m.flagName
	}
	last := m.wire[strings.LastIndexByte(m.wire, '.')+1:]
	return strings.ReplaceAll(last, "_", "-")
}

// about returns the help of the member, with the words that it takes.
func (m member) about() string {
	if len(m.choices) == 0 {
		return m.help
	}
	return m.help + ": " + strings.Join(m.choices, ", ")
}

// register adds the flag of the member.
func (m member) register(flags *pflag.FlagSet) {
	help := m.about()
	if m.need {
		help += " (required)"
	}
	f := flags.VarPF(&memberFlag{member: m}, m.flag(), "", help)
	if m.kind == toggle {
		f.NoOptDefVal = "true"
	}
}

// value returns the flag's value as it stands in a body, and whether the flag was given. The word `null` is null, and
// for a number so is `infinite`, DAT's word for a watermark that never fires.
func (m member) value(flags *pflag.FlagSet) (any, bool, error) {
	f := flags.Lookup(m.flag())
	if f == nil || !f.Changed {
		return nil, false, nil
	}
	if m.isList() {
		v, err := m.many(f.Value.(*memberFlag).list)
		return v, true, err
	}
	word := f.Value.String()
	if word == "null" || ((m.kind == number || m.kind == mark) && word == "infinite") {
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
	case number, mark:
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no integer", word)
		}
		return n, nil
	case boolean, toggle:
		b, err := strconv.ParseBool(word)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", word)
		}
		return b, nil
	case blob:
		return readBase64(word)
	case moment:
		return momentOf(word, time.Now())
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
	if m.kind != pairs {
		return append([]string{}, list...), nil
	}
	object := make(map[string]any, len(list))
	for _, pair := range list {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("--%s: %q is not key=value", m.flag(), pair)
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
				return nil, usage(fmt.Errorf("--%s is required: %s", m.flag(), m.about()))
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
