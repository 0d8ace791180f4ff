package access

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Records looks up credentials by the hashes of their secrets. Its errors say that it cannot be known now.
type Records interface {
	// TokenOf returns the principal of a token; ok is false where no token that is in force has the hash.
	TokenOf(ctx context.Context, hash Hash) (p Principal, ok bool, err error)
	// SessionOf returns who is signed in with a cookie, and the session's id, "" where there is no such session. local is
	// the hash of the token of LocalAdmin.
	SessionOf(ctx context.Context, hash, local Hash) (p Principal, id string, err error)
}

// The times of what is remembered of a credential.
const (
	// trusted is how long a credential that was good is taken for good: it may be revoked on another node meanwhile.
	trusted = 4 * time.Second
	// lookupLimit bounds one look; one that takes longer counts as a database that is away.
	lookupLimit = time.Second
	// maxRemembered bounds how many credentials are remembered, maxLookups how many unknown ones are looked up at once.
	maxRemembered = 20_000
	maxLookups    = 8
)

// Credentials tells who brings a credential. What was good is remembered: it stays good while the database is away, and
// most calls need no look at the database. Its methods may be called by many goroutines at once.
type Credentials struct {
	records Records
	// local is the hash of the token of LocalAdmin, and hasLocal whether there is one.
	local    Hash
	hasLocal bool
	lookups  chan struct{}

	mu    sync.RWMutex
	known map[credentialKey]*credential
	// revoked counts the calls of Revoke: what was looked up before one is not remembered after it.
	revoked int
}

// credentialKey names a credential: sessions and tokens have secrets of their own.
type credentialKey struct {
	hash    Hash
	session bool
}

// credential is one that was good when it was looked up last.
type credential struct {
	// looking is held by who looks it up again.
	looking sync.Mutex
	found   atomic.Pointer[Found]
	// checked is when it was looked up, tried when that was tried, in nanoseconds of Unix time.
	checked, tried atomic.Int64
	// ended is closed when it is no longer good.
	ended chan struct{}
	once  sync.Once
}

func (c *credential) end() { c.once.Do(func() { close(c.ended) }) }

// Found is what is known of a credential that is good.
type Found struct {
	Principal
	// Session is the id of the session, "" for a token.
	Session string
	// Unverified says that the database could not be asked lately, so that it may have been revoked: good for reads.
	Unverified bool
}

// NewCredentials returns credentials that are looked up in records. local is the token of LocalAdmin, "" for none.
func NewCredentials(records Records, local string) *Credentials {
	return &Credentials{
		records: records, local: HashOf(local), hasLocal: local != "", lookups: make(chan struct{}, maxLookups),
		known: map[credentialKey]*credential{},
	}
}

// Local returns the hash of the token of LocalAdmin; ok is false where there is none.
func (c *Credentials) Local() (hash Hash, ok bool) { return c.local, c.hasLocal }

// Token returns who brings a token; ok is false for one that is not good. The error says that this cannot be known now.
func (c *Credentials) Token(ctx context.Context, secret string) (f Found, ok bool, err error) {
	if c.hasLocal && HashOf(secret) == c.local {
		return Found{Principal: LocalAdmin}, true, nil
	}
	if !strings.HasPrefix(secret, TokenPrefix) {
		return f, false, nil // nobody has ever made it
	}
	return c.find(ctx, credentialKey{hash: HashOf(secret)})
}

// Session returns who is signed in with a cookie; ok is false for one that is not good. The error says that this cannot
// be known now.
func (c *Credentials) Session(ctx context.Context, cookie string) (f Found, ok bool, err error) {
	return c.find(ctx, credentialKey{hash: HashOf(cookie), session: true})
}

func (c *Credentials) find(ctx context.Context, key credentialKey) (f Found, ok bool, err error) {
	c.mu.RLock()
	known := c.known[key]
	c.mu.RUnlock()
	if known == nil {
		return c.findUnknown(ctx, key)
	}
	return c.recheck(ctx, key, known)
}

// findUnknown looks up a credential that is not remembered.
func (c *Credentials) findUnknown(ctx context.Context, key credentialKey) (f Found, ok bool, err error) {
	select {
	case c.lookups <- struct{}{}:
		defer func() { <-c.lookups }()
	case <-ctx.Done():
		return f, false, ctx.Err()
	}
	c.mu.RLock()
	before := c.revoked
	c.mu.RUnlock()
	if f, ok, err = c.lookUp(ctx, key); err != nil || !ok {
		return f, ok, err
	}
	c.remember(key, f, before)
	return f, true, nil
}

