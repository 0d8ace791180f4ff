package store

import (
	"context"
	"time"
)

const (
	// ownerCheck is the interval at which an idle recorder looks whether its connection
	// lives and its process still owns the node. After a restart of the database it has
	// the node's lock again within this time and a reconnection.
	ownerCheck = time.Second
	// formerOwnerTimeout is how long a start leaves a former owner that may be alive for
	// taking the node's lock again, after a restart of the database. It is longer than
	// ownerCheck, backoffMax and a connection take together.
	formerOwnerTimeout = 5 * time.Second
	// formerOwnerPoll is the interval at which it looks for that.
	formerOwnerPoll = 50 * time.Millisecond
)

// checkSession drops the session of an idle recorder if its connection is dead, or if
// the node has another epoch: the recorder takes the node's lock again then, and finds
// out what became of its node.
func (r *Recorder) checkSession(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, roundTrip)
	defer cancel()
	var epoch int64
	err := r.session.conn.QueryRow(ctx, `SELECT coalesce(max(epoch), 0) FROM nodes WHERE name = $1`, r.node).Scan(&epoch)
	if err != nil || epoch != r.epoch {
		r.servers.fail(r.session.conn, err)
		r.dropSession()
	}
	if ctx.Err() != nil { // it does not answer: a new connection is no help
		r.setAway(err, false)
	}
}

// awaitFormerOwner waits, for up to formerOwnerTimeout, if it may be that the node's
// former owner is alive although nobody holds the node's lock: the database was
// started again after it was seen last. It returns when somebody has the lock.
func awaitFormerOwner(ctx context.Context, db querier, node string) error {
	ctx, cancel := context.WithTimeout(ctx, formerOwnerTimeout)
	defer cancel()
	var restarted bool
	err := db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM nodes WHERE name = $1 AND last_seen <= pg_postmaster_start_time())`, node).Scan(&restarted)
	if err != nil || !restarted {
		return err
	}
	poll := time.NewTicker(formerOwnerPoll)
	defer poll.Stop()
	for {
		var held bool
		err := db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND classid = $1::bigint::oid AND objid = (hashtext($2)::bigint & 4294967295)::oid)`, nodeLock, node).Scan(&held)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil || held {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
		}
	}
}
