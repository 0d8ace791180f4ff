package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The statements that store an answer outside of the commit of a change.
const (
	sqlInsertAnswer = `INSERT INTO kept AS k (principal, method, path, key, body_hash, status, header, body, from_operation, to_operation)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT ON CONSTRAINT kept_key DO UPDATE SET body_hash = excluded.body_hash, status = excluded.status,
			header = excluded.header, body = excluded.body, to_operation = excluded.to_operation, at = now()`
	sqlSaveAnswer  = sqlInsertAnswer + ` WHERE k.at < now() - $11::interval`
	sqlAmendAnswer = sqlInsertAnswer + ` WHERE k.body_hash = excluded.body_hash OR k.at < now() - $11::interval`
)

// SaveAnswer stores answers that came without a change, such as a refusal. An answer
// that is already stored is left as it is. On an error the database may have them or
// not, or not on its standbys: who goes on as if they were stored calls RememberAnswer,
// who does not calls WithdrawAnswers.
func (s *Store) SaveAnswer(ctx context.Context, key AnswerKey, answers ...StoredAnswer) error {
	return s.storeAnswers(ctx, sqlSaveAnswer, key, answers)
}

// AmendAnswer is SaveAnswer, but it replaces what is stored with the same From for
// the same request: the caller got another answer in the end, because it waited for
// the outcome, or the engine refused after the first change.
func (s *Store) AmendAnswer(ctx context.Context, key AnswerKey, answers ...StoredAnswer) error {
	return s.storeAnswers(ctx, sqlAmendAnswer, key, answers)
}

func (s *Store) storeAnswers(ctx context.Context, sql string, key AnswerKey, answers []StoredAnswer) error {
	b := &pgx.Batch{}
	for _, a := range answers {
		if a.Header == nil {
			a.Header = map[string]string{}
		}
		if a.Body == nil {
			a.Body = []byte{}
		}
		b.Queue(sql, key.Principal, key.Method, key.Path, key.Key, a.BodyHash, a.Status, a.Header, a.Body, a.From, a.To, AnswerLifetime)
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if err := s.recorder.Away(); err != nil { // not to wait for the pool
		return err
	}
	return mapError(s.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		conn := c.Conn().PgConn()
		takeWarning(conn)
		if err := c.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		if warning := takeWarning(conn); warning != "" {
			return fmt.Errorf("%w: %s", errNotReplicated, warning)
		}
		return nil
	}))
}

// RememberAnswer keeps answers in the memory of this process that the database did
// not take, so that their key holds as long as the process lives. The caller has
// claimed the key.
func (s *Store) RememberAnswer(key AnswerKey, answers ...StoredAnswer) {
	s.claims.remember(key, answers)
}

// WithdrawAnswers says that what the database may have under a key of the operations
// from one on is void. It is deleted before the key is claimed again. The caller has
// claimed the key.
func (s *Store) WithdrawAnswers(key AnswerKey, from int) { s.claims.withdraw(key, from) }

// DropAnswers deletes what is stored under a key of the operations from one on, or
// all of it with 0. Where the database does not take that, it is WithdrawAnswers.
func (s *Store) DropAnswers(ctx context.Context, key AnswerKey, from int) error {
	from = s.claims.withdraw(key, from)
	_, err := s.pool.Exec(ctx, `DELETE FROM kept WHERE principal = $1 AND method = $2 AND path = $3 AND key = $4
		AND from_operation >= $5`, key.Principal, key.Method, key.Path, key.Key, from)
	if err == nil {
		s.claims.wereDeleted(key)
	}
	return mapError(err)
}

// pruneAnswers deletes the answers that are older than AnswerLifetime; the parts of
// one go together.
func (s *Store) pruneAnswers(ctx context.Context) error {
	s.claims.prune(time.Now())
	_, err := s.pool.Exec(ctx, `DELETE FROM kept k WHERE at < now() - $1::interval AND NOT EXISTS (
		SELECT FROM kept n WHERE n.principal = k.principal AND n.method = k.method AND n.path = k.path AND n.key = k.key
			AND n.at >= now() - $1::interval)`, AnswerLifetime)
	return mapError(err)
}
