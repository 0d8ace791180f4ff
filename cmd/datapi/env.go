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

// environment gives every flag of the set a variable (`--data-dir` has DATAPI_DATA_DIR) and adds it to the flag's help.
// more holds a second variable for some flags, which is tried after the first.
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

// fillFromEnvironment sets each flag that is not on the command line from its variable, unless that is empty or not set.
// The flag's Changed stays false: it is true of what is on the command line only, which others on the machine can read.
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
