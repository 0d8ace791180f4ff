package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newNoun builds the command of one type of object.
func newNoun(n noun) *cobra.Command {
	c := &cobra.Command{
		Use:        n.name,
		Short:      "Act on " + n.objects,
		Args:       usageArgs(knownVerb),
		RunE:       func(c *cobra.Command, _ []string) error { return c.Help() },
		SuggestFor: []string{n.name + "s", strings.TrimPrefix(n.path, "/"), n.watched},
	}
	for _, v := range n.verbs {
		c.AddCommand(newVerb(n, v))
	}
	return c
}

// knownVerb refuses a word that is no verb of a command, and says which verbs are meant perhaps.
func knownVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	text := fmt.Sprintf("unknown command %q for %q", args[0], c.CommandPath())
	if meant := c.SuggestionsFor(args[0]); len(meant) > 0 {
		text += "; did you mean " + strings.Join(meant, ", ") + "?"
	}
	return errors.New(text)
}

// placeholder finds the parts of a path that positional arguments fill.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// places returns what the help calls the positional arguments of a verb.
func (n noun) places(v verb) []string {
	var all []string
	for _, p := range placeholder.FindAllStringSubmatch(v.path, -1) {
		place := strings.ToUpper(p[1])
		if place == "ID" && n.named {
			place = "NAME|ID"
		}
		if v.many {
			place += "..."
		}
		all = append(all, place)
	}
	return all
}

// newVerb builds the command of one call.
func newVerb(n noun, v verb) *cobra.Command {
	places := n.places(v)
	opts := &callOptions{}
	c := &cobra.Command{
		Use:        strings.Join(append([]string{v.name}, places...), " "),
		Short:      v.help,
		Aliases:    v.also,
		SuggestFor: v.suggested,
		Args:       usageArgs(exactly(places, v.many)),
		RunE: func(c *cobra.Command, args []string) error {
			return callVerb(c, n, v, opts, args)
		},
	}
	opts.register(c.Flags(), v)
	for _, m := range slices.Concat(v.query, v.body) {
		m.register(c.Flags())
	}
	if v.hasPages() {
		c.Flags().Bool("all", false, "all rows, and not only those of one answer")
	}
	if v.watchable(n) {
		c.Flags().Bool("watch", false, "show it again after each change, until interrupted")
	}
	if v.input {
		c.Flags().String("file", "-", "file to send; - is standard input")
	}
	completeVerb(c, n, v, opts)
	return c
}

// exactly returns the check of the positional arguments; where there may be many, one is the least.
func exactly(places []string, many bool) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == len(places), many && len(args) > len(places):
			return nil
		case len(places) == 0:
			return fmt.Errorf("%s takes no arguments, and got %q", called(c), args)
		case len(args) > len(places):
			return fmt.Errorf("%s takes %s, and got %q", called(c), strings.Join(places, " "), args)
		default:
			return fmt.Errorf("%s needs %s", called(c), strings.Join(places[len(args):], " "))
		}
	}
}

// called returns the words by which a command is called, without the program's own.
func called(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// hasPages reports whether the answer is a list that comes in pages.
func (v verb) hasPages() bool {
	return slices.ContainsFunc(v.query, func(m member) bool { return m.wire == "cursor" })
}

// hasPages reports whether the list of the noun's objects comes in pages.
func (n noun) hasPages() bool {
	return slices.ContainsFunc(n.verbs, func(v verb) bool { return v.name == "list" && v.hasPages() })
}

// watchable reports whether the verb has --watch.
func (v verb) watchable(n noun) bool { return !v.isWrite() && v.answer != octets && !n.single }

// columnsOf returns the members of a row that are printed: those of --fields, of the verb, or of the noun.
func columnsOf(c *cobra.Command, n noun, v verb, wide bool) []string {
	if f := c.Flags().Lookup("fields"); f != nil && f.Changed {
		return strings.Split(f.Value.String(), ",")
	}
	if v.columns != nil {
		return v.columns
	}
	if wide {
		return slices.Concat(n.columns, n.wide)
	}
	return n.columns
}
