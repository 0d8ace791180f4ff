package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sharedFlags are those that all calls have, or all writes.
var sharedFlags = []string{
	"url", "token-file", "ca-file", "output", "no-headers", "if-match", "reason", "idempotency-key", "dry-run", "help",
}

// localFlags is the part of cobra's help that lists a command's flags, between its beginning and its end.
const (
	localFlagsBegin = "{{if .HasAvailableLocalFlags}}"
	localFlagsEnd   = "{{end}}"
)

// showApart lets the help of the client's commands list the flags of every call below those of the command.
func showApart(root *cobra.Command) {
	cobra.AddTemplateFunc("flagSections", flagSections)
	before, rest, found := strings.Cut(root.UsageTemplate(), localFlagsBegin)
	_, after, ends := strings.Cut(rest, localFlagsEnd)
	if found && ends {
		root.SetUsageTemplate(before + "{{flagSections .}}" + after)
	}
}

// flagSections returns the part of a command's help that lists its flags.
func flagSections(c *cobra.Command) string {
	own, shared := pflag.NewFlagSet("own", pflag.ContinueOnError), pflag.NewFlagSet("shared", pflag.ContinueOnError)
	isCall := c.Flags().Lookup("url") != nil
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if isCall && slices.Contains(sharedFlags, f.Name) {
			shared.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	return flagSection("Flags", own) + flagSection("Flags of every call", shared)
}

// flagSection returns one list of flags below its title, nothing where it has none.
func flagSection(title string, flags *pflag.FlagSet) string {
	if !flags.HasAvailableFlags() {
		return ""
	}
	return "\n\n" + title + ":\n" + strings.TrimRight(flags.FlagUsages(), " \n")
}
