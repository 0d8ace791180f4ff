package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envKey is the annotation of a flag that holds the names of its environment variables, in order of preference.
const envKey = "datapi-environment"

// environment gives every flag of the set its variable (`--data-dir` has DATAPI_DATA_DIR) and says so in its
// help. More names of one flag are tried after its own.
func environment(flags *pflag.FlagSet, more map[string]string) {
	flags.VisitAll(func(f *pflag.Flag) {
		names := []string{"DATAPI_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))}
		if name, ok := more[f.Name]; ok {
			names = append(names, name)
		}
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[envKey] = names
		f.Usage += " [" + strings.Join(names, ", ") + "]"
	})
}

// fillFromEnvironment sets each flag that the command line left out from its variable. An empty variable is none.
// Changed stays false of such a flag: it tells what came from the command line, which others on the machine can read.
func fillFromEnvironment(c *cobra.Command, _ []string) error {
	var wrong error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || wrong != nil {
			return
		}
		for _, name := range f.Annotations[envKey] {
			value := os.Getenv(name)
			if value == "" {
				continue
			}
			if err := f.Value.Set(value); err != nil {
				wrong = usage(fmt.Errorf("environment variable %s: %w", name, err))
			}
			return
		}
	})
	return wrong
}
