package store

import (
	"context"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// A node has a state that every process computes for itself, and one that is recorded: each
// move from one to another is a change of type node in the log. A node records its own start
// and its orderly stop. All other moves are recorded by the first process that sees at a
// heartbeat of its own that the two differ, under the lock of the node's row, so that the
// others find nothing left to record.

// causeNodeRetired is the cause of the changes that end the objects of a node that was
// retired, and the node itself.
const causeNodeRetired = "node_retired"

// causeOfState are the causes of the changes that move a node to a state.
var causeOfState = map[string]string{NodeUp: "node_up", NodeSuspect: "node_suspect", NodeDown: "node_down", NodeLeft: "node_left"}

// nodeState is what a change tells of a node before and after it.
type nodeState struct {
	// State is one of the states of a node; "" before the first and after the last change.
	State string `json:"state"`
	// Epoch is that of a start, else 0.
	Epoch int64 `json:"epoch,omitempty"`
}

// nodeChange is a change of a node that is to be recorded.
type nodeChange struct {
	id, node string
	cause    string
	// actor is who asked for it, "" for nobody, and actorKind what that is; requestID and reason are "" for none.
	actor, actorKind, requestID, reason string
	before, after                       nodeState
}

// fields returns the members that the change changes.
func (c nodeChange) fields() []string {
	fields := []string{}
	if c.before.State == "" || c.after.State == "" { // the first or the last one
		return fields
	}
	if c.before.Epoch != c.after.Epoch {
		fields = append(fields, "epoch")
	}
	if c.before.State != c.after.State {
		fields = append(fields, "state")
	}
	return fields
}

// body returns the state as JSON, nil where there is none.
func (n nodeState) body() any {
	if n.State == "" {
		return nil
	}
	return n
}

// sqlSetNodeState makes room for the next change of a node.
const sqlSetNodeState = `UPDATE nodes SET state = nullif($2, ''), state_version = state_version + 1,
	state_at = greatest(clock_timestamp(), state_at + interval '1 microsecond',
		(SELECT at + interval '1 microsecond' FROM changes JOIN change_head ON id = last)) WHERE name = $1`

const sqlInsertNodeChange = `INSERT INTO changes (id, at, node, ia, object_type, object_id, object_name, cause, actor, actor_kind, request_id,
		reason, outcome, fields, before, after, image, version)
	SELECT h.last, n.state_at, n.name, '', $2, $3, n.name, $4, $5, nullif($12, ''), nullif($6, ''), nullif($7, ''), $8, $9::text[],
		$10::jsonb, CASE WHEN $10 IS NULL THEN NULL ELSE $11::jsonb END, $11, n.state_version
	FROM change_head h, nodes n WHERE n.name = $1`

// write records the change in a transaction that has the lock of the node's row.
func (c nodeChange) write(ctx context.Context, tx pgx.Tx) error {
	actor, kind := c.actor, c.actorKind
	if actor == "" {
		actor, kind = dat.ActorEngine, dat.ActorEngine
	}
	b := &pgx.Batch{}
	b.Queue(sqlAwaitHead, int64(headLock))
	b.Queue(sqlSetNodeState, c.node, c.after.State)
	b.Queue(sqlTakeChangeIDs, 1, 0)
	b.Queue(sqlInsertNodeChange, c.node, dat.TypeNode.String(), c.id, c.cause, actor, c.requestID, c.reason,
		dat.RetSuccess.String(), c.fields(), c.before.body(), c.after.body(), kind)
	b.Queue(sqlNotifyOthers, "") // this process too: its recorder knows nothing of it
	return tx.SendBatch(ctx, b).Close()
}

// moveLooks is how many nodes look at each other's states at each heartbeat, about: of more of
// them each looks at some heartbeats only, so that the looks of all grow with their number
// and not with its square.
const moveLooks = 16

// recordMoves records the moves of all nodes that this process sees and nobody has recorded.
// It is called after a heartbeat of this node at a time of the database's clock; last is that
// of the one before, nil where there is none. After an interval that was no regular one
// nothing is recorded: the others may not have been able to write theirs either, or the
// database's clock was set. An error is logged: the next heartbeat makes up for it.
func (s *Store) recordMoves(ctx context.Context, last *time.Time, at time.Time) {
	if last == nil || at.Before(*last) || at.Sub(*last) > heartbeat+heartbeat/2 {
		return
	}
	if rand.Int64N(max(1, s.nodesSeen.Load()/moveLooks)) > 0 {
		return
	}
	var seen int64
	var moved []string
	err := s.pool.QueryRow(ctx, `SELECT count(*), coalesce(array_agg(name) FILTER (WHERE NOT retiring AND present <> recorded), '{}')
		FROM (`+selectNodes+`) AS known`, s.stateArguments(false)...).Scan(&seen, &moved)
	if err == nil {
		s.nodesSeen.Store(seen)
	}
	for _, name := range moved {
		if err == nil {
			err = s.recordMove(ctx, name)
		}
	}
	if err != nil {
		s.cfg.Logger.Debug("the moves of nodes could not be recorded", "error", err)
	}
}

// recordMove records that a node is in another state than the one recorded last, if it still
// is when its row is locked.
func (s *Store) recordMove(ctx context.Context, name string) error {
	var n Node
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var err error
		if n, err = s.lockNode(ctx, tx, name); err != nil || n.retiring || n.State == n.recorded {
			n.State = n.recorded
			return err
		}
		return s.moveOf(&n).write(ctx, tx)
	})
	if err == nil && n.State != n.recorded {
		s.moves.count(n.State)
		s.log.wake()
		s.cfg.Logger.Info("a node has moved to another state", "node", name, "from", n.recorded, "to", n.State)
	}
	return err
}

