package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
)

const selectUsers = `SELECT name, role, scope, password IS NOT NULL, created_at, created_by FROM users`

func scanUser(row pgx.CollectableRow) (u access.User, err error) {
	var role string
	if err := row.Scan(&u.Name, &role, &u.Scope, &u.HasPassword, &u.CreatedAt, &u.CreatedBy); err != nil {
		return u, err
	}
	u.Role, err = readRole(role)
	return u, err
}

// Users returns all users by name.
func (s *Store) Users(ctx context.Context) ([]access.User, error) {
	return readAccess(ctx, s, scanUser, selectUsers+` ORDER BY name`)
}

// User returns a user. The error is KindNoRecord for an unknown name.
func (s *Store) User(ctx context.Context, name string) (access.User, error) {
	all, err := readAccess(ctx, s, scanUser, selectUsers+` WHERE name = $1`, name)
	return one(all, err, errNoSuch("user", name))
}

// PasswordHash returns the hash of a user's password, "" where there is no such user or the user has none.
func (s *Store) PasswordHash(ctx context.Context, name string) (string, error) {
	all, err := readAccess(ctx, s, pgx.RowTo[string], `SELECT coalesce(password, '') FROM users WHERE name = $1`, name)
	return one(all, err, nil)
}

// CreateUser makes a user with the hash of a password, "" for none. link, which may be nil, is the hash of a secret that
// signs the user in once. CreatedAt is given to the user. The error is KindNameTaken where there is one of that name.
func (s *Store) CreateUser(ctx context.Context, u *access.User, password string, link *access.Hash, w AccessWrite) error {
	u.HasPassword = password != ""
	return s.writeAccess(ctx, &w, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `INSERT INTO users (name, role, scope, password, created_by) VALUES ($1, $2, $3, nullif($4, ''), $5) RETURNING created_at`,
			u.Name, roleWord(u.Role, u.Scope), u.Scope, password, u.CreatedBy).Scan(&u.CreatedAt)
		if err != nil || link == nil {
			return err
		}
		return insertLink(ctx, tx, *link, access.Principal{Kind: access.KindUser, ID: u.Name}, nil)
	})
}

// UserChange is what is changed of a user.
type UserChange struct {
	// Role is the new role, NoRole for the same one.
	Role access.Role
	// NewScope says that Scope is the new scope; else it stays as it is.
	NewScope bool
	Scope    *access.Scope
	// Password is the hash of the new password, "" for the same one. It ends the user's sessions but KeepSession.
	Password    string
	KeepSession string
}

// ChangeUser changes the user of u's name, and fills u. The error is KindNoRecord for an unknown name.
func (s *Store) ChangeUser(ctx context.Context, u *access.User, c UserChange, w AccessWrite) error {
	return s.writeAccess(ctx, &w, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, selectUsers+` WHERE name = $1 FOR UPDATE`, u.Name)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, scanUser)
		if *u, err = one(found, err, errNoSuch("user", u.Name)); err != nil {
			return err
		}
		if c.Role != access.NoRole {
			u.Role = c.Role
		}
		if c.NewScope {
			u.Scope = c.Scope
		}
		u.HasPassword = u.HasPassword || c.Password != ""
		_, err = tx.Exec(ctx, `UPDATE users SET role = $2, scope = $3, password = coalesce(nullif($4, ''), password) WHERE name = $1`,
			u.Name, roleWord(u.Role, u.Scope), u.Scope, c.Password)
		if err != nil || c.Password == "" {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM sessions WHERE user_name = $1 AND id::text <> $2`, u.Name, c.KeepSession)
		return err
	})
}

// DeleteUser deletes a user, with all sessions and links. The error is KindNoRecord for an unknown name.
func (s *Store) DeleteUser(ctx context.Context, name string, w AccessWrite) error {
	return s.writeAccess(ctx, &w, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM users WHERE name = $1`, name)
		return changedOne(tag.RowsAffected(), err, errNoSuch("user", name))
	})
}

// CreateLink keeps the hash of a secret that signs somebody in once. local is the hash of the token of access.LocalAdmin;
// it is nil for others.
func (s *Store) CreateLink(ctx context.Context, hash access.Hash, of access.Principal, local *access.Hash, w AccessWrite) error {
	return s.writeAccess(ctx, &w, func(tx pgx.Tx) error { return insertLink(ctx, tx, hash, of, local) })
}

// insertLink writes a link, and deletes those that nobody can use any more.
func insertLink(ctx context.Context, tx pgx.Tx, hash access.Hash, of access.Principal, local *access.Hash) error {
	token, user, localHash := owner(of, local)
	if _, err := tx.Exec(ctx, `DELETE FROM signin_links WHERE expires_at < now()`); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO signin_links (hash, token, user_name, local, expires_at) VALUES ($1, $2, $3, $4, now() + $5::interval)`,
		hash[:], token, user, localHash, access.LinkLifetime)
	return err
}
