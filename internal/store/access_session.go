package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// NewSession is what a session is opened for.
type NewSession struct {
	// Hash is that of its cookie.
	Hash access.Hash
	// Of is who signs in. Local is the hash of the token of access.LocalAdmin; it is nil for others.
	Of    access.Principal
	Local *access.Hash
	// Link is the hash of the link that signs in, nil for none: then Of is whom the link names.
	Link *access.Hash
	// Address and Agent are those of the client.
	Address, Agent string
}

// OpenSession opens a session and returns it. Where it is opened by a link, that link is used up; errors are then
// KindWrongLink for one that is not there, or was used, or has ended.
func (s *Store) OpenSession(ctx context.Context, n NewSession, w AccessWrite) (opened access.Session, err error) {
	opened = access.Session{ID: uuid.Must(uuid.NewV7()).String(), Principal: n.Of, Address: n.Address, Agent: cutAt(n.Agent, 300)}
	err = s.writeAccess(ctx, &w, func(tx pgx.Tx) error {
		if n.Link != nil {
			if err := useLink(ctx, tx, &n); err != nil {
				return err
			}
			opened.Principal = n.Of
			w.Entry.Actor, w.Entry.ActorKind = n.Of.Name, n.Of.Kind
		}
		token, user, local := owner(n.Of, n.Local)
		var limit *time.Time // a session does not outlive what opened it
		if !n.Of.ExpiresAt.IsZero() {
			limit = &n.Of.ExpiresAt
		}
		if _, err := tx.Exec(ctx, `DELETE FROM sessions WHERE expires_at < now() OR seen_at < now() - $1::interval`, access.SessionIdle); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `INSERT INTO sessions (id, hash, token, user_name, local, expires_at, address, agent)
			VALUES ($1, $2, $3, $4, $5, least(now() + $6::interval, $7), $8, $9) RETURNING created_at, seen_at, expires_at`,
			opened.ID, n.Hash[:], token, user, local, access.SessionLifetime, limit, n.Address, opened.Agent).
			Scan(&opened.CreatedAt, &opened.SeenAt, &opened.ExpiresAt)
	})
	return opened, err
}

// owner returns whose a session or a link is, as its columns have it.
func owner(of access.Principal, local *access.Hash) (token, user *string, localHash []byte) {
	switch {
	case local != nil:
		return nil, nil, local[:]
	case of.Kind == access.KindToken:
		return &of.ID, nil, nil
	}
	return nil, &of.ID, nil
}

// useLink uses a link up and says in n who signs in with it.
func useLink(ctx context.Context, tx pgx.Tx, n *NewSession) error {
	rows, err := tx.Query(ctx, `WITH used AS (DELETE FROM signin_links WHERE hash = $1 RETURNING *)
		SELECT CASE WHEN t.id IS NULL THEN 'user' ELSE 'token' END, coalesce(t.id::text, u.name, ''), coalesce(t.name, u.name, ''), coalesce(t.role, u.role, ''), coalesce(t.scope, u.scope), used.local, t.expires_at
		FROM used LEFT JOIN users u ON u.name = used.user_name LEFT JOIN tokens t ON t.id = used.token
		WHERE used.expires_at > now() AND (t.expires_at IS NULL OR t.expires_at > now())`, n.Link[:])
	if err != nil {
		return err
	}
	type link struct {
		Kind           access.Kind
		ID, Name, Role string
		Scope          *access.Scope
		Local          []byte
		Ends           *time.Time
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[link])
	l, err := one(found, err, errWrongLink)
	if err != nil {
		return err
	}
	if l.Local != nil {
		if n.Local == nil || string(l.Local) != string(n.Local[:]) { // that token is not in force here any more
			return errWrongLink
		}
		n.Of = access.LocalAdmin
		return nil
	}
	role, err := readRole(l.Role)
	n.Local, n.Of = nil, access.Principal{Kind: l.Kind, ID: l.ID, Name: l.Name, Role: role, Scope: l.Scope}
	if l.Ends != nil {
		n.Of.ExpiresAt = *l.Ends
	}
	return err
}

// errWrongLink refuses a link that signs nobody in.
var errWrongLink error = &dat.Error{Return: dat.RetPrivilegesViolation, Kind: KindWrongLink, Detail: "this link was used already, or is older than ten minutes; ask for another one"}

// selectSessions selects the sessions that are open; a local one is open where the service has the token with the hash $1.
const selectSessions = `SELECT s.id::text, s.hash, s.token::text, s.user_name, t.name, t.role, t.expires_at, u.role, coalesce(t.scope, u.scope), s.created_at, s.seen_at, s.expires_at, s.address, s.agent
	FROM sessions s LEFT JOIN tokens t ON t.id = s.token LEFT JOIN users u ON u.name = s.user_name
	WHERE s.expires_at > now() AND s.seen_at > now() - $2::interval AND (s.local IS NULL OR s.local = $1) AND (t.expires_at IS NULL OR t.expires_at > now())`

// storedSession is a session with the hash of its cookie.
type storedSession struct {
	access.Session
	hash []byte
}

func scanSession(row pgx.CollectableRow) (s storedSession, err error) {
	var token, user, tokenName, tokenRole, userRole *string
	var tokenEnds *time.Time
	var scope *access.Scope
	err = row.Scan(&s.ID, &s.hash, &token, &user, &tokenName, &tokenRole, &tokenEnds, &userRole, &scope, &s.CreatedAt, &s.SeenAt, &s.ExpiresAt, &s.Address, &s.Agent)
	if err != nil {
		return s, err
	}
	switch {
	case token != nil:
		s.Principal = access.Principal{Kind: access.KindToken, ID: *token, Name: *tokenName, Scope: scope}
		s.Principal.Role, err = readRole(*tokenRole)
		if tokenEnds != nil && tokenEnds.Before(s.ExpiresAt) {
			s.ExpiresAt = *tokenEnds
		}
	case user != nil:
		s.Principal = access.Principal{Kind: access.KindUser, ID: *user, Name: *user, Scope: scope}
		s.Principal.Role, err = readRole(*userRole)
	default:
		s.Principal = access.LocalAdmin
	}
	s.Principal.ExpiresAt = s.ExpiresAt
	return s, err
}

// Sessions returns the open sessions, the newest first. local is the hash of the token that the service was started with.
func (s *Store) Sessions(ctx context.Context, local access.Hash) ([]access.Session, error) {
	found, err := readAccess(ctx, s, scanSession, selectSessions+` ORDER BY s.created_at DESC, s.id`, local[:], access.SessionIdle)
	all := make([]access.Session, len(found))
	for i := range found {
		all[i] = found[i].Session
	}
	return all, err
}

// EndSession ends a session. The error is KindNoRecord where there is none.
func (s *Store) EndSession(ctx context.Context, id string, w AccessWrite) error {
	if !isID(id) {
		return errNoSuch("session", id)
	}
	return s.writeAccess(ctx, &w, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM sessions WHERE id = $1`, id)
		return changedOne(tag.RowsAffected(), err, errNoSuch("session", id))
	})
}
