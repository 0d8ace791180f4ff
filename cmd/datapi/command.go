package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// newNoun builds the command of one type of object.
func newNoun(n noun) *cobra.Command {
	c := &cobra.Command{
		Use:   n.name,
		Short: "Act on " + n.objects,
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, v := range n.verbs {
		c.AddCommand(newVerb(n, v))
	}
	return c
}

// placeholder finds the parts of a path that positional arguments fill.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// newVerb builds the command of one call.
func newVerb(n noun, v verb) *cobra.Command {
	use := v.name
	places := placeholder.FindAllStringSubmatch(v.path, -1)
	for _, p := range places {
		use += " " + strings.ToUpper(p[1])
	}
	opts := &callOptions{}
	c := &cobra.Command{
		Use:   use,
		Short: v.help,
		Args:  usageArgs(cobra.ExactArgs(len(places))),
		RunE: func(c *cobra.Command, args []string) error {
			return callVerb(c, n, v, opts, args)
		},
	}
	opts.register(c.Flags(), v)
	for _, m := range v.query {
		m.register(c.Flags())
	}
	for _, m := range v.body {
		m.register(c.Flags())
	}
	if v.method == http.MethodGet && v.answer != octets && !n.single {
		c.Flags().Bool("watch", false, "show it again after each change, until interrupted")
	}
	if v.input {
		c.Flags().String("file", "-", "file to send; - is standard input")
	}
	return c
}

// callVerb makes the call of a verb and prints its answer.
func callVerb(c *cobra.Command, n noun, v verb, opts *callOptions, args []string) error {
	if err := opts.check(); err != nil {
		return usage(err)
	}
	cl, err := opts.client()
	if err != nil {
		return err
	}
	rq, err := buildRequest(c, v, opts)
	if err != nil {
		return err
	}
	if rq.path, err = fillPath(c.Context(), cl, n, n.path+v.path, args); err != nil {
		return err
	}
	if object, ok := rq.json.(map[string]any); ok {
		if err := fillHandles(c.Context(), cl, v.body, object); err != nil {
			return err
		}
	}
	p := &printer{out: c.OutOrStdout(), err: c.ErrOrStderr(), json: opts.output == "json", columns: columnsOf(c, n, v)}
	if watch, err := c.Flags().GetBool("watch"); err == nil && watch {
		return watchVerb(c.Context(), cl, n, v, rq, p)
	}
	a, err := cl.do(c.Context(), rq)
	if err != nil {
		return err
	}
	return p.answer(v.answer, a.body)
}

// buildRequest returns the request that the flags of a verb describe, without its path.
func buildRequest(c *cobra.Command, v verb, opts *callOptions) (*request, error) {
	rq := &request{method: v.method, header: opts.header(), query: opts.query()}
	for _, m := range v.query {
		if err := m.addTo(rq.query, c); err != nil {
			return nil, usage(err)
		}
	}
	object, err := body(v.body, c.Flags())
	if err != nil {
		return nil, err
	}
	if object != nil {
		rq.json = object
	}
	if v.input {
		rq.input, err = openInput(c)
	}
	return rq, err
}

// addTo adds the member's flag to a query. A list becomes a repeated parameter; `null` is an error.
func (m member) addTo(query url.Values, c *cobra.Command) error {
	v, given, err := m.value(c.Flags())
	if err != nil || !given {
		return err
	}
	switch value := v.(type) {
	case []string:
		query[m.wire] = value
	case int64:
		query.Set(m.wire, strconv.FormatInt(value, 10))
	case string:
		query.Set(m.wire, value)
	default:
		return fmt.Errorf("--%s takes no such value here", m.flag())
	}
	return nil
}

// openInput opens the file, or standard input, that an input verb sends.
func openInput(c *cobra.Command) (input, error) {
	name, err := c.Flags().GetString("file")
	if err != nil || name == "-" {
		return input{c.InOrStdin(), "application/octet-stream"}, err
	}
	f, err := os.Open(name)
	return input{f, "application/octet-stream"}, err
}

// columnsOf returns the members of a row that are printed: those of --fields, of the verb, or of the noun.
func columnsOf(c *cobra.Command, n noun, v verb) []string {
	if f := c.Flags().Lookup("fields"); f != nil && f.Changed {
		return strings.Split(f.Value.String(), ",")
	}
	if v.columns != nil {
		return v.columns
	}
	return n.columns
}
