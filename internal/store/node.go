package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

const (
	// heartbeat is the interval at which a node says that it lives.
	heartbeat = 5 * time.Second
	// SuspectAfter is how long a node is UP after it was seen last.
	SuspectAfter = 2 * heartbeat
	// DownAfter is how long a node is not DOWN after it was seen last.
	DownAfter = 4 * heartbeat
	// leaveTimeout bounds how long a stop tries to say that the node leaves.
	leaveTimeout = time.Second
)

// The states of a node: it lives, was not heard for SuspectAfter, not for DownAfter, or has
// stopped in order. Time in which this process could not write to the database does not
// count: then nobody could be heard.
const (
	NodeUp      = "UP"
	NodeSuspect = "SUSPECT"
	NodeDown    = "DOWN"
	NodeLeft    = "LEFT"
)

// Node is a host that shares this database.
type Node struct {
	// ID is the node's id in the log of changes. A node that starts under the name of one that
	// was retired has another one.
	ID dat.Handle `json:"id"`
	// Name is the node's name in ids.
	Name string `json:"name"`
	// Address is where its API is reached.
	Address string `json:"address"`
	// Version is the version of its program.
	Version string `json:"version"`
	// Epoch counts the starts of the node.
	Epoch int64 `json:"epoch"`
	// LastSeen is the time of its last heartbeat by the database's clock.
	LastSeen dat.Time `json:"last_seen"`
	// State is one of the states of a node. A LastSeen that is further than DownAfter in
	// the future is no sign of life: the database's clock was set back.
	State string `json:"state"`
	// StateSince is the time of the node's last change in the log, nil where none is recorded; the
	// state may have moved since, which is recorded within SuspectAfter.
	StateSince *dat.Time `json:"state_since"`
	// StateVersion is the version of that change, 0 where none is recorded.
	StateVersion int64 `json:"state_version"`
	// HeartbeatAge is how long ago LastSeen was when the node was read, in milliseconds of the
	// database's clock; it is below zero where that was set back.
	HeartbeatAge int64 `json:"heartbeat_age_ms"`
	// ChangesBehind is how many changes of the log the node had not seen at its last heartbeat, 0
	// where nobody watches it, so that it follows none.
	ChangesBehind int64 `json:"changes_behind"`
	// Objects is the number of the node's living objects; only NodesKnown and Node count them.
	Objects int64 `json:"objects"`
	// recorded is the state that was recorded last, "" before the first. retiring means that
	// its objects are being freed.
	recorded string
	retiring bool
	// ClockOffset is how far the database's clock is ahead of that of the node's host, in
	// microseconds, as the node measured at its last heartbeat: negative where it is behind,
	// nil where it was not measured yet.
	ClockOffset *int64 `json:"clock_offset_us"`
	// Fingerprint is the SHA-256 of the certificate that it serves with, empty for plain
	// HTTP.
	Fingerprint []byte `json:"-"`
	// Secret proves to the node that a call comes from another one. It is for the nodes
	// alone, and new with each start.
	Secret []byte `json:"-"`
}

// silence is a time in which this process could not write its heartbeats, by the database's
// clock: nobody's could be written then, as far as it knows. A node that lived at its
// beginning counts as heard up to its end; to is nil while it lasts.
type silence struct{ from, to *time.Time }

// selectNodes selects the columns of scanNode, of nodes that are not retired, and the number of
// each one's living objects where $5 asks for it. Its first four arguments are stateArguments.
const selectNodes = `SELECT n.id, n.name, n.address, n.version, n.epoch, n.last_seen, n.fingerprint, n.secret,
		CASE WHEN n.left_at IS NOT NULL THEN 'LEFT'
			WHEN n.last_seen > now() + $2::interval THEN 'DOWN'
			WHEN heard >= now() - $1::interval THEN 'UP'
			WHEN heard >= now() - $2::interval THEN 'SUSPECT'
			ELSE 'DOWN' END AS present,
		n.state_at, n.state_version, (extract(epoch FROM n.clock_offset) * 1e6)::bigint, (extract(epoch FROM now() - n.last_seen) * 1000)::bigint, n.changes_behind,
		CASE WHEN $5 THEN (SELECT count(*) FROM objects o WHERE o.node = n.name AND o.freed_at IS NULL) ELSE 0 END,
		coalesce(n.state, '') AS recorded, n.retirement IS NOT NULL AS retiring
	FROM nodes n, LATERAL (SELECT CASE WHEN n.last_seen >= $3::timestamptz - $2::interval
		THEN greatest(n.last_seen, coalesce($4::timestamptz, now())) ELSE n.last_seen END AS heard) AS h
	WHERE n.retired_at IS NULL`

