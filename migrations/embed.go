// Package migrations holds the schema of the store as numbered SQL files, each
// with the file that takes it back.
package migrations

import "embed"

// FS holds the files, NNNN_name.up.sql and NNNN_name.down.sql.
//
//go:embed *.sql
var FS embed.FS
