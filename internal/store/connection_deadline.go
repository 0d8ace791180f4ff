package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// queryTimeout bounds a query whose caller set no deadline. Any list needs less. With
	// acquireTimeout it is what a request waits for the database at most, 10 s.
	queryTimeout = 7 * time.Second
	// acquireTimeout bounds the wait for a connection of the pool where the caller set
	// no deadline. Each idle connection that is dead takes a part of it.
	acquireTimeout = 3 * time.Second
	// livingTimeout bounds what reads all objects at start.
	livingTimeout = 5 * time.Minute
)

// deadlines gives every query a deadline, as a tracer of pgx. A database that is
// frozen leaves its connections open and answers nothing: without a deadline a query
// that was sent before anybody noticed would wait for ever.
type deadlines struct{}

// deadlineKey is the key of the cancel function in a query's context.
type deadlineKey struct{}

// TraceQueryStart adds a deadline to a query that has none.
func (deadlines) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return withDeadline(ctx, queryTimeout)
}

// TraceQueryEnd releases the deadline that TraceQueryStart added.
func (deadlines) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	releaseDeadline(ctx)
}

// TraceAcquireStart adds a deadline to a wait for a connection that has none.
func (deadlines) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return withDeadline(ctx, acquireTimeout)
}

// TraceAcquireEnd releases the deadline that TraceAcquireStart added.
func (deadlines) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	releaseDeadline(ctx)
}

// withDeadline returns a context with a deadline: its own if it has one.
func withDeadline(ctx context.Context, timeout time.Duration) context.Context {
	if _, has := ctx.Deadline(); has {
		if ctx.Value(deadlineKey{}) != nil { // that of a query or a wait around this one, which goes on
			ctx = context.WithValue(ctx, deadlineKey{}, nil)
		}
		return ctx
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	return context.WithValue(ctx, deadlineKey{}, cancel)
}

// releaseDeadline releases the deadline that withDeadline added, if it did.
func releaseDeadline(ctx context.Context) {
	if cancel, added := ctx.Value(deadlineKey{}).(context.CancelFunc); added {
		cancel()
	}
}
