package main

import "github.com/spf13/cobra"

// newWhoami builds the command that says who the caller is.
func newWhoami() *cobra.Command {
	n := noun{name: "whoami", objects: "who the caller is", path: "/whoami", single: true, columns: []string{"name", "kind", "role", "scope", "expires_at", "authenticated_by", "node"}}
	return newVerb(n, verb{name: "whoami", method: "GET", help: "Show who the service takes you for, and which node answers"})
}
