package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

const (
	heartbeat = 5 * time.Second
	// NodeTimeout is how long a node is UP after it was last seen.
	NodeTimeout = 4 * heartbeat
)

// Node is a host that shares this database.
type Node struct {
	Name     string   `json:"name"`
	Address  string   `json:"address"`
	Version  string   `json:"version"`
	Epoch    int64    `json:"epoch"`
	LastSeen dat.Time `json:"last_seen"`
	// State is UP, or DOWN where it was not seen for NodeTimeout. A LastSeen that
	// lies further in the future says nothing: the database's clock was set back.
	State string `json:"state"`
}

// Nodes are all hosts that ever opened this database, by name.
func (s *Store) Nodes(ctx context.Context) ([]Node, error) {
	rows, err := s.pool.Query(ctx, `SELECT name, address, version, epoch, last_seen,
		CASE WHEN last_seen BETWEEN now() - $1::interval AND now() + $1::interval THEN 'UP' ELSE 'DOWN' END
		FROM nodes ORDER BY name`, NodeTimeout)
	if err != nil {
		return nil, mapError(err)
	}
	nodes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Node, error) {
		var n Node
		var seen time.Time
		err := row.Scan(&n.Name, &n.Address, &n.Version, &n.Epoch, &seen, &n.State)
		n.LastSeen = dat.At(seen)
		return n, err
	})
	return nodes, mapError(err)
}

// claimNode enters this process as the node's owner: a new epoch, which shuts out
// whoever wrote with an older one. It waits for a transaction that still runs.
func claimNode(ctx context.Context, conn *pgx.Conn, cfg Config) (epoch int64, err error) {
	err = conn.QueryRow(ctx, `INSERT INTO nodes (name, address, version, epoch) VALUES ($1, $2, $3, 1)
		ON CONFLICT (name) DO UPDATE SET address = excluded.address, version = excluded.version,
			epoch = nodes.epoch + 1, last_seen = now()
		RETURNING epoch`, cfg.Node, cfg.Address, cfg.Version).Scan(&epoch)
	if err != nil {
		return 0, err
	}
	_, err = conn.Exec(ctx, `DELETE FROM groups WHERE node = $1`, cfg.Node)
	return epoch, err
}

// heartbeats says every few seconds that this node lives.
func (s *Store) heartbeats(ctx context.Context) {
	every(ctx, heartbeat, func() {
		beat, cancel := context.WithTimeout(ctx, heartbeat)
		defer cancel()
		_, err := s.pool.Exec(beat, `UPDATE nodes SET last_seen = now() WHERE name = $1`, s.cfg.Node)
		if err != nil && mappingOf(err).match == readOnly {
			s.pool.Reset() // the server was demoted: its connections must not be read from either
		}
		// A lost beat is made good by the next; the log says that the database is away.
	})
}

// every calls work at an interval until ctx ends.
func every(ctx context.Context, interval time.Duration, work func()) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			work()
		}
	}
}
