package access

import "time"

// Token is a credential that programs bring with each call; its secret is known to its owner alone.
type Token struct {
	ID   string
	Name string
	Role Role
	// Scope is to what it is restricted, nil for everything.
	Scope *Scope
	// ExpiresAt is when it ends, nil for never.
	ExpiresAt *time.Time
	CreatedAt time.Time
	// CreatedBy is the name of who made it.
	CreatedBy string
}

// User is a person who signs in.
type User struct {
	// Name is the user's id, too.
	Name string
	Role Role
	// Scope is to what the user is restricted, nil for everything.
	Scope *Scope
	// HasPassword says whether the user can sign in with a password, and not by links alone.
	HasPassword bool
	CreatedAt   time.Time
	// CreatedBy is the name of who made it.
	CreatedBy string
}

// Session is one browser that is signed in.
type Session struct {
	ID string
	// Principal is who is signed in, as the record says now.
	Principal Principal
	CreatedAt time.Time
	// SeenAt is when it was used last, to within a few minutes.
	SeenAt    time.Time
	ExpiresAt time.Time
	// Address and Agent are the client's address and User-Agent when it was opened.
	Address, Agent string
}

// The limits of a session: how long it lives, and how long unused.
const (
	SessionLifetime = 7 * 24 * time.Hour
	SessionIdle     = 12 * time.Hour
)

// LinkLifetime is how long a link that signs somebody in once can be used.
const LinkLifetime = 10 * time.Minute

// Outcomes of what the audit names.
const (
	OutcomeDone    = "done"
	OutcomeRefused = "refused"
)

// Entry is a line of the audit: what was done about who may, or refused for want of rights.
type Entry struct {
	// ID and At are given when it is recorded.
	ID   string
	At   time.Time
	Node string
	// Actor and ActorKind are who did it or tried to.
	Actor     string
	ActorKind Kind
	// Action is the id of the call, such as create-token.
	Action string
	// Object is what it was done to, "" for nothing.
	Object string
	// Address is where the call came from.
	Address string
	// Reason is the caller's own, "" for none; Detail says more, "" for nothing.
	Reason, Detail string
	// Outcome is one of OutcomeDone and OutcomeRefused.
	Outcome   string
	RequestID string
}