// stateArguments returns what selectNodes judges the states by.
func (s *Store) stateArguments(counted bool) []any {
	silent := silence{}
	if known := s.silence.Load(); known != nil {
		silent = *known
	}
	return []any{SuspectAfter, DownAfter, silent.from, silent.to, counted}
}

// scanNode reads a row of selectNodes.
func scanNode(row pgx.CollectableRow) (Node, error) {
	var n Node
	var id string
	var seen time.Time
	var since *time.Time
	err := row.Scan(&id, &n.Name, &n.Address, &n.Version, &n.Epoch, &seen, &n.Fingerprint, &n.Secret, &n.State,
		&since, &n.StateVersion, &n.ClockOffset, &n.HeartbeatAge, &n.ChangesBehind, &n.Objects, &n.recorded, &n.retiring)
	n.ID, n.LastSeen = dat.Handle(id), dat.At(seen)
	if since != nil {
		at := dat.At(*since)
		n.StateSince = &at
	}
	return n, err
}

// Nodes returns all hosts that ever opened this database and were not retired, by name.
func (s *Store) Nodes(ctx context.Context) ([]Node, error) { return s.nodes(ctx, false) }

// nodes is Nodes, with the numbers of objects where they are to be counted.
func (s *Store) nodes(ctx context.Context, counted bool) ([]Node, error) {
	rows, err := s.pool.Query(ctx, selectNodes+` ORDER BY n.name`, s.stateArguments(counted)...)
	if err != nil {
		return nil, mapError(err)
	}
	nodes, err := pgx.CollectRows(rows, scanNode)
	return nodes, mapError(err)
}

// NodesKnown is Nodes with the numbers of objects; while the database is away it is this node
// alone, and partial says so.
func (s *Store) NodesKnown(ctx context.Context) (nodes []Node, partial bool, err error) {
	partial, err = s.readUnlessAway(ctx, memoryPatience, func(ctx context.Context) error {
		nodes, err = s.nodes(ctx, true)
		return err
	})
	if partial {
		seen := time.Unix(0, s.lastSeen.Load())
		nodes = []Node{{
			ID: dat.Handle(s.cfg.nodeID), Name: s.cfg.Node, Address: s.cfg.Address, Version: s.cfg.Version, Epoch: s.recorder.epoch,
			LastSeen: dat.At(seen), State: NodeUp, HeartbeatAge: time.Since(seen).Milliseconds(), Objects: s.recorder.countLiving(), ClockOffset: new(s.clock.offset().Microseconds()),
		}}
	}
	return nodes, partial, err
}

// NodesOf returns the ids of living objects of a type by the nodes that have them.
func (s *Store) NodesOf(ctx context.Context, t dat.ObjectType, ids []string) (map[string][]string, error) {
	rows, err := s.pool.Query(ctx, `SELECT id, node FROM objects WHERE id = ANY ($1) AND type = $2 AND freed_at IS NULL`, ids, t.String())
	if err != nil {
		return nil, mapError(err)
	}
	byNode := map[string][]string{}
	var id, node string
	_, err = pgx.ForEachRow(rows, []any{&id, &node}, func() error {
		byNode[node] = append(byNode[node], id)
		return nil
	})
	return byNode, mapError(err)
}

// leave says that this node stops in order. Nothing can be done where that fails: the node
// is DOWN later.
func (s *Store) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		c := nodeChange{node: s.cfg.Node, cause: causeOfState[NodeLeft], after: nodeState{State: NodeLeft}}
		err := tx.QueryRow(ctx, `UPDATE nodes SET left_at = now(), last_seen = now() WHERE name = $1 AND epoch = $2
			RETURNING id, coalesce(state, '')`, s.cfg.Node, s.recorder.epoch).Scan(&c.id, &c.before.State)
		if err != nil {
			return err
		}
		return c.write(ctx, tx)
	})
	if err != nil {
		s.cfg.Logger.Debug("the other nodes do not know that this one has stopped", "error", err)
	}
}

// Secret returns the secret of this process, with which other nodes sign the calls that
// they pass on to it; see Node.
func (s *Store) Secret() []byte { return s.cfg.secret }

