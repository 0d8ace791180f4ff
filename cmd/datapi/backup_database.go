package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/datapi/datapi/internal/store"
)

// postgresStopTimeout is how long an orderly stop of a private PostgreSQL that a command started may take.
const postgresStopTimeout = 30 * time.Second

// databaseFlags name the database of a service, with the flags and variables of `datapi serve`. On the command line only
// one of them may be, and it wins over the variable of the other: what is meant must be plain where data are replaced.
type databaseFlags struct{ url, dataDir string }

// register adds the flags.
func (d *databaseFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&d.url, "database-url", "", "the database of the service; none: the private PostgreSQL in --data-dir")
	c.Flags().StringVar(&d.dataDir, "data-dir", "", "data directory of the service; none: the one that serve has without the flag")
	environment(c.Flags(), map[string]string{"database-url": "DATABASE_URL"})
}

// openedDatabase is a database that can be connected to.
type openedDatabase struct {
	url string
	// name is what people call it.
	name string
	// close stops the private PostgreSQL where this command has started it.
	close func() error
}

// open finds the database. A private PostgreSQL that no service runs is started, and made where there is none and create
// is set.
func (d *databaseFlags) open(ctx context.Context, c *cobra.Command, create bool) (*openedDatabase, error) {
	if err := d.choose(c); err != nil {
		return nil, err
	}
	opened := &openedDatabase{url: d.url, name: "the database of --database-url", close: func() error { return nil }}
	if d.url != "" {
		return opened, nil
	}
	dir, err := d.directory()
	if err != nil {
		return nil, err
	}
	opened.name = dir
	url, there, running, err := store.FindPostgres(dir)
	switch {
	case err != nil:
		return nil, err
	case !there && !create:
		return nil, fmt.Errorf("there is no private PostgreSQL in %s; name the service's --data-dir, or its database with --database-url", dir)
	case running && !create:
		opened.url = url
		return opened, nil
	}
	private, err := store.StartPostgres(ctx, dir, slog.New(slog.DiscardHandler)) // refuses one that a service runs
	if err != nil {
		return nil, err
	}
	opened.url = private.URL()
	opened.close = func() error {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgresStopTimeout)
		defer cancel()
		return private.Stop(stop)
	}
	return opened, nil
}

// choose forgets the URL of a variable where a data directory is on the command line, and refuses both there.
func (d *databaseFlags) choose(c *cobra.Command) error {
	url, dir := c.Flags().Changed("database-url"), c.Flags().Changed("data-dir")
	if url && dir {
		return usage(errors.New("--database-url and --data-dir name two databases; give one"))
	}
	if dir {
		d.url = ""
	}
	return nil
}

// directory returns the data directory.
func (d *databaseFlags) directory() (string, error) {
	if d.dataDir != "" {
		return filepath.Abs(d.dataDir)
	}
	return defaultDataDir()
}
