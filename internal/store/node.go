package store

import (
	"context"
	"time"

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

// Nodes returns all hosts that ever opened this database, by name.
func (s *Store) Nodes(ctx context.Context) ([]Node, error) {
	silent := silence{}
	if known := s.silence.Load(); known != nil {
		silent = *known
	}
	rows, err := s.pool.Query(ctx, `SELECT name, address, version, epoch, last_seen, fingerprint, secret,
		(extract(epoch FROM clock_offset) * 1e6)::bigint, CASE WHEN left_at IS NOT NULL THEN 'LEFT'
			WHEN last_seen > now() + $2::interval THEN 'DOWN'
			WHEN heard >= now() - $1::interval THEN 'UP'
			WHEN heard >= now() - $2::interval THEN 'SUSPECT'
			ELSE 'DOWN' END
		FROM nodes, LATERAL (SELECT CASE WHEN last_seen >= $3::timestamptz - $2::interval
			THEN greatest(last_seen, coalesce($4::timestamptz, now())) ELSE last_seen END AS heard) AS h
		ORDER BY name`, SuspectAfter, DownAfter, silent.from, silent.to)
	if err != nil {
		return nil, mapError(err)
	}
	nodes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Node, error) {
		var n Node
		var seen time.Time
		err := row.Scan(&n.Name, &n.Address, &n.Version, &n.Epoch, &seen, &n.Fingerprint, &n.Secret, &n.ClockOffset, &n.State)
		n.LastSeen = dat.At(seen)
		return n, err
	})
	return nodes, mapError(err)
}

// NodesKnown is Nodes; while the database is away it is this node alone, and partial
// says so.
func (s *Store) NodesKnown(ctx context.Context) (nodes []Node, partial bool, err error) {
	partial, err = s.readUnlessAway(ctx, memoryPatience, func(ctx context.Context) error {
		nodes, err = s.Nodes(ctx)
		return err
	})
	if partial {
		nodes = []Node{{
			Name: s.cfg.Node, Address: s.cfg.Address, Version: s.cfg.Version, Epoch: s.recorder.epoch,
			LastSeen: dat.At(time.Unix(0, s.lastSeen.Load())), State: NodeUp, ClockOffset: new(s.clock.offset().Microseconds()),
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
	if _, err := s.pool.Exec(ctx, `UPDATE nodes SET left_at = now(), last_seen = now() WHERE name = $1 AND epoch = $2`, s.cfg.Node, s.recorder.epoch); err != nil {
		s.cfg.Logger.Debug("the other nodes do not know that this one has stopped", "error", err)
	}
}

// Secret returns the secret of this process, with which other nodes sign the calls that
// they pass on to it; see Node.
func (s *Store) Secret() []byte { return s.cfg.secret }

// claimNode makes this process the node's owner: it gets a new epoch, and the
// database refuses groups with an older one. It waits for a transaction of the
// former owner that still runs.
func claimNode(ctx context.Context, conn *pgx.Conn, cfg Config) (epoch int64, err error) {
	err = conn.QueryRow(ctx, `INSERT INTO nodes (name, address, version, fingerprint, secret, epoch) VALUES ($1, $2, $3, coalesce($4::bytea, ''), coalesce($5::bytea, ''), 1)
		ON CONFLICT (name) DO UPDATE SET address = excluded.address, version = excluded.version,
			fingerprint = excluded.fingerprint, secret = excluded.secret, epoch = nodes.epoch + 1, last_seen = now(), left_at = NULL
		RETURNING epoch`, cfg.Node, cfg.Address, cfg.Version, cfg.Fingerprint, cfg.secret).Scan(&epoch)
	if err != nil {
		return 0, err
	}
	_, err = conn.Exec(ctx, `DELETE FROM groups WHERE node = $1`, cfg.Node)
	return epoch, err
}

// reclaimNode makes the database, which went back behind claimNode, know this owner of
// the node again. It is errFenced if there is another one by now.
func reclaimNode(ctx context.Context, conn *pgx.Conn, cfg Config, epoch int64) error {
	var now int64
	err := conn.QueryRow(ctx, `INSERT INTO nodes (name, address, version, fingerprint, secret, epoch) VALUES ($1, $2, $3, coalesce($4::bytea, ''), coalesce($5::bytea, ''), $6)
		ON CONFLICT (name) DO UPDATE SET address = excluded.address, version = excluded.version,
			fingerprint = excluded.fingerprint, secret = excluded.secret, epoch = greatest(nodes.epoch, excluded.epoch), last_seen = now(), left_at = NULL
		RETURNING epoch`, cfg.Node, cfg.Address, cfg.Version, cfg.Fingerprint, cfg.secret, epoch).Scan(&now)
	if err == nil && now != epoch {
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
		err := s.pool.QueryRow(beat, `UPDATE nodes SET last_seen = now(), clock_offset = $2
			WHERE name = $1 AND set_config('synchronous_commit', 'off', true) IS NOT NULL RETURNING last_seen, clock_timestamp()`, s.cfg.Node, s.clock.offset()).Scan(&at, &told)
		if err == nil {
			s.clock.measure(asked, told)
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
