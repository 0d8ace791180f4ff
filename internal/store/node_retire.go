package store

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// A node that will not come back is retired in three steps, each committed for itself. The
// first raises the node's epoch, so that its process, should it live, never writes again, and
// notes who retires it. The second frees its objects, some at a time. The last one ends the
// node. Where the second is cut off, the node is still listed, and a repetition goes on, as a
// start under its name does.

// retireChunk is the number of objects that one transaction frees: few enough that other
// writers, who wait for it, do not notice.
const retireChunk = 250

// Retirement says who retires a node, and why.
type Retirement struct {
	// Match, which may be nil, tests the version of the node's last change (If-Match).
	Match func(version int64) error
	// DryRun tests whether the node can be retired, and does nothing.
	DryRun bool
	// Answer, which may be nil, is stored in the commit of the last step.
	Answer *dat.KeyedAnswer
	// Actor, ActorKind, RequestID and Reason are in all changes; RequestID may be empty.
	Actor, ActorKind, RequestID, Reason string
}

// retiredBy is the part of a Retirement that is kept with the node.
type retiredBy struct {
	Actor     string `json:"actor"`
	ActorKind string `json:"actor_kind"`
	RequestID string `json:"request_id"`
	Reason    string `json:"reason"`
}

// RetireNode frees all objects of a node that is DOWN or LEFT, and ends the node: it is in no
// list any more, its history stays. Errors are DAT_INVALID_HANDLE for an unknown name, that of
// Match, KindNodeAlive for this node and for one that is neither, and KindOutcomeUnknown
// where the database has not confirmed one of the steps; a repetition goes on with it.
func (s *Store) RetireNode(ctx context.Context, name string, r Retirement) error {
	if err := s.recorder.Away(); err != nil { // not to wait for the pool
		return err
	}
	if err := s.beginRetirement(ctx, name, r); err != nil || r.DryRun {
		return mapError(err)
	}
	defer s.log.wake()
	s.cfg.Logger.Warn("a node is retired", "node", name, "actor", r.Actor, "reason", r.Reason, "request_id", r.RequestID)
	return mapError(retire(ctx, s.pool, name, r.Answer))
}

// beginRetirement is the first step.
func (s *Store) beginRetirement(ctx context.Context, name string, r Retirement) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer rollBack(ctx, tx)
	n, err := s.lockNode(ctx, tx, name)
	if err != nil {
		return err
	}
	if r.Match != nil {
		if err := r.Match(n.StateVersion); err != nil {
			return err
		}
	}
	if name == s.cfg.Node {
		return errNodeAlive("this is the node that answers; stop it first, and ask another one")
	}
	if !n.retiring && n.State != NodeDown && n.State != NodeLeft {
		return errNodeAlive("node " + quoteShort(name) + " is " + n.State + "; only one that is DOWN or LEFT can be retired, so stop it first or wait until it is DOWN")
	}
	if r.DryRun {
		return nil
	}
	if !n.retiring && n.State != n.recorded { // nobody else has recorded it yet
		if err := s.moveOf(&n).write(ctx, tx); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `UPDATE nodes SET epoch = epoch + 1, retirement = $2 WHERE name = $1`, name, retiredBy{r.Actor, r.ActorKind, r.RequestID, r.Reason}); err != nil {
		return err
	}
	return commitRetirement(ctx, tx)
}

// errNodeAlive returns the refusal to retire a node.
func errNodeAlive(detail string) error {
	return &dat.Error{Return: dat.RetInvalidState, Kind: KindNodeAlive, Detail: detail}
}

// commitRetirement commits a step.
func commitRetirement(ctx context.Context, tx pgx.Tx) error {
	return commitConfirmed(ctx, tx, "the retirement", "repeat it, which goes on where it was")
}

// finishRetirement carries out the steps that are left of a retirement that was cut off, if
// there was one, before a process starts under the node's name.
func finishRetirement(ctx context.Context, db beginner, name string) error {
	ctx, cancel := context.WithTimeout(ctx, livingTimeout)
	defer cancel()
	return retire(ctx, db, name, nil)
}