// sqlTakeNode makes a process the owner of a node, of a name that it finds or not. A node that
// was retired is another one under its name, of which nothing is recorded.
const sqlTakeNode = `INSERT INTO nodes AS n (name, address, version, fingerprint, secret, epoch, id)
	VALUES ($1, $2, $3, coalesce($4::bytea, ''), coalesce($5::bytea, ''), $6, $7)
	ON CONFLICT (name) DO UPDATE SET address = excluded.address, version = excluded.version,
		fingerprint = excluded.fingerprint, secret = excluded.secret, last_seen = now(), left_at = NULL, changes_behind = 0,
		id = CASE WHEN n.retired_at IS NULL THEN n.id ELSE excluded.id END,
		first_seen = CASE WHEN n.retired_at IS NULL THEN n.first_seen ELSE now() END,
		state = CASE WHEN n.retired_at IS NULL THEN n.state END,
		state_at = CASE WHEN n.retired_at IS NULL THEN n.state_at END,
		state_version = CASE WHEN n.retired_at IS NULL THEN n.state_version ELSE 0 END,
		retirement = NULL, retired_at = NULL, epoch = `

// claimNode makes this process the node's owner: it gets a new epoch, and the
// database refuses groups with an older one. It waits for a transaction of the
// former owner that still runs. The start is a change of the node. It returns the epoch and
// the node's id.
func claimNode(ctx context.Context, conn *pgx.Conn, cfg Config) (epoch int64, id string, err error) {
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var before nodeState
		err := tx.QueryRow(ctx, sqlTakeNode+`n.epoch + 1 RETURNING epoch, id, coalesce(state, '')`,
			cfg.Node, cfg.Address, cfg.Version, cfg.Fingerprint, cfg.secret, 1, newNodeID()).Scan(&epoch, &id, &before.State)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM groups WHERE node = $1`, cfg.Node); err != nil {
			return err
		}
		if before.State != "" {
			before.Epoch = epoch - 1
		}
		return nodeChange{id: id, node: cfg.Node, cause: causeOfState[NodeUp], before: before, after: nodeState{State: NodeUp, Epoch: epoch}}.write(ctx, tx)
	})
	return epoch, id, err
}

// newNodeID returns the id of a new node.
func newNodeID() string { return uuid.Must(uuid.NewV7()).String() }

// reclaimNode makes the database, which went back behind claimNode, know this owner of
// the node again. It is errFenced if there is another one by now. That the node is UP is
// recorded at its next heartbeat.
func reclaimNode(ctx context.Context, conn *pgx.Conn, cfg Config, epoch int64) error {
	tag, err := conn.Exec(ctx, sqlTakeNode+`excluded.epoch WHERE n.epoch <= excluded.epoch`,
		cfg.Node, cfg.Address, cfg.Version, cfg.Fingerprint, cfg.secret, epoch, cfg.nodeID)
	if err == nil && tag.RowsAffected() == 0 {
		err = errFenced
	}
	return err
}

// sendHeartbeats says at each heartbeat that this node lives, until ctx ends. A
// heartbeat that fails is made up for by the next one; the log of changes is what
// notices that the database is away.
func (s *Store) sendHeartbeats(ctx context.Context) {
	var last *time.Time // heartbeat that was written
	every(ctx, heartbeat, func() {
		beat, cancel := context.WithTimeout(ctx, heartbeat)
		defer cancel()
		slow := time.AfterFunc(logPoll, s.log.wake) // the log finds out what is wrong meanwhile
		defer slow.Stop()
		var at, told time.Time
		asked := s.clock.host()
		// A sign of life need not last: it waits neither for the disk nor for a standby.
		err := s.pool.QueryRow(beat, `UPDATE nodes SET last_seen = now(), changes_behind = greatest(0, (SELECT last FROM change_head) - $3), clock_offset = $4
			WHERE name = $1 AND epoch = $2 AND set_config('synchronous_commit', 'off', true) IS NOT NULL RETURNING last_seen, clock_timestamp()`,
			s.cfg.Node, s.recorder.epoch, s.log.watchedLast(), s.clock.offset()).Scan(&at, &told)
		if err == nil {
			s.clock.measure(asked, told)
			s.recordMoves(beat, last, at)
			s.lastSeen.Store(time.Now().UnixNano())
			if known := s.silence.Load(); known != nil && known.to == nil {
				s.silence.Store(&silence{from: known.from, to: &at})
			}
			last = &at
		} else if known := s.silence.Load(); last != nil && (known == nil || known.to != nil) {
			s.silence.Store(&silence{from: last})
		}
		if err != nil && mappingOf(err).match == readOnly {
			s.pool.Reset() // the server was demoted: its connections must not be read from either
		}
		s.log.wake() // over the connection that is free now
	})
}
