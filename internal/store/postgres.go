package store

import (
	"context"
	"log/slog"
)

// Postgres is the private PostgreSQL of a service that was given no database.
type Postgres struct{}

// StartPostgres prepares the data directory, starts PostgreSQL in it and returns
// when it answers. Its errors are one clear line with the remedy.
func StartPostgres(ctx context.Context, dataDir string, log *slog.Logger) (*Postgres, error) {
	return nil, errUnbuilt
}

// URL is the connection string.
func (p *Postgres) URL() string { return "" }

// Dir is where the data lies.
func (p *Postgres) Dir() string { return "" }

// Stop ends PostgreSQL cleanly and lets go of the directory; after ctx it kills.
func (p *Postgres) Stop(ctx context.Context) error { return errUnbuilt }

// Done is closed when PostgreSQL is down for good: after Stop, or when it cannot
// be started again.
func (p *Postgres) Done() <-chan struct{} { return nil }
