package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// KeptFor is how long an answer is kept for a retry with the same Idempotency-Key.
const KeptFor = 24 * time.Hour

// KeptAnswer is the first answer to a request with an Idempotency-Key.
type KeptAnswer struct {
	// BodyHash is the hash of the request's body, to tell another body.
	BodyHash []byte
	// Status is 200 … 499.
	Status int
	Header map[string]string
	Body   []byte
}

type keptKey struct{ principal, method, path, key string }

// keyring holds the keys of requests that are under way in this process.
type keyring struct {
	mu   sync.Mutex
	held map[keptKey]bool
}

func (k *keyring) take(key keptKey) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held[key] {
		return false
	}
	k.held[key] = true
	return true
}

func (k *keyring) release(key keptKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.held, key)
}

// Kept is the kept answer of a key, or nil. running tells that another request of
// this process holds the key. Where both are none, and no error, the caller now
// holds the key until Release.
func (s *Store) Kept(ctx context.Context, principal, method, path, key string) (answer *KeptAnswer, running bool, err error) {
	k := keptKey{principal, method, path, key}
	if !s.keys.take(k) {
		return nil, true, nil
	}
	var a KeptAnswer
	err = s.pool.QueryRow(ctx, `SELECT body_hash, status, header, body FROM kept
		WHERE principal = $1 AND method = $2 AND path = $3 AND key = $4 AND at >= now() - $5::interval`,
		principal, method, path, key, KeptFor).Scan(&a.BodyHash, &a.Status, &a.Header, &a.Body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	s.keys.release(k)
	if err != nil {
		return nil, false, mapError(err)
	}
	return &a, false, nil
}

// Release lets go of a key that Kept gave; call it after the answer was kept or
// when none will be.
func (s *Store) Release(principal, method, path, key string) {
	s.keys.release(keptKey{principal, method, path, key})
}

// SaveKept keeps an answer that came with no change (a refusal). An answer that
// is already there stays.
func (s *Store) SaveKept(ctx context.Context, principal, method, path, key string, a KeptAnswer) error {
	if a.Header == nil {
		a.Header = map[string]string{}
	}
	if a.Body == nil {
		a.Body = []byte{}
	}
	_, err := s.pool.Exec(ctx, `INSERT INTO kept AS k (principal, method, path, key, body_hash, status, header, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT ON CONSTRAINT kept_key DO UPDATE SET body_hash = excluded.body_hash, status = excluded.status,
			header = excluded.header, body = excluded.body, at = now()
			WHERE k.at < now() - $9::interval`,
		principal, method, path, key, a.BodyHash, a.Status, a.Header, a.Body, KeptFor)
	return mapError(err)
}

// AmendKept replaces an answer that was committed with its change by the one that
// the caller got in the end: it waited for the outcome, or the engine refused
// after the first change. Only the request that the answer belongs to can do so.
func (s *Store) AmendKept(ctx context.Context, principal, method, path, key string, a KeptAnswer) error {
	_, err := s.pool.Exec(ctx, `UPDATE kept SET status = $6, header = $7, body = $8
		WHERE principal = $1 AND method = $2 AND path = $3 AND key = $4 AND body_hash = $5`,
		principal, method, path, key, a.BodyHash, a.Status, a.Header, a.Body)
	return mapError(err)
}