// retire carries out the second and the last step. It does nothing where the node is not being
// retired, any more or at all.
func retire(ctx context.Context, db beginner, name string, answer *dat.KeyedAnswer) error {
	for _, t := range retireOrder() {
		for below := int64(math.MaxInt64); below > 0; {
			var err error
			if below, err = freeSome(ctx, db, name, t, below); errors.Is(err, errNotRetiring) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	return endNode(ctx, db, name, answer)
}

// retireOrder returns all types, those of users before those of what they use.
func retireOrder() []dat.ObjectType {
	order := dat.RemakeOrder()
	slices.Reverse(order)
	return append(append([]dat.ObjectType{dat.TypeCR}, order...), dat.TypeIA)
}

// errNotRetiring says that a node is not being retired, any more or at all.
var errNotRetiring = errors.New("the node is not being retired")

// lockRetiring locks the row of a node that is being retired, so that nobody starts under its
// name, and returns its id, who retires it, and its recorded state.
func lockRetiring(ctx context.Context, tx pgx.Tx, name string) (id string, by retiredBy, state string, err error) {
	err = tx.QueryRow(ctx, `SELECT id, retirement, coalesce(state, '') FROM nodes
		WHERE name = $1 AND retirement IS NOT NULL AND retired_at IS NULL FOR NO KEY UPDATE`, name).Scan(&id, &by, &state)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNotRetiring
	}
	return id, by, state, err
}

// sqlFreeObjects ends the newest objects of a node and a type, created before $3, and writes
// the change of each. The end of the log is locked last, when the objects are updated: sorting
// them for their ids waits for all. It returns the place of the oldest one.
const sqlFreeObjects = `WITH chosen AS (
		SELECT id, body AS before, greatest(clock_timestamp(), updated_at + interval '1 microsecond') AS at FROM objects
		WHERE node = $1 AND type = $2 AND freed_at IS NULL AND created_change < $3
		ORDER BY created_change DESC LIMIT $4
	), ended AS (
		UPDATE objects o SET version = o.version + 1, updated_at = chosen.at, freed_at = chosen.at,
			body = o.body || jsonb_build_object('version', o.version + 1,
				'updated_at', to_char(chosen.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
		FROM chosen WHERE o.id = chosen.id
		RETURNING o.id, o.type, o.ia, o.name, o.version, o.created_change, chosen.before, chosen.at
	), head AS (
		UPDATE change_head SET last = last + (SELECT count(*) FROM ended) RETURNING last
	), written AS (
		INSERT INTO changes (id, at, node, ia, object_type, object_id, object_name, cause, actor, actor_kind, request_id,
			reason, outcome, fields, before, version)
		SELECT (SELECT last FROM head) + 1 - row_number() OVER (ORDER BY created_change), at, $1, ia, type, id, name, $5, $6, nullif($10, ''), nullif($7, ''),
			nullif($8, ''), $9, '{}', before, version
		FROM ended
	)
	SELECT coalesce(min(created_change), 0) FROM ended`

// freeSome frees at most retireChunk objects of a type, created before a place in the log, the
// newest first. It returns the place before which those lie that are left, 0 where none is.
func freeSome(ctx context.Context, db beginner, name string, t dat.ObjectType, below int64) (oldest int64, err error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer rollBack(ctx, tx)
	_, by, _, err := lockRetiring(ctx, tx, name)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, sqlFreeObjects, name, t.String(), below, retireChunk,
		causeNodeRetired, by.Actor, by.RequestID, by.Reason, dat.RetSuccess.String(), by.ActorKind).Scan(&oldest)
	if err != nil || oldest == 0 {
		return 0, err
	}
	if _, err := tx.Exec(ctx, sqlNotifyOthers, ""); err != nil {
		return 0, err
	}
	return oldest, commitRetirement(ctx, tx)
}

// endNode is the last step.
func endNode(ctx context.Context, db beginner, name string, answer *dat.KeyedAnswer) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer rollBack(ctx, tx)
	id, by, state, err := lockRetiring(ctx, tx, name)
	if errors.Is(err, errNotRetiring) {
		return nil
	}
	if err != nil {
		return err
	}
	if state == "" { // a node that was there before its moves were recorded
		state = NodeDown
	}
	c := nodeChange{
		id: id, node: name, cause: causeNodeRetired, actor: by.Actor, actorKind: by.ActorKind, requestID: by.RequestID, reason: by.Reason,
		before: nodeState{State: state},
	}
	if err := c.write(ctx, tx); err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`DELETE FROM groups WHERE node = $1`, name)
	b.Queue(`UPDATE nodes SET retired_at = now() WHERE name = $1`, name)
	queueAnswer(b, answer)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return commitRetirement(ctx, tx)
}

// formerIAs returns the last versions of the freed IAs of a node: an IA has the same id in
// each node of its name, and its versions go on.
func formerIAs(ctx context.Context, db querier, node string) (map[dat.Handle]int64, error) {
	rows, err := db.Query(ctx, `SELECT id, version FROM objects WHERE node = $1 AND type = 'ia' AND freed_at IS NOT NULL`, node)
	if err != nil {
		return nil, mapError(err)
	}
	all := map[dat.Handle]int64{}
	var id string
	var version int64
	_, err = pgx.ForEachRow(rows, []any{&id, &version}, func() error { all[dat.Handle(id)] = version; return nil })
	return all, mapError(err)
}
