package store

import (
	"context"
	"time"
)

// KeptFor is how long an answer is kept for a retry with the same Idempotency-Key.
const KeptFor = 24 * time.Hour

// KeptAnswer is the first answer to a request with an Idempotency-Key.
type KeptAnswer struct {
	// BodyHash is the hash of the request's body, to tell another body.
	BodyHash []byte
	Status   int
	Header   map[string]string
	Body     []byte
}

// Kept is the kept answer of a key, or nil. running tells that another request of
// this process holds the key. Where both are none the caller now holds the key
// until Release.
func (s *Store) Kept(ctx context.Context, principal, method, path, key string) (answer *KeptAnswer, running bool, err error) {
	return nil, false, errUnbuilt
}

// Release lets go of a key that Kept gave; call it after the answer was kept or
// when none will be.
func (s *Store) Release(principal, method, path, key string) {}

// SaveKept keeps an answer that came with no change (a refusal).
func (s *Store) SaveKept(ctx context.Context, principal, method, path, key string, a KeptAnswer) error {
	return errUnbuilt
}
