package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
)

// seenEvery is how exactly it is kept when a session was used last.
const seenEvery = 5 * time.Minute

// TokenOf returns the principal of a token's hash; ok is false where no token that is in force has it. Errors are
// KindStoreAway and ctx's.
func (s *Store) TokenOf(ctx context.Context, hash access.Hash) (p access.Principal, ok bool, err error) {
	all, err := s.lookUp(ctx, func(ctx context.Context) ([]access.Principal, error) {
		rows, err := s.pool.Query(ctx, selectTokens+` WHERE hash = $1 AND (expires_at IS NULL OR expires_at > now())`, hash[:])
		if err != nil {
			return nil, err
		}
		found, err := pgx.CollectRows(rows, scanToken)
		principals := make([]access.Principal, len(found))
		for i, t := range found {
			principals[i] = access.Principal{Kind: access.KindToken, ID: t.ID, Name: t.Name, Role: t.Role, Scope: t.Scope}
			if t.ExpiresAt != nil {
				principals[i].ExpiresAt = *t.ExpiresAt
			}
		}
		return principals, err
	})
	if err != nil || len(all) == 0 {
		return p, false, err
	}
	return all[0], true, nil
}

// SessionOf returns who is signed in with a cookie of the given hash, and the session's id; id is "" where no open
// session has it. It notes that the session is used. local is the hash of the token that the service was started with.
// Errors are KindStoreAway and ctx's.
func (s *Store) SessionOf(ctx context.Context, hash, local access.Hash) (p access.Principal, id string, err error) {
	all, err := s.lookUp(ctx, func(ctx context.Context) ([]access.Principal, error) {
		rows, err := s.pool.Query(ctx, selectSessions+` AND s.hash = $3`, local[:], access.SessionIdle, hash[:])
		if err != nil {
			return nil, err
		}
		found, err := pgx.CollectRows(rows, scanSession)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		id = found[0].ID
		_, err = s.pool.Exec(ctx, `UPDATE sessions SET seen_at = now() WHERE id = $1 AND seen_at < now() - $2::interval`, id, seenEvery)
		return []access.Principal{found[0].Principal}, err
	})
	if err != nil || len(all) == 0 {
		return p, "", err
	}
	return all[0], id, nil
}

// lookUp runs a query about a credential, without waiting for a database that is known to be away.
func (s *Store) lookUp(ctx context.Context, query func(context.Context) ([]access.Principal, error)) ([]access.Principal, error) {
	if err := s.recorder.Away(); err != nil {
		return nil, err
	}
	all, err := query(ctx)
	return all, mapError(err)
}
