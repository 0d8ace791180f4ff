package store

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// Node is a host that shares this database.
type Node struct {
	Name     string   `json:"name"`
	Address  string   `json:"address"`
	Version  string   `json:"version"`
	Epoch    int64    `json:"epoch"`
	LastSeen dat.Time `json:"last_seen"`
	// State is UP, or DOWN where it was not seen for NodeTimeout.
	State string `json:"state"`
}

// Nodes are all hosts that ever opened this database, by name.
func (s *Store) Nodes(ctx context.Context) ([]Node, error) { return nil, errUnbuilt }
