package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// matrixColumns are the tables of GET /matrix that are shown to people, with their columns.
var matrixColumns = map[string][]string{
	"parameters":      {"name", "group", "states", "kind", "limit|choices", "needs_recv_idle"},
	"transitions":     {"state", "input", "kind", "next", "event", "return", "subtype", "rule"},
	"states":          {"state", "occurs", "judged_as", "meaning"},
	"operations":      {"operation", "inputs", "meaning"},
	"inputs":          {"input", "kind", "cause"},
	"groups":          {"group", "states"},
	"events":          {"event", "stream", "kind", "meaning"},
	"streams":         {"stream", "meaning"},
	"flag_rules":      {"rule", "text"},
	"watermark_rules": {"rule", "text"},
}

// newMatrix builds the command that shows the rules by which calls are judged.
func newMatrix() *cobra.Command {
	tables := slices.Sorted(maps.Keys(matrixColumns))
	v := verb{name: "matrix", method: http.MethodGet}
	opts := &callOptions{}
	c := &cobra.Command{
		Use:   "matrix [TABLE]",
		Short: "Show the rules by which calls are judged: which parameter may be modified in which state",
		Long: "Show the rules by which calls are judged. Without TABLE it shows the parameters of an endpoint and the states in which\n" +
			"they may be modified. TABLE is one of " + strings.Join(tables, ", ") + ".\n\nWith -o json or yaml and without TABLE it prints all of them.",
		Args: usageArgs(func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && matrixColumns[args[0]] == nil {
				return fmt.Errorf("datapi matrix takes one of %s, and got %q", strings.Join(tables, ", "), args)
			}
			return nil
		}),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				tables = nil
			}
			return tables, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return showMatrix(c, v, opts, args) },
	}
	opts.register(c.Flags(), v)
	return c
}

// showMatrix prints one of the tables, or all of them for programs.
func showMatrix(c *cobra.Command, v verb, opts *callOptions, args []string) error {
	if err := opts.check(); err != nil {
		return usage(err)
	}
	cl, err := opts.client()
	if err != nil {
		return err
	}
	a, err := cl.do(c.Context(), &request{method: v.method, path: "/matrix"})
	if err != nil {
		return err
	}
	p := opts.printer(c, noun{}, v)
	if len(args) == 0 && p.format.whole() {
		return p.document(a.body)
	}
	name := "parameters"
	if len(args) > 0 {
		name = args[0]
	}
	var tables map[string]json.RawMessage
	if err := json.Unmarshal(a.body, &tables); err != nil {
		return fmt.Errorf("the answer is no object: %w", err)
	}
	if p.format.whole() {
		return p.document(tables[name])
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(tables[name], &rows); err != nil {
		return fmt.Errorf("the table %s of the answer is no list: %w", name, err)
	}
	p.columns = matrixColumns[name]
	if p.format == formatName {
		p.columns, p.plain = p.columns[:1], true
	}
	return p.table(rows)
}
