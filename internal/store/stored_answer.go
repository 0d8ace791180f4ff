package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// AnswerLifetime is how long an answer is stored for a retry with the same
// Idempotency-Key. The database's clock measures it; where that is set back, the
// answer is stored for longer.
const AnswerLifetime = 24 * time.Hour

// StoredAnswer is the first answer to a request with an Idempotency-Key, a row of
// the table kept.
type StoredAnswer struct {
	// BodyHash is the hash of the request's body, by which a retry with another body
	// is recognised.
	BodyHash []byte
	// Status is the HTTP status, 200 to 499.
	Status int
	// Header are the headers that a retry gets again; nil means none.
	Header map[string]string
	// Body is the body of the answer; nil means none.
	Body []byte
}

// answerKey identifies a stored answer.
type answerKey struct{ principal, method, path, key string }

// keyClaims are the keys of the requests that this process is working on.
type keyClaims struct {
	mu      sync.Mutex
	claimed map[answerKey]bool
}

// claim reports whether the key was free; it is claimed then.
func (k *keyClaims) claim(key answerKey) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.claimed[key] {
		return false
	}
	k.claimed[key] = true
	return true
}

// release frees a claimed key.
func (k *keyClaims) release(key answerKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.claimed, key)
}

// ClaimKey returns the stored answer to a request with this Idempotency-Key, if
// there is one. running reports that another request of this process has claimed
// the key. Without an answer, a running request and an error the caller has claimed
// the key until ReleaseKey.
func (s *Store) ClaimKey(ctx context.Context, principal, method, path, key string) (answer *StoredAnswer, running bool, err error) {
	k := answerKey{principal, method, path, key}
	if s.recorder.isKeyUndecided(k) || !s.claims.claim(k) {
		return nil, true, nil
	}
	var a StoredAnswer
	err = s.pool.QueryRow(ctx, `SELECT body_hash, status, header, body FROM kept
		WHERE principal = $1 AND method = $2 AND path = $3 AND key = $4 AND at >= now() - $5::interval`,
		principal, method, path, key, AnswerLifetime).Scan(&a.BodyHash, &a.Status, &a.Header, &a.Body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	s.claims.release(k)
	if err != nil {
		return nil, false, mapError(err)
	}
	return &a, false, nil
}

// ReleaseKey frees a key that ClaimKey claimed. It is called after the answer was
// stored, or when none will be.
func (s *Store) ReleaseKey(principal, method, path, key string) {
	s.claims.release(answerKey{principal, method, path, key})
}

// SaveAnswer stores an answer that came without a change, such as a refusal. An
// answer that is already stored is left as it is.
func (s *Store) SaveAnswer(ctx context.Context, principal, method, path, key string, a StoredAnswer) error {
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
		principal, method, path, key, a.BodyHash, a.Status, a.Header, a.Body, AnswerLifetime)
	return mapError(err)
}

// AmendAnswer replaces an answer that was committed with its change by the one that
// the caller got in the end, because it waited for the outcome or the engine refused
// after the first change. Nothing happens unless BodyHash is that of the stored one.
func (s *Store) AmendAnswer(ctx context.Context, principal, method, path, key string, a StoredAnswer) error {
	_, err := s.pool.Exec(ctx, `UPDATE kept SET status = $6, header = $7, body = $8
		WHERE principal = $1 AND method = $2 AND path = $3 AND key = $4 AND body_hash = $5`,
		principal, method, path, key, a.BodyHash, a.Status, a.Header, a.Body)
	return mapError(err)
}

// pruneAnswers deletes the answers that are older than AnswerLifetime.
func (s *Store) pruneAnswers(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM kept WHERE at < now() - $1::interval`, AnswerLifetime)
	return mapError(err)
}
