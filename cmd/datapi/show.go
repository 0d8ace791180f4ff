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
	json     bool
	columns  []string
}

// answer prints one answer.
func (p *printer) answer(kind answerKind, body []byte) error {
	switch {
	case kind == octets:
		_, err := p.out.Write(body)
		return err
	case len(bytes.TrimSpace(body)) == 0:
		if !p.json {
			fmt.Fprintln(p.out, "done")
		}
		return nil
	case p.json:
		return p.indented(body)
	case kind == list:
		return p.table(body)
	default:
		return p.object(body)
	}
}

// indented prints JSON on several lines.
func (p *printer) indented(body []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(body), "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(p.out)
	return err
}

// line prints JSON on one line, for a stream of objects.
func (p *printer) line(body []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, body); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(p.out)
	return err
}

// page is the answer to a list, the events of a queue, or the checks of an adapter.
type page struct {
	Items  []json.RawMessage `json:"items"`
	Events []json.RawMessage `json:"events"`
	Checks []json.RawMessage `json:"checks"`
	Next   *string           `json:"next_cursor"`
}

// table prints the rows of a list, and on the error stream the cursor of the next ones.
func (p *printer) table(body []byte) error {
	var list page
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("the answer is no list: %w", err)
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	p.heading(w)
	for _, item := range slices.Concat(list.Items, list.Events, list.Checks) {
		if err := p.row(w, item); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if list.Next != nil {
		fmt.Fprintf(p.err, "there are more: --cursor %s\n", *list.Next)
	}
	return nil
}

// heading prints the names of the columns.
func (p *printer) heading(w io.Writer) {
	names := make([]string, len(p.columns))
	for i, c := range p.columns {
		first, _, _ := strings.Cut(c, "|")
		names[i] = strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(first, "ia_attributes."), ".", " "))
	}
	fmt.Fprintln(w, strings.Join(names, "\t"))
}

// row prints one row.
func (p *printer) row(w io.Writer, item []byte) error {
	var object map[string]any
	if err := decode(item, &object); err != nil {
		return fmt.Errorf("a row of the answer is no object: %w", err)
	}
	cells := make([]string, len(p.columns))
	for i, c := range p.columns {
		for path := range strings.SplitSeq(c, "|") {
			if cells[i] = cell(at(object, path)); cells[i] != cell(nil) {
				break
			}
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(cells, "\t"))
	return err
}

// object prints every member of an object on a line of its own, in the order in which they were received.
func (p *printer) object(body []byte) error {
	lines, err := flatten(body)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t%s\n", l.path, l.value)
	}
	return w.Flush()
}
