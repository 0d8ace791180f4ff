package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// printer prints answers: as tables for people, or as the JSON that was received.
type printer struct {
	out, err io.Writer
	format   format
	columns  []string
	// noun and verb are what the answer is about.
	noun noun
	verb verb
	// dryRun reports that nothing happened, plain that tables have no heading, several that answers about other objects come
	// too.
	dryRun, plain, several bool
	// printed reports that an answer was printed before.
	printed bool
}

// answer prints the answer about an object, which the command line called by a word.
func (p *printer) answer(body []byte, word string) error {
	defer func() { p.printed = true }()
	kind := p.verb.answer
	empty := len(bytes.TrimSpace(body)) == 0
	switch {
	case kind == octets:
		_, err := p.out.Write(body)
		return err
	case p.format.whole() && empty:
		return nil
	case p.format.whole():
		return p.document(body)
	case kind == list:
		return p.list(body)
	case p.format == formatName:
		return p.names([]json.RawMessage{body}, word)
	case p.format == formatWide && !empty:
		return p.table([]json.RawMessage{body})
	case p.verb.isWrite():
		return p.receipt(body, word)
	default:
		return p.object(body, word)
	}
}

// page is the answer to a list, the events of a queue, or the checks of an adapter.
type page struct {
	Items  []json.RawMessage `json:"items"`
	Events []json.RawMessage `json:"events"`
	Checks []json.RawMessage `json:"checks"`
	Next   *string           `json:"next_cursor"`
	Total  *int64            `json:"total"`
}

// list prints the rows of a list, and on the error stream what there is besides.
func (p *printer) list(body []byte) error {
	var found page
	if err := json.Unmarshal(body, &found); err != nil {
		return fmt.Errorf("the answer is no list: %w", err)
	}
	rows := slices.Concat(found.Items, found.Events, found.Checks)
	var err error
	switch {
	case p.format == formatName:
		err = p.names(rows, "")
	case len(rows) == 0:
		fmt.Fprintln(p.err, p.none())
	default:
		err = p.table(rows)
	}
	if err != nil {
		return err
	}
	if found.Total != nil {
		fmt.Fprintf(p.err, "%d in all\n", *found.Total)
	}
	if found.Next != nil {
		fmt.Fprintf(p.err, "there are more: --cursor %s, or --all\n", *found.Next)
	}
	return nil
}

// none returns what is said of an empty list.
func (p *printer) none() string {
	if p.verb.columns != nil {
		return "nothing there"
	}
	return "no " + p.noun.objects
}

// table prints rows below the names of their columns; those only once.
func (p *printer) table(rows []json.RawMessage) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	if !p.printed {
		p.heading(w)
	}
	for _, item := range rows {
		if err := p.row(w, item); err != nil {
			return err
		}
	}
	return w.Flush()
}

// heading prints the names of the columns.
func (p *printer) heading(w io.Writer) {
	if p.plain {
		return
	}
	names := make([]string, len(p.columns))
	for i, c := range p.columns {
		first, _, _ := strings.Cut(c, "|")
		first = strings.TrimPrefix(strings.TrimPrefix(first, "ia_attributes."), "attributes.")
		names[i] = strings.ToUpper(strings.ReplaceAll(first, ".", " "))
	}
	fmt.Fprintln(w, strings.Join(names, "\t"))
}

// row prints one row.
func (p *printer) row(w io.Writer, item []byte) error {
	object, err := members(item)
	if err != nil {
		return err
	}
	cells := make([]string, len(p.columns))
	for i, c := range p.columns {
		for path := range strings.SplitSeq(c, "|") {
			if cells[i] = oneLine(cell(at(object, path))); cells[i] != cell(nil) {
				break
			}
		}
	}
	_, err = fmt.Fprintln(w, strings.Join(cells, "\t"))
	return err
}

// members returns the members of an encoded object.
func members(item []byte) (map[string]any, error) {
	var object map[string]any
	if err := decode(item, &object); err != nil {
		return nil, fmt.Errorf("a row of the answer is no object: %w", err)
	}
	return object, nil
}

// oneLine returns a text without what would break a table.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", " ", "\x1b", `\x1b`).Replace(s)
}

// names prints what each object is called; an answer that names nothing is about what the command line called by a word.
func (p *printer) names(rows []json.RawMessage, word string) error {
	for _, item := range rows {
		called := word
		if len(bytes.TrimSpace(item)) > 0 {
			object, err := members(item)
			if err != nil {
				return err
			}
			if word == "" || object["id"] != nil {
				called = calledIn(object)
			}
		}
		fmt.Fprintln(p.out, called)
	}
	return nil
}

// calledIn returns the name of an object, the id where it has no name, and "" where it has neither.
func calledIn(object map[string]any) string {
	for _, path := range []string{"name", "id", "number", "version", "event"} {
		if v := at(object, path); v != nil && v != "" {
			return cell(v)
		}
	}
	return ""
}

// object prints every member of an object on a line of its own, in the order in which they were received. One of several
// that does not say what it is about has a line that says so.
func (p *printer) object(body []byte, word string) error {
	lines, err := flatten(body)
	if err != nil {
		return err
	}
	if p.several && !slices.ContainsFunc(lines, func(l flat) bool { return l.path == "id" }) {
		lines = slices.Insert(lines, 0, flat{p.noun.name, word})
	}
	if p.printed {
		fmt.Fprintln(p.out)
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t%s\n", l.path, oneLine(l.value))
	}
	return w.Flush()
}
