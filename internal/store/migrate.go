package store

import (
	"context"
	"log/slog"
)

// MigrateUp brings a database's schema to this program's version and returns it.
func MigrateUp(ctx context.Context, url string, log *slog.Logger) (uint, error) { return 0, errUnbuilt }

// MigrateDown takes the last n migrations back and returns the version then.
func MigrateDown(ctx context.Context, url string, n int, log *slog.Logger) (uint, error) {
	return 0, errUnbuilt
}

// MigrateVersion is a database's schema version (0 = empty) and this program's.
func MigrateVersion(ctx context.Context, url string) (is, ours uint, err error) {
	return 0, 0, errUnbuilt
}
