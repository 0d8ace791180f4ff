package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// AccessWrite is how a change of who may is made.
type AccessWrite struct {
	// Entry is the line of the audit that is written with it.
	Entry access.Entry
	// Answer, which may be nil, is stored in its commit.
	Answer *dat.KeyedAnswer
	// DryRun tries everything and leaves nothing behind.
	DryRun bool
}

// writeAccess makes a change of who may, with its line in the audit and its stored answer, in one
// transaction; both are made after change, which may still complete them. Errors are those of change, KindStoreAway, and KindOutcomeUnknown where the database
// has not confirmed it.
func (s *Store) writeAccess(ctx context.Context, w *AccessWrite, change func(tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if err := s.recorder.Away(); err != nil { // not to wait for the pool
		return err
	}
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return mapError(err)
	}
	defer rollBack(ctx, tx)
	if err := change(tx); err != nil {
		return mapError(err)
	}
	if w.DryRun {
		return nil
	}
	b := &pgx.Batch{}
	s.queueAudit(b, w.Entry)
	queueAnswer(b, w.Answer)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return mapError(err)
	}
	return mapError(commitConfirmed(ctx, tx, "the change", "look before you repeat it"))
}

// queueAnswer adds the statement that stores an answer for the repetitions of its request; nil adds none.
func queueAnswer(b *pgx.Batch, answer *dat.KeyedAnswer) {
	if answer == nil {
		return
	}
	status, header, body := answer.Make(nil)
	if status == 0 {
		return
	}
	if header == nil {
		header = map[string]string{}
	}
	if body == nil {
		body = []byte{}
	}
	b.Queue(sqlSaveAnswer, answer.Principal, answer.Method, answer.Path, answer.Key, answer.BodyHash, status, header, body, answer.From, answer.To, AnswerLifetime)
}

// readAccess runs a query about who may. While the database is away it is refused.
func readAccess[T any](ctx context.Context, s *Store, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	var all []T
	away, err := s.readUnlessAway(ctx, refusalPatience, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, sql, args...)
		if err != nil {
			return mapError(err)
		}
		all, err = pgx.CollectRows(rows, scan)
		return mapError(err)
	})
	if away {
		return nil, s.errAway()
	}
	return all, err
}

// one returns the only row of a query, or none where there is none.
func one[T any](all []T, err error, none error) (T, error) {
	var zero T
	if err != nil {
		return zero, err
	}
	if len(all) == 0 {
		return zero, none
	}
	return all[0], nil
}

// isID reports whether a text can be the id of a token or session.
func isID(id string) bool {
	_, err := uuid.Parse(id)
	return err == nil
}

// errNoSuch returns the refusal of an id or name that no token, user or session has.
func errNoSuch(what, id string) error {
	return &dat.Error{Return: dat.RetInvalidHandle, Kind: KindNoRecord, Detail: "there is no " + what + " " + quoteShort(id) + "; list them to see which there are"}
}

// changedOne returns none where a statement changed no row.
func changedOne(rows int64, err error, none error) error {
	if err == nil && rows == 0 {
		return none
	}
	return err
}

// Identity returns what tells the database from others: it stays the same as long as the database lives, whichever of
// its servers is the primary.
func (s *Store) Identity() string { return s.identity }

// readIdentity reads what Identity returns.
func readIdentity(ctx context.Context, db querier) (id string, err error) {
	err = db.QueryRow(ctx, `SELECT to_hex(system_identifier) || '-' || (SELECT oid FROM pg_database WHERE datname = current_database()) FROM pg_control_system()`).Scan(&id)
	return id, err
}

// microseconds returns a time as the database keeps it.
func microseconds(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	cut := t.UTC().Truncate(time.Microsecond)
	return &cut
}
