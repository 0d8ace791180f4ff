package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// callVerb makes the calls of a verb, one for each object that was named, and prints the answers.
func callVerb(c *cobra.Command, n noun, v verb, opts *callOptions, args []string) error {
	if err := opts.check(); err != nil {
		return usage(err)
	}
	if v.needsReason && opts.reason == "" {
		return usage(fmt.Errorf("%s needs --reason; it is kept with the change", called(c)))
	}
	for _, word := range args {
		if err := checkWord(n, word); err != nil {
			return err
		}
	}
	cl, err := opts.client()
	if err != nil {
		return err
	}
	rq, err := buildRequest(c, v, opts)
	if err != nil {
		return err
	}
	ctx := c.Context()
	if object, ok := rq.json.(map[string]any); ok {
		if len(object) == 0 && v.name == "modify" {
			return usage(fmt.Errorf("%s needs a flag that says what to modify", called(c)))
		}
		if err := fillHandles(ctx, cl, v.body, object); err != nil {
			return err
		}
	}
	if err := fillFilters(ctx, cl, n, v.query, rq.query); err != nil {
		return err
	}
	p := opts.printer(c, n, v)
	p.several = v.many && len(args) > 1
	run := call{cl: cl, noun: n, verb: v, request: rq, printer: p, waited: opts.wait}
	if all, err := c.Flags().GetBool("all"); err == nil && all {
		run.all = true
		if !rq.query.Has("limit") {
			rq.query.Set("limit", maxLimit)
		}
	}
	if watch, err := c.Flags().GetBool("watch"); err == nil && watch {
		return watchVerb(ctx, run, args)
	}
	if !v.many || len(args) == 1 {
		return run.of(ctx, args)
	}
	return each(args, p.err, func(word string) error { return run.of(ctx, []string{word}) })
}

// each calls do with every word. A refusal is printed on w and the next word is done; at the end the error says nothing
// more.
func each(words []string, w io.Writer, do func(word string) error) error {
	failed := false
	for _, word := range words {
		err := do(word)
		var known *exitError
		if errors.As(err, &known) && known.status != exitRefused {
			return err
		}
		if err != nil {
			failed = true
			fmt.Fprintf(w, "datapi: %s\n", about(word, err))
		}
	}
	if failed {
		return refused(errSaid)
	}
	return nil
}

// about returns an error's text together with the word that it is about.
func about(word string, err error) string {
	if strings.Contains(err.Error(), word) {
		return err.Error()
	}
	return word + ": " + err.Error()
}

// maxLimit is the most rows that one answer can have.
const maxLimit = "1000"

// call is what is the same of a verb's calls for several objects.
type call struct {
	cl      *client
	noun    noun
	verb    verb
	request *request
	printer *printer
	waited  time.Duration
	// all reports that the pages after the first are asked for too.
	all bool
}

// of makes the call with the positional arguments and prints the answer.
func (r call) of(ctx context.Context, args []string) error {
	a, err := r.ask(ctx, args)
	if err == nil && r.all {
		a, err = r.allPages(ctx, a, args)
	}
	if err != nil {
		return err
	}
	word := ""
	if len(args) > 0 {
		word = args[0]
	}
	unmet, err := r.unmet(a)
	if err != nil {
		return err
	}
	if unmet == "" || r.printer.format != formatTable || r.verb.answer == list {
		err = r.printer.answer(a.body, word)
	}
	if err == nil && unmet != "" {
		err = refused(errors.New(unmet))
	}
	return err
}

// ask makes the call with the positional arguments.
func (r call) ask(ctx context.Context, args []string) (*answer, error) {
	path, err := fillPath(ctx, r.cl, r.noun, r.noun.path+r.verb.path, args)
	if err != nil {
		return nil, err
	}
	rq := *r.request
	rq.path = path
	return r.cl.do(ctx, &rq)
}

// unmet says what is wrong with the outcome, where the call was to wait for one.
func (r call) unmet(a *answer) (string, error) {
	if r.verb.outcome == nil || r.waited == 0 || r.printer.dryRun {
		return "", nil
	}
	asked, _ := r.request.json.(map[string]any)
	return r.verb.outcome(a, asked, r.waited)
}

// buildRequest returns the request that the flags of a verb describe, without its path.
func buildRequest(c *cobra.Command, v verb, opts *callOptions) (*request, error) {
	rq := &request{method: v.method, header: opts.header(), query: opts.query()}
	for _, m := range v.query {
		if err := m.addTo(rq.query, c); err != nil {
			return nil, usage(err)
		}
		for _, word := range rq.query[m.wire] {
			if len(m.choices) > 0 && !slices.Contains(m.choices, word) {
				return nil, usage(fmt.Errorf("--%s %q is none of %s", m.flag(), word, strings.Join(m.choices, ", ")))
			}
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
		if len(value) == 0 {
			return fmt.Errorf("--%s is empty; leave it out for all", m.flag())
		}
		query[m.wire] = slices.Clone(value)
	case int64:
		query.Set(m.wire, strconv.FormatInt(value, 10))
	case bool:
		query.Set(m.wire, strconv.FormatBool(value))
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
	if err != nil {
		return input{}, usage(fmt.Errorf("--file: %w", err))
	}
	return input{f, "application/octet-stream"}, nil
}