// moveOf returns the change from a node's recorded state to the one that this process sees.
func (s *Store) moveOf(n *Node) nodeChange {
	return nodeChange{
		id: string(n.ID), node: n.Name, cause: causeOfState[n.State], reason: reasonOfMove[n.State] + s.cfg.Node,
		before: nodeState{State: n.recorded}, after: nodeState{State: n.State},
	}
}

// reasonOfMove say what was seen, before the name of the node that saw it.
var reasonOfMove = map[string]string{
	NodeUp:      "heard again; seen by node ",
	NodeSuspect: "not heard for " + SuspectAfter.String() + "; seen by node ",
	NodeDown:    "not heard for " + DownAfter.String() + "; seen by node ",
	NodeLeft:    "stopped in order; seen by node ",
}

// lockNode returns a node that is not retired, whose row the transaction locks. The error is
// NoNode where there is none of the name.
func (s *Store) lockNode(ctx context.Context, tx pgx.Tx, name string) (Node, error) {
	rows, err := tx.Query(ctx, selectNodes+` AND n.name = $6 FOR NO KEY UPDATE OF n`, append(s.stateArguments(false), name)...)
	if err != nil {
		return Node{}, err
	}
	nodes, err := pgx.CollectRows(rows, scanNode)
	if err != nil {
		return Node{}, err
	}
	if len(nodes) == 0 {
		return Node{}, NoNode(name)
	}
	return nodes[0], nil
}

// NoNode returns the refusal of a name that no node has: DAT_INVALID_HANDLE.
func NoNode(name string) error {
	return &dat.Error{
		Return: dat.RetInvalidHandle,
		Detail: "there is no node with the name " + quoteShort(name) + "; list the nodes to see which there are",
	}
}

// countLiving returns the number of recorded living objects of this node.
func (r *Recorder) countLiving() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int64(len(r.images))
}

// moveCounts counts the moves that this process has recorded of other nodes and of itself
// while it ran, by state. The zero value is ready.
type moveCounts struct {
	mu     sync.Mutex
	counts map[string]int64
}

// count counts a move to a state.
func (m *moveCounts) count(state string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = map[string]int64{}
	}
	m.counts[state]++
}

// Moves returns how many moves of nodes to each state this process has recorded since it
// started, without its own start.
func (s *Store) Moves() map[string]int64 {
	s.moves.mu.Lock()
	defer s.moves.mu.Unlock()
	all := map[string]int64{NodeUp: 0, NodeSuspect: 0, NodeDown: 0, NodeLeft: 0}
	maps.Copy(all, s.moves.counts)
	return all
}
