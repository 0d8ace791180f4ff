package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/datapi/datapi/internal/store"
)

// errNoDatabase is the error of `migrate` without a database.
var errNoDatabase = errors.New("no database is named: give --database-url, or set DATABASE_URL; " +
	"the private PostgreSQL of `datapi serve` is brought up to date by `datapi serve` itself")

// newMigrate builds the commands that change the schema by hand.
func newMigrate() *cobra.Command {
	var databaseURL string
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Change the database's schema by hand; `serve` brings it up by itself",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().StringVar(&databaseURL, "database-url", "", "the database")
	environment(c.PersistentFlags(), map[string]string{"database-url": "DATABASE_URL"})
	add := func(use, short string, args cobra.PositionalArgs, do func(ctx context.Context, args []string) (string, error)) *cobra.Command {
		added := &cobra.Command{
			Use: use, Short: short, Args: usageArgs(args),
			RunE: func(c *cobra.Command, args []string) error {
				if databaseURL == "" {
					return usage(errNoDatabase)
				}
				message, err := do(c.Context(), args)
				if err != nil {
					return err
				}
				fmt.Fprintln(c.OutOrStdout(), message)
				return nil
			},
		}
		c.AddCommand(added)
		return added
	}
	add("up", "Bring the schema to this program's version", cobra.NoArgs, func(ctx context.Context, _ []string) (string, error) {
		current, err := store.MigrateUp(ctx, databaseURL, slog.Default())
		return fmt.Sprintf("the schema is at version %d", current), err
	})
	var dryRun bool
	down := add("down N", "Take the last N migrations back, and say before what that deletes", cobra.ExactArgs(1), func(ctx context.Context, args []string) (string, error) {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 {
			return "", usage(fmt.Errorf("%q is no number of migrations; give 1 or more", args[0]))
		}
		losses, err := store.DownLosses(ctx, databaseURL, n)
		if err != nil {
			return "", err
		}
		if dryRun {
			return "this would delete: " + wordsOf(losses), nil
		}
		fmt.Fprintln(c.ErrOrStderr(), "this deletes: "+wordsOf(losses))
		current, err := store.MigrateDown(ctx, databaseURL, n, slog.Default())
		return fmt.Sprintf("the schema is at version %d", current), err
	})
	down.Flags().BoolVar(&dryRun, "dry-run", false, "only say what it would delete")
	add("version", "Print the schema's version and this program's", cobra.NoArgs, func(ctx context.Context, _ []string) (string, error) {
		current, wanted, err := store.MigrateVersion(ctx, databaseURL)
		return fmt.Sprintf("the schema is at version %d, this program's is %d", current, wanted), err
	})
	return c
}

// wordsOf returns what a step down deletes, in one line.
func wordsOf(losses []store.Loss) string {
	if len(losses) == 0 {
		return "nothing"
	}
	words := make([]string, len(losses))
	for i, l := range losses {
		words[i] = l.String()
	}
	return strings.Join(words, ", ")
}
