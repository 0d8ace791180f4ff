package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// readyTimeout bounds the question whether the database answers. Whoever asks for
// readiness waits no longer.
const readyTimeout = 2 * time.Second

// Check is one thing that a service needs of its store.
type Check struct {
	// Name is what is checked: database, log, writes, events or node.
	Name string
	// Err is why it is not as it should be, nil if it is.
	Err error
	// Note is what else there is to say of it, empty if there is nothing.
	Note string
	// Since is when it became what it is, as far as that was noticed.
	Since time.Time
}

// Checks returns everything that the service needs of its store. It takes readyTimeout
// at most.
func (s *Store) Checks(ctx context.Context) []Check {
	awaySince, away := s.recorder.awaySince()
	waiting := s.recorder.Waiting()
	s.log.mu.Lock()
	stale, staleSince := s.log.stale, s.log.fresh.Observe(!s.log.stale)
	s.log.mu.Unlock()

	database := Check{Name: "database"}
	database.Note, database.Err = s.databaseAnswers(ctx)
	database.Since = s.database.Observe(database.Err == nil)
	if p := s.cfg.Private; p != nil {
		database.Note = "the private PostgreSQL"
		if state := p.State(); !state.Up {
			database.Since = state.Since
		}
	}
	changes := Check{Name: "log", Since: staleSince}
	if stale {
		changes.Err = errors.New("the log of changes is not caught up: the database was asked in vain")
	}
	writes := Check{Name: "writes", Err: away, Since: awaySince}
	events := Check{Name: "events", Note: fmt.Sprintf("%d wait for their record", waiting), Since: writes.Since}
	if away != nil && waiting > 0 {
		events.Err, events.Note = fmt.Errorf("%d events wait for their record until the database is back", waiting), ""
	}
	node := Check{Name: "node", Note: fmt.Sprintf("%s, epoch %d", s.cfg.Node, s.recorder.epoch), Since: s.opened}
	select {
	case <-s.TakenOver():
		node.Err, node.Since = fmt.Errorf("another process has taken over node %q", s.cfg.Node), writes.Since
	default:
	}
	return []Check{database, changes, writes, events, node}
}

// databaseAnswers returns what the database says of its replication, or an error that says
// in plain words why it does not answer.
func (s *Store) databaseAnswers(ctx context.Context) (note string, err error) {
	if reason := s.recorder.whyAway(); reason != "" {
		return "", errors.New(reason)
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if note, err = replicationNote(ctx, s.pool); err != nil {
		return "", errors.New(s.cfg.Private.downReason(plainReason(err)))
	}
	return note, nil
}

// replicationNote returns whether commits on a server wait for standbys and how many of
// those stream, as far as the user may read it, with the server's time line and address.
func replicationNote(ctx context.Context, db querier) (string, error) {
	var names, commit string
	var streaming, timeline, port int
	var readable bool
	var host *string
	err := db.QueryRow(ctx, `SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit'),
			(SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')),
			pg_has_role('pg_read_all_stats', 'USAGE'),
			CASE WHEN pg_is_in_recovery() THEN 0 ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END,
			host(inet_server_addr()), coalesce(inet_server_port(), 0)`).
		Scan(&names, &commit, &streaming, &readable, &timeline, &host, &port)
	if err != nil {
		return "", err
	}
	note := "commits wait for no standby"
	if names != "" && commit != "off" && commit != "local" {
		note = fmt.Sprintf("commits wait for standbys, %d of which stream", streaming)
		if !readable {
			note = "commits wait for standbys, and pg_read_all_stats is needed to see how many stream"
		}
	}
	note += fmt.Sprintf(" (synchronous_standby_names '%s', synchronous_commit %s), timeline %d", names, commit, timeline)
	if host != nil { // not over a socket
		note += ", server " + net.JoinHostPort(*host, strconv.Itoa(port))
	}
	return note, nil
}

// awaySince returns since when writes are possible or are not, and what Away returns.
func (r *Recorder) awaySince() (since time.Time, away error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since = r.writable.Observe(r.away == nil)
	if r.away == nil { // not a nil *dat.Error, which is an error
		return since, nil
	}
	return since, r.away
}

// whyAway returns why writes are not possible, which attempt to reach the database was
// the last, and what became of it; empty if they are.
func (r *Recorder) whyAway() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away == nil {
		return ""
	}
	return r.awayReason(r.away.Cause)
}

// awayReason returns why the database is away: err was the last that was heard of it.
// The caller holds r.mu.
func (r *Recorder) awayReason(err error) string {
	return r.private.downReason(fmt.Sprintf("attempt %d: %s", r.attempts, plainReason(err)))
}

// downReason returns why a private PostgreSQL is not up, and else the reason that is
// known otherwise. There may be no private PostgreSQL: p may be nil.
func (p *Postgres) downReason(otherwise string) string {
	if p == nil {
		return otherwise
	}
	state := p.State()
	if state.Up || state.Reason == "" {
		return otherwise
	}
	return fmt.Sprintf("the private PostgreSQL is started again, attempt %d; the last one ended: %s", state.Attempts, state.Reason)
}

// plainReasons says in plain words what an error of the database means. The first row
// whose code is a prefix of the error's counts.
var plainReasons = []struct{ code, reason string }{
	{"53100", "its disk is full"},
	{"53200", "it has no memory left"},
	{"53300", "it has no connection left"},
	{"57P03", "it is starting or stopping"},
	{"57", "it ended the connection"},
	{readOnly, "it takes no writes: it is a standby or set to read only"},
	{"28", "it refuses this service's user or password"},
	{"3D", "it has no database of this name"},
	{"42501", "this service's user lacks a right in it"},
}

// plainErrors does so for errors of the connection.
var plainErrors = []struct {
	err    error
	reason string
}{
	{errNodeTaken, "it still knows a former connection of this node"},
	{errFenced, "another process has taken over this node"},
	{errRestoring, errRestoring.Error()},
	{errStandbysAway, "its standbys do not answer"},
	{errNotReplicated, "its standbys do not answer"},
	{errCommitPending, errCommitPending.Error()},
	{errStopped, errStopped.Error()},
	{syscall.ECONNREFUSED, "it refuses connections"},
	{syscall.ENOENT, "its socket is not there"},
	{syscall.ECONNRESET, "it closed the connection"},
	{syscall.EHOSTUNREACH, "its host cannot be reached"},
	{syscall.ENETUNREACH, "its host cannot be reached"},
	{io.ErrUnexpectedEOF, "it closed the connection"},
	{io.EOF, "it closed the connection"},
	{context.DeadlineExceeded, "it did not answer in time"},
	{context.Canceled, "it did not answer in time"},
}

// plainReason returns an error of the database or of its connection in plain words,
// without addresses, names and statements.
func plainReason(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		for _, r := range plainReasons {
			if strings.HasPrefix(pg.Code, r.code) {
				return r.reason
			}
		}
		return "it answers with an error (SQLSTATE " + pg.Code + ")"
	}
	for _, r := range plainErrors {
		if errors.Is(err, r.err) {
			return r.reason
		}
	}
	if pgconn.Timeout(err) {
		return "it did not answer in time"
	}
	return "the connection to it failed"
}

// Since is the time at which something became good or bad. Its methods may be called
// from several goroutines.
type Since struct {
	mu    sync.Mutex
	known bool
	good  bool
	at    time.Time
}

// Observe notes what it is now, and returns since when it has been so.
func (s *Since) Observe(good bool) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known || s.good != good {
		s.known, s.good, s.at = true, good, time.Now()
	}
	return s.at
}
