package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// AnswerLifetime is how long an answer is stored for a retry with the same
// Idempotency-Key. The database's clock measures it; where that is set back, the
// answer is stored for longer.
const AnswerLifetime = 24 * time.Hour

// AnswerKey identifies a request with an Idempotency-Key, and its stored answer.
type AnswerKey struct{ Principal, Method, Path, Key string }

// StoredAnswer is the first answer to a request with an Idempotency-Key or, of a
// batch that goes on after a refusal, a part of it. It is a row of the table kept.
type StoredAnswer struct {
	// BodyHash is the hash of the request's body, by which a retry with another body
	// is recognised.
	BodyHash []byte
	// Status is the HTTP status, 200 to 499.
	Status int
	// Header are the headers that a retry gets again; nil means none.
	Header map[string]string
	// Body is the body of the answer; nil means none. A part without a body says that
	// its operations may have been carried out.
	Body []byte
	// From and To say that this is a part: it has the results of the operations from
	// From up to, but not including, To. Both are 0 for a whole answer.
	From, To int
}

// IsPart reports whether the answer is a part of one.
func (a StoredAnswer) IsPart() bool { return a.To > 0 }

// keyClaims are the keys of the requests that this process is working on, and the
// answers that it could not store.
type keyClaims struct {
	mu      sync.Mutex
	claimed map[AnswerKey]bool
	// unsaved are answers that the database did not take. That matters for what is no
	// change of an object (posts, dequeues): it has happened, so its key must hold as
	// long as this process lives. bytes is the size of their bodies.
	unsaved map[AnswerKey]unsavedAnswers
	bytes   int
	// withdrawn are answers that the database may have and nobody must be told.
	withdrawn map[AnswerKey]withdrawal
}

// withdrawal says that what the database has of the answer to operations from one on is
// void, and since when.
type withdrawal struct {
	from int
	at   time.Time
}

// maxUnsaved bounds the memory of answers that the database did not take, in bytes of
// their bodies. Most are of requests that were under way when the database went away;
// beyond the bound further keys are refused.
const maxUnsaved = 16 << 20

// unsavedAnswers are answers that the database did not take, and when that was.
type unsavedAnswers struct {
	at      time.Time
	answers []StoredAnswer
}

func newKeyClaims() keyClaims {
	return keyClaims{claimed: map[AnswerKey]bool{}, unsaved: map[AnswerKey]unsavedAnswers{}, withdrawn: map[AnswerKey]withdrawal{}}
}

// claim reports whether the key was free; it is claimed then.
func (k *keyClaims) claim(key AnswerKey) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.claimed[key] {
		return false
	}
	k.claimed[key] = true
	return true
}

// release frees a claimed key.
func (k *keyClaims) release(key AnswerKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.claimed, key)
}

// remember keeps answers that the database did not take, in place of those with the
// same From.
func (k *keyClaims) remember(key AnswerKey, answers []StoredAnswer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := replaceParts(k.unsaved[key].answers, answers)
	k.bytes += size(all) - size(k.unsaved[key].answers)
	k.unsaved[key] = unsavedAnswers{time.Now(), all}
}

// remembered returns the answers that the database did not take, and whether there is
// room for more of them.
func (k *keyClaims) remembered(key AnswerKey) (answers []StoredAnswer, room bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.unsaved[key].answers, k.bytes < maxUnsaved
}

// withdraw notes that the answers to operations from one on are void, and returns from
// which on all are.
func (k *keyClaims) withdraw(key AnswerKey, from int) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w, is := k.withdrawn[key]; is {
		from = min(from, w.from)
	}
	k.withdrawn[key] = withdrawal{from, time.Now()}
	return from
}

// isWithdrawn reports whether answers to operations from one on are void.
func (k *keyClaims) isWithdrawn(key AnswerKey) (from int, is bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	w, is := k.withdrawn[key]
	return w.from, is
}

// wereDeleted notes that the database has no void answers any more.
func (k *keyClaims) wereDeleted(key AnswerKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.withdrawn, key)
}

// prune forgets the answers that are older than AnswerLifetime.
func (k *keyClaims) prune(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, w := range k.withdrawn {
		if now.Sub(w.at) > AnswerLifetime {
			delete(k.withdrawn, key)
		}
	}
	for key, u := range k.unsaved {
		if now.Sub(u.at) > AnswerLifetime {
			k.bytes -= size(u.answers)
			delete(k.unsaved, key)
		}
	}
}

// size returns the size of the bodies in bytes.
func size(answers []StoredAnswer) int {
	n := 0
	for _, a := range answers {
		n += len(a.Body)
	}
	return n
}

// replaceParts returns the answers in the order of their operations: those of newer
// stand for those of older with the same From.
func replaceParts(older, newer []StoredAnswer) []StoredAnswer {
	all := slices.Clone(newer)
	for _, a := range older {
		if !slices.ContainsFunc(newer, func(b StoredAnswer) bool { return a.From == b.From }) {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b StoredAnswer) int { return a.From - b.From })
	return all
}

// ClaimKey returns what is stored of the answer to a request with this
// Idempotency-Key: nothing, a whole answer, or the parts of one in the order of
// their operations. running reports that another request of this process has claimed
// the key. Otherwise, and without an error, the caller has claimed the key until
// ReleaseKey.
//
// While the database is away a key is refused, because its answer could not be
// stored.
func (s *Store) ClaimKey(ctx context.Context, key AnswerKey) (stored []StoredAnswer, running bool, err error) {
	if s.recorder.isKeyUndecided(key) || !s.claims.claim(key) {
		return nil, true, nil
	}
	stored, err = s.storedAnswers(ctx, key)
	if err != nil {
		s.claims.release(key)
		return nil, false, err
	}
	return stored, false, nil
}

// storedAnswers returns what is stored under a claimed key, in the database and in
// memory.
func (s *Store) storedAnswers(ctx context.Context, key AnswerKey) ([]StoredAnswer, error) {
	unsaved, room := s.claims.remembered(key)
	if len(unsaved) > 0 && !unsaved[0].IsPart() {
		return unsaved, nil
	}
	if err := s.recorder.Away(); err != nil {
		return nil, err
	}
	if !room {
		return nil, storeAway(nil)
	}
	if from, is := s.claims.isWithdrawn(key); is {
		if err := s.DropAnswers(ctx, key, from); err != nil {
			return nil, err
		}
	}
	rows, err := s.pool.Query(ctx, `SELECT body_hash, status, header, body, from_operation, to_operation,
			max(at) OVER () >= now() - $5::interval FROM kept
		WHERE principal = $1 AND method = $2 AND path = $3 AND key = $4 ORDER BY from_operation`,
		key.Principal, key.Method, key.Path, key.Key, AnswerLifetime)
	if err != nil {
		return nil, mapError(err)
	}
	fresh := true
	stored, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a StoredAnswer, err error) {
		return a, row.Scan(&a.BodyHash, &a.Status, &a.Header, &a.Body, &a.From, &a.To, &fresh)
	})
	if err != nil {
		return nil, mapError(err)
	}
	if !fresh { // no part of it may be taken for a part of another answer
		return unsaved, s.DropAnswers(ctx, key, 0)
	}
	return replaceParts(stored, unsaved), nil
}

// ReleaseKey frees a key that ClaimKey claimed. It is called after the answer was
// stored, or when none will be.
func (s *Store) ReleaseKey(key AnswerKey) { s.claims.release(key) }
