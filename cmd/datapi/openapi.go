package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/datapi/datapi/internal/api"
)

// newOpenAPI builds the command that prints the API's document.
func newOpenAPI() *cobra.Command {
	var version string
	c := &cobra.Command{
		Use:   "openapi",
		Short: "Print the API's OpenAPI document as YAML",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if version != "3.0" && version != "3.1" {
				return usage(fmt.Errorf("--version %q is neither 3.0 nor 3.1", version))
			}
			document, err := api.OpenAPI(version)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(document)
			return err
		},
	}
	c.Flags().StringVar(&version, "version", "3.1", "3.1, or 3.0 without the streams")
	return c
}
