package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
)

const selectTokens = `SELECT id::text, name, role, scope, expires_at, created_at, created_by FROM tokens`

func scanToken(row pgx.CollectableRow) (t access.Token, err error) {
	var role string
	if err := row.Scan(&t.ID, &t.Name, &role, &t.Scope, &t.ExpiresAt, &t.CreatedAt, &t.CreatedBy); err != nil {
		return t, err
	}
	t.Role, err = readRole(role)
	return t, err
}

// Tokens returns all tokens in the order in which they were made.
func (s *Store) Tokens(ctx context.Context) ([]access.Token, error) {
	return readAccess(ctx, s, scanToken, selectTokens+` ORDER BY created_at, id`)
}

// whereToken selects the token with an id, or with a name.
func whereToken(id string) string {
	if isID(id) {
		return ` WHERE id = $1`
	}
	return ` WHERE name = $1`
}

// Token returns the token with an id, or with a name. The error is KindNoRecord for an unknown one.
func (s *Store) Token(ctx context.Context, id string) (access.Token, error) {
	all, err := readAccess(ctx, s, scanToken, selectTokens+whereToken(id), id)
	return one(all, err, errNoSuch("token", id))
}

// CreateToken makes a token with the given secret's hash, whose id the caller has made, and gives it CreatedAt; the answer to a dry run has
// the nil UUID. The error is KindNameTaken where another one bears the name.
func (s *Store) CreateToken(ctx context.Context, t access.Token, hash access.Hash, w AccessWrite) (access.Token, error) {
	t.ExpiresAt = microseconds(t.ExpiresAt)
	err := s.writeAccess(ctx, &w, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `INSERT INTO tokens (id, hash, name, role, scope, expires_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING created_at`,
			t.ID, hash[:], t.Name, roleWord(t.Role, t.Scope), t.Scope, t.ExpiresAt, t.CreatedBy).Scan(&t.CreatedAt)
	})
	if w.DryRun {
		t.ID = uuid.Nil.String()
	}
	return t, err
}

// ChangeToken changes the token with an id or a name as change says, which is called with the token as it is and may refuse.
func (s *Store) ChangeToken(ctx context.Context, id string, w AccessWrite, change func(*access.Token) error) error {
	return s.writeAccess(ctx, &w, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, selectTokens+whereToken(id)+` FOR UPDATE`, id)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, scanToken)
		t, err := one(found, err, errNoSuch("token", id))
		if err != nil {
			return err
		}
		if err := change(&t); err != nil {
			return err
		}
		t.ExpiresAt = microseconds(t.ExpiresAt)
		_, err = tx.Exec(ctx, `UPDATE tokens SET role = $2, scope = $3, expires_at = $4 WHERE id = $1`, t.ID, roleWord(t.Role, t.Scope), t.Scope, t.ExpiresAt)
		return err
	})
}

// DeleteToken revokes the token with an id or a name, with the sessions that were opened with it, and returns it. The
// error is KindNoRecord for an unknown one.
func (s *Store) DeleteToken(ctx context.Context, id string, w AccessWrite) (t access.Token, err error) {
	err = s.writeAccess(ctx, &w, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `DELETE FROM tokens`+whereToken(id)+` RETURNING id::text, name, role, scope, expires_at, created_at, created_by`, id)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, scanToken)
		t, err = one(found, err, errNoSuch("token", id))
		return err
	})
	return t, err
}
