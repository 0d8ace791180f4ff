package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// queryPatience is how long one query of the pool may take where its caller set
// no bound: longer than any list needs, shorter than anybody waits for a probe.
const queryPatience = 10 * time.Second

// acquirePatience is how long a query waits for a connection that answers, where
// its caller set no bound: each idle one that is dead takes a part of it.
const acquirePatience = 5 * time.Second

// livingPatience is how long all objects of a node may take to be read at start.
const livingPatience = 5 * time.Minute

// deadlines bounds every query of a connection. A database that is stopped, and
// not ended, leaves its connections open and answers nothing: without a bound
// whoever sent a query before it was noticed would wait for ever.
type deadlines struct{}

type deadlineKey struct{}

// TraceQueryStart gives a query without a deadline one of its own.
func (deadlines) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return bound(ctx, queryPatience)
}

// TraceQueryEnd lets go of the deadline that TraceQueryStart gave.
func (deadlines) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	unbind(ctx)
}

// TraceAcquireStart bounds the wait for a connection in the same way.
func (deadlines) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return bound(ctx, acquirePatience)
}

// TraceAcquireEnd lets go of the deadline that TraceAcquireStart gave.
func (deadlines) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	unbind(ctx)
}

func bound(ctx context.Context, patience time.Duration) context.Context {
	if _, has := ctx.Deadline(); has {
		return ctx
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	return context.WithValue(ctx, deadlineKey{}, cancel)
}

func unbind(ctx context.Context) {
	if cancel, ours := ctx.Value(deadlineKey{}).(context.CancelFunc); ours {
		cancel()
	}
}
