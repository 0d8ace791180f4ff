package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// format is what --output says an answer is printed as.
type format string

const (
	formatTable format = "table" // for people: tables, members, one line for a write
	formatWide  format = "wide"  // tables with more columns
	formatName  format = "name"  // the names alone, or the ids of what has none
	formatJSON  format = "json"
	formatYAML  format = "yaml"
)

// formats are all of them, as the help lists them.
var formats = []string{string(formatTable), string(formatWide), string(formatName), string(formatJSON), string(formatYAML)}

// whole reports whether the answer is printed as it was received, for programs.
func (f format) whole() bool { return f == formatJSON || f == formatYAML }

// document prints a whole answer. Of several, each is a value of its own; the first one's is begun by nothing.
func (p *printer) document(body []byte) error {
	if p.format == formatJSON {
		return p.indented(body)
	}
	if p.printed {
		fmt.Fprintln(p.out, "---")
	}
	return writeYAML(p.out, body)
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

// line prints one of a stream of objects: JSON on one line, or a YAML document.
func (p *printer) line(body []byte) error {
	if p.format == formatYAML {
		fmt.Fprintln(p.out, "---")
		return writeYAML(p.out, body)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, body); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(p.out)
	return err
}

// writeYAML writes JSON, which is YAML too, in YAML's block style and with the members in their order.
func writeYAML(w io.Writer, body []byte) error {
	var document yaml.Node
	if err := yaml.Unmarshal(body, &document); err != nil {
		return err
	}
	inBlockStyle(&document)
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(&document); err != nil {
		return err
	}
	return e.Close()
}

// inBlockStyle takes braces and quotes from a node and those below it; what needs quotes is given them again.
func inBlockStyle(n *yaml.Node) {
	n.Style = 0
	for _, below := range n.Content {
		inBlockStyle(below)
	}
}