// remember keeps a credential that was good when there were so many calls of Revoke. Where there are maxRemembered, any
// others give way.
func (c *Credentials) remember(key credentialKey, f Found, revoked int) {
	made := &credential{ended: make(chan struct{})}
	made.found.Store(&f)
	made.checked.Store(time.Now().UnixNano())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[key] != nil || c.revoked != revoked {
		return
	}
	for old := range c.known {
		if len(c.known) < maxRemembered {
			break
		}
		delete(c.known, old)
	}
	c.known[key] = made
}

// recheck returns what is known of a credential, after another look where that is due.
func (c *Credentials) recheck(ctx context.Context, key credentialKey, known *credential) (f Found, ok bool, err error) {
	now := time.Now()
	if now.UnixNano()-known.checked.Load() > int64(trusted) {
		c.lookAgain(ctx, key, known, now)
	}
	select {
	case <-known.ended:
		return f, false, nil
	default:
	}
	f = *known.found.Load()
	if f.Expired(now) {
		c.forget(key, known)
		return f, false, nil
	}
	f.Unverified = now.UnixNano()-known.checked.Load() > int64(trusted)
	return f, true, nil
}

// lookAgain looks a credential up once more, at most once in lookupLimit: while the database is away it stays as it was.
func (c *Credentials) lookAgain(ctx context.Context, key credentialKey, known *credential, now time.Time) {
	known.looking.Lock()
	defer known.looking.Unlock()
	due := now.UnixNano()
	if due-known.checked.Load() <= int64(trusted) || due-known.tried.Load() < int64(lookupLimit) {
		return // somebody else has just done so
	}
	f, ok, err := c.lookUp(context.WithoutCancel(ctx), key)
	switch {
	case err != nil:
		known.tried.Store(time.Now().UnixNano())
	case !ok:
		c.forget(key, known)
	default:
		known.found.Store(&f)
		known.checked.Store(due)
	}
}

// lookUp asks the records.
func (c *Credentials) lookUp(ctx context.Context, key credentialKey) (f Found, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	if key.session {
		f.Principal, f.Session, err = c.records.SessionOf(ctx, key.hash, c.local)
		return f, f.Session != "", err
	}
	f.Principal, ok, err = c.records.TokenOf(ctx, key.hash)
	return f, ok, err
}

func (c *Credentials) forget(key credentialKey, known *credential) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[key] == known {
		delete(c.known, key)
	}
	known.end()
}

// Revoke ends every remembered credential that matches: what was ended in the database ends here at once. Those that are
// still good are looked up anew.
func (c *Credentials) Revoke(matches func(Found) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revoked++
	for key, known := range c.known {
		if matches(*known.found.Load()) {
			delete(c.known, key)
			known.end()
		}
	}
}

// Watch returns a context that ends when the credential does: when it expires, is revoked here, or is found revoked, or to be
// restricted to another scope than the given one. For LocalAdmin and where there is no credential it ends with ctx alone.
// cookie and token are what the caller brought.
func (c *Credentials) Watch(ctx context.Context, token, cookie string, scope *Scope) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	key := credentialKey{hash: HashOf(token)}
	if token == "" {
		key = credentialKey{hash: HashOf(cookie), session: true}
	}
	if token == "" && cookie == "" || c.hasLocal && !key.session && key.hash == c.local {
		return ctx, cancel
	}
	go func() {
		defer cancel()
		for {
			f, ok, err := c.find(ctx, key)
			if err == nil && (!ok || !f.Scope.Equal(scope)) {
				return
			}
			c.mu.RLock()
			known := c.known[key]
			c.mu.RUnlock()
			var ended chan struct{}
			if known != nil {
				ended = known.ended
			}
			turn := time.NewTimer(turnOf(f, time.Now()))
			select {
			case <-ctx.Done():
			case <-ended:
			case <-turn.C:
			}
			turn.Stop()
			if ctx.Err() != nil {
				return
			}
		}
	}()
	return ctx, cancel
}

// turnOf returns when a credential is looked at again.
func turnOf(f Found, now time.Time) time.Duration {
	if !f.ExpiresAt.IsZero() {
		return max(min(trusted, f.ExpiresAt.Sub(now)), time.Millisecond)
	}
	return trusted
}
