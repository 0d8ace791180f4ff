package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan builds the command that writes the manual pages for packages. It is hidden: who has the program has its help.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "Write a manual page for each command into a directory",
		Args:   usageArgs(cobra.ExactArgs(1)),
		Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			c.Root().DisableAutoGenTag = true // a page has no date of its own
			header := &doc.GenManHeader{Title: "DATAPI", Section: "1", Source: "datapi " + version, Manual: "datapi"}
			return doc.GenManTree(c.Root(), header, args[0])
		},
	}
}
