package access

import "time"

// Kind says what a principal is.
type Kind string

// The kinds of principals. Anonymous is everybody where nobody is asked who they are.
const (
	KindAnonymous Kind = "anonymous"
	KindToken     Kind = "token"
	KindUser      Kind = "user"
)

// Principal is who calls. It is a value: what it says held when the credential was looked at.
type Principal struct {
	Kind Kind
	// ID is the token's id or the user's name: what stays the same while names change. It is "" for who has no record.
	ID string
	// Name is the actor of the principal's changes.
	Name string
	Role Role
	// Scope is to what objects the principal is restricted; nil is everything.
	Scope *Scope
	// ExpiresAt is when the credential ends; the zero time is never.
	ExpiresAt time.Time
}

// Anonymous is everybody where nobody is asked who they are: an admin.
var Anonymous = Principal{Kind: KindAnonymous, Name: "anonymous", Role: Admin}

// LocalAdmin is who brings the token that the service was started with, or that lies in its data directory.
var LocalAdmin = Principal{Kind: KindToken, Name: "admin", Role: Admin}

// Key returns what identifies the principal among all, for what belongs to it such as its Idempotency-Keys and its
// share of the rate. Those without a record are identified by their names, as they were before there were others.
func (p Principal) Key() string {
	if p.ID == "" {
		return p.Name
	}
	return string(p.Kind) + ":" + p.ID
}

// May reports whether the principal has the rights of a role, on the objects in its scope. Those of an admin are about the
// whole service: who is restricted to a scope does not have them.
func (p Principal) May(r Role) bool { return p.Role >= r && (r < Admin || p.Scope == nil) }

// Expired reports whether the principal's credential has ended.
func (p Principal) Expired(now time.Time) bool {
	return !p.ExpiresAt.IsZero() && !now.Before(p.ExpiresAt)
}
