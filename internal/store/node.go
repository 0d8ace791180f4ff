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
	// NodeTimeout is how long a node is UP after it was seen last.
	NodeTimeout = 4 * heartbeat
)

// The states of a node.
const (
	NodeUp   = "UP"
	NodeDown = "DOWN"
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
	// State is UP, or DOWN if the node was not seen for NodeTimeout. A LastSeen that
	// is further than that in the future is no sign of life: the database's clock was
	// set back.
	State string `json:"state"`
	// Fingerprint is the SHA-256 of the certificate that it serves with, empty for plain
	// HTTP.
	Fingerprint []byte `json:"-"`
	// Secret proves to the node that a call comes from another one. It is for the nodes
	// alone, and new with each start.
	Secret []byte `json:"-"`
}

// Nodes returns all hosts that ever opened this database, by name.
func (s *Store) Nodes(ctx context.Context) ([]Node, error) {
	rows, err := s.pool.Query(ctx, `SELECT name, address, version, epoch, last_seen, fingerprint, secret,
		CASE WHEN last_seen BETWEEN now() - $1::interval AND now() + $1::interval THEN 'UP' ELSE 'DOWN' END
		FROM nodes ORDER BY name`, NodeTimeout)
	if err != nil {
		return nil, mapError(err)
	}
	nodes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Node, error) {
		var n Node
		var seen time.Time
		err := row.Scan(&n.Name, &n.Address, &n.Version, &n.Epoch, &seen, &n.Fingerprint, &n.Secret, &n.State)
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
			LastSeen: dat.At(time.Unix(0, s.lastSeen.Load())), State: NodeUp,
		}}
	}
	return nodes, partial, err
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
			fingerprint = excluded.fingerprint, secret = excluded.secret, epoch = nodes.epoch + 1, last_seen = now()
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
			fingerprint = excluded.fingerprint, secret = excluded.secret, epoch = greatest(nodes.epoch, excluded.epoch), last_seen = now()
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
	every(ctx, heartbeat, func() {
		beat, cancel := context.WithTimeout(ctx, heartbeat)
		defer cancel()
		// A sign of life need not be on the standbys: it does not wait for them.
		_, err := s.pool.Exec(beat, `UPDATE nodes SET last_seen = now()
			WHERE name = $1 AND set_config('synchronous_commit', 'local', true) IS NOT NULL`, s.cfg.Node)
		if err == nil {
			s.lastSeen.Store(time.Now().UnixNano())
		}
		if err != nil && mappingOf(err).match == readOnly {
			s.pool.Reset() // the server was demoted: its connections must not be read from either
		}
	})
}
