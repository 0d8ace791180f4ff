package main

import (
	"slices"

	"github.com/spf13/cobra"
)

// The groups in which the help lists the commands.
const (
	groupObjects = "objects"
	groupService = "service"
)

// serviceNouns are those that are about the service, and not about objects.
var serviceNouns = []string{nodeNoun.name, retentionNoun.name, tokenNoun.name, userNoun.name, sessionNoun.name, auditNoun.name}

// addClient adds the client's commands to those that run the service, and to all of them examples and what a shell
// completes.
func addClient(root *cobra.Command) {
	root.AddGroup(&cobra.Group{ID: groupObjects, Title: "Objects and what happens to them:"}, &cobra.Group{ID: groupService, Title: "The service:"})
	for _, c := range root.Commands() {
		c.GroupID = groupService
	}
	for _, n := range nouns() {
		group := groupObjects
		if slices.Contains(serviceNouns, n.name) {
			group = groupService
		}
		root.AddCommand(inGroup(newNoun(n), group))
	}
	root.AddCommand(inGroup(newBatch(), groupObjects), inGroup(newMatrix(), groupObjects), inGroup(newWhoami(), groupService),
		inGroup(newVerb(signInNoun, signInNoun.verbs[0]), groupService))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args = usageArgs(knownVerb)
		completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	addExamples(root)
	completeRest(root)
	showApart(root)
}

// inGroup returns the command as one of a group.
func inGroup(c *cobra.Command, group string) *cobra.Command {
	c.GroupID = group
	return c
}
