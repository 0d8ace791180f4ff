package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Loss is what a migration that is taken back deletes from one table.
type Loss struct {
	// Table is the table, and Column the column that is deleted from it; empty if the
	// whole table is, or some of its rows.
	Table, Column string
	// Some says that the table stays, without Rows of its rows.
	Some bool
	// Rows is the number of rows that have something in it, 1 or more.
	Rows int64
}

// String says what is lost, in a part of a sentence for people.
func (l Loss) String() string {
	if l.Some {
		return fmt.Sprintf("%d rows of the table %s", l.Rows, l.Table)
	}
	if l.Column == "" {
		return fmt.Sprintf("the table %s with %d rows", l.Table, l.Rows)
	}
	return fmt.Sprintf("the column %s of %s, filled in %d rows", l.Column, l.Table, l.Rows)
}

// DownLosses returns what MigrateDown with the same number would delete, and changes
// nothing: it takes the migrations back in a transaction that is rolled back. Errors are
// those of MigrateDown.
func DownLosses(ctx context.Context, url string, n int) ([]Loss, error) {
	pool, err := openForCopy(ctx, url, "datapi migrate")
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return nil, err
	}
	defer unlock()
	tx, err := pool.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer rollBack(ctx, tx)
	if err := setForCopy(ctx, tx); err != nil {
		return nil, err
	}
	present, err := knownSchema(ctx, tx)
	if err != nil {
		return nil, err
	}
	if err := checkSteps(n, present); err != nil {
		return nil, err
	}
	gone, err := goneAfter(ctx, tx, present, present-uint(n))
	if err != nil {
		return nil, err
	}
	var losses []Loss
	for _, l := range gone {
		if l.Some {
			losses = append(losses, l)
			continue
		}
		counted := "*"
		if l.Column != "" {
			counted = pgx.Identifier{l.Column}.Sanitize()
		}
		err := tx.QueryRow(ctx, `SELECT count(`+counted+`) FROM `+pgx.Identifier{l.Table}.Sanitize()).Scan(&l.Rows)
		if err != nil {
			return nil, err
		}
		if l.Rows > 0 {
			losses = append(losses, l)
		}
	}
	return losses, nil
}

// goneAfter returns the tables, and the columns of the other tables, that migrations
// take away, without their numbers of rows, and how many rows of the other tables. It leaves
// the database as it is.
func goneAfter(ctx context.Context, tx pgx.Tx, from, to uint) ([]Loss, error) {
	before, err := presentTables(ctx, tx)
	if err != nil {
		return nil, err
	}
	rows, err := countRows(ctx, tx, before)
	if err != nil {
		return nil, err
	}
	down, err := tx.Begin(ctx) // a savepoint
	if err != nil {
		return nil, err
	}
	if _, err := down.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, replaceLockTimeout.Milliseconds())); err != nil {
		return nil, err
	}
	if err := migrateWithin(ctx, down, from, to); err != nil {
		return nil, err
	}
	after, err := presentTables(ctx, down)
	if err != nil {
		return nil, err
	}
	left, err := countRows(ctx, down, after)
	if err != nil {
		return nil, err
	}
	if err := down.Rollback(ctx); err != nil {
		return nil, err
	}
	var gone []Loss
	for _, table := range before {
		i := slices.IndexFunc(after, func(t BackupTable) bool { return t.Name == table.Name })
		if i < 0 {
			gone = append(gone, Loss{Table: table.Name})
			continue
		}
		if n := rows[table.Name] - left[table.Name]; n > 0 {
			gone = append(gone, Loss{Table: table.Name, Some: true, Rows: n})
		}
		for _, column := range table.Columns {
			if !slices.Contains(after[i].Columns, column) {
				gone = append(gone, Loss{Table: table.Name, Column: column})
			}
		}
	}
	return gone, nil
}

// countRows returns the numbers of rows of tables.
func countRows(ctx context.Context, db querier, tables []BackupTable) (map[string]int64, error) {
	all := make(map[string]int64, len(tables))
	for _, table := range tables {
		var n int64
		if err := db.QueryRow(ctx, `SELECT count(*) FROM `+pgx.Identifier{table.Name}.Sanitize()).Scan(&n); err != nil {
			return nil, err
		}
		all[table.Name] = n
	}
	return all, nil
}
