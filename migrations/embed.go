// Package migrations is the schema of the store: numbered SQL files, each with the
// file that takes it back.
package migrations

import "embed"

// FS has the files, NNNN_name.up.sql and NNNN_name.down.sql.
//
//go:embed *.sql
var FS embed.FS
