// Command datapi runs DAT endpoints as a service, and is the client of such a service.
package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// version is the program's version; the linker sets it.
var version = "unknown"

func main() {
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// streams are standard input, output and error.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, std streams) int {
	root := newRoot(std)
	root.SetArgs(flagsLast(args))
	command, err := root.ExecuteContextC(ctx)
	return reportError(std.err, command, err)
}

// newRoot builds the whole command tree.
func newRoot(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "datapi",
		Short: "RDMA endpoints of DAT as a service",
		Long: "datapi runs DAT endpoints over RDMA as a service with an HTTP API and a page, and is its own client.\n\n" +
			"`datapi serve` starts the service; the commands named after DAT's objects (ep, evd, pz, …) speak to one.",
		Version:           version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: fillFromEnvironment,
		Args:              usageArgs(knownVerb),
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.AddCommand(newServe(), newMigrate(), newBackup(), newRestore(), newOpenAPI(), newHealth(), newMan())
	addClient(root)
	return root
}
