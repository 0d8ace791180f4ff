package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
)

const sqlInsertAudit = `INSERT INTO audit (id, node, actor, actor_kind, action, object, address, reason, outcome, detail, request_id)
	VALUES ($11, $1, $2, $3, $4, nullif($5, ''), $6, nullif($7, ''), $8, nullif($9, ''), $10)`

// queueAudit adds the statement that writes a line of the audit.
func (s *Store) queueAudit(b *pgx.Batch, e access.Entry) {
	b.Queue(sqlInsertAudit, s.cfg.Node, e.Actor, string(e.ActorKind), e.Action, e.Object, e.Address, e.Reason, e.Outcome, e.Detail, e.RequestID, uuid.Must(uuid.NewV7()))
}

// Audit writes lines of the audit. Errors are KindStoreAway and KindOutcomeUnknown.
func (s *Store) Audit(ctx context.Context, lines ...access.Entry) error {
	if err := s.recorder.Away(); err != nil {
		return err
	}
	b := &pgx.Batch{}
	for _, e := range lines {
		s.queueAudit(b, e)
	}
	return mapError(s.pool.SendBatch(ctx, b).Close())
}

// AuditQuery says which lines of the audit are wanted. Empty members do not restrict.
type AuditQuery struct {
	Actors, Actions, Outcomes []string
	Since, Until              time.Time
	// Before is the id of the line before which the page begins, "" for the newest.
	Before string
	// Limit is how many lines are wanted.
	Limit int
}

// AuditLines returns lines of the audit, the newest first.
func (s *Store) AuditLines(ctx context.Context, q AuditQuery) ([]access.Entry, error) {
	return readAccess(ctx, s, scanEntry, `SELECT id::text, at, node, actor, actor_kind, action, coalesce(object, ''), address, coalesce(reason, ''), outcome, coalesce(detail, ''), request_id
		FROM audit WHERE ($1::text[] IS NULL OR actor = ANY ($1)) AND ($2::text[] IS NULL OR action = ANY ($2)) AND ($3::text[] IS NULL OR outcome = ANY ($3))
			AND ($4::timestamptz IS NULL OR at >= $4) AND ($5::timestamptz IS NULL OR at <= $5) AND ($6::text = '' OR id < nullif($6, '')::uuid)
		ORDER BY id DESC LIMIT $7`, q.Actors, q.Actions, q.Outcomes, nullTime(q.Since), nullTime(q.Until), q.Before, q.Limit)
}

func scanEntry(row pgx.CollectableRow) (e access.Entry, err error) {
	err = row.Scan(&e.ID, &e.At, &e.Node, &e.Actor, &e.ActorKind, &e.Action, &e.Object, &e.Address, &e.Reason, &e.Outcome, &e.Detail, &e.RequestID)
	return e, err
}

// nullTime returns a pointer to a time, nil for the zero time.
func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
