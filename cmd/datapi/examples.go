package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// addExamples gives each command its example.
func addExamples(c *cobra.Command) {
	path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
	if text, ok := examples[path]; ok {
		c.Example = "  " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	for _, below := range c.Commands() {
		addExamples(below)
	}
}
var examples = map[string]string{}
