package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// isWrite reports whether the verb asks for a change.
func (v verb) isWrite() bool { return v.method != http.MethodGet }

// receipt prints the line about a write that was done: `ep ost-7 created (UNCONNECTED, version 1, id …)`.
func (p *printer) receipt(body []byte, word string) error {
	object := map[string]any{}
	if len(bytes.TrimSpace(body)) > 0 {
		var err error
		if object, err = members(body); err != nil {
			return err
		}
	}
	if p.verb.secret != "" && p.verb.past == "" { // it is all there is to say
		return p.secret(object)
	}
	line := p.subject(object, word) + p.event(object)
	if details := p.details(object); len(details) > 0 {
		line += " (" + strings.Join(details, ", ") + ")"
	}
	if p.dryRun {
		line += " (dry run)"
	}
	if _, err := fmt.Fprintln(p.out, line); err != nil {
		return err
	}
	return p.secret(object)
}

// secret prints what the answer shows this once, alone on a line.
func (p *printer) secret(object map[string]any) error {
	var value any = object
	for _, name := range strings.Split(p.verb.secret, ".") {
		inner, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = inner[name]
	}
	text, ok := value.(string)
	if !ok {
		return nil
	}
	_, err := fmt.Fprintln(p.out, text)
	return err
}

// subject returns what a write was about: the object of the answer, or the one that the command line called by a word.
func (p *printer) subject(object map[string]any, word string) string {
	kind := p.noun.name
	if p.verb.of != "" {
		kind = p.verb.of
	}
	if object["id"] != nil || word == "" {
		word = calledIn(object)
	}
	return strings.TrimSpace(kind + " " + word)
}

// event returns what became of the subject.
func (p *printer) event(object map[string]any) string {
	switch {
	case object["posted"] != nil:
		return fmt.Sprintf(": %v posted", object["posted"])
	case p.verb.past != "":
		return " " + p.verb.past
	case object["state"] != nil:
		return fmt.Sprintf(" is %v", object["state"])
	default:
		return ": done"
	}
}

// details returns what else is worth knowing of an object that was written.
func (p *printer) details(object map[string]any) []string {
	var all []string
	if state, ok := object["state"].(string); ok && p.verb.past != "" {
		all = append(all, state)
	}
	for _, member := range []string{"conn_qual", "age", "version"} {
		if v := object[member]; v != nil {
			all = append(all, fmt.Sprintf("%s %v", strings.ReplaceAll(member, "_", " "), v))
		}
	}
	if name, _ := object["name"].(string); name != "" && p.verb.name == "create" && !p.dryRun && object["id"] != nil {
		all = append(all, fmt.Sprintf("id %v", object["id"]))
	}
	return all
}
