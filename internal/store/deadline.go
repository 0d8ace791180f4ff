package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// queryPatience is how long one query of the pool may take where its caller set
// no bound: longer than any list needs, shorter than anybody waits for a probe.
const queryPatience = 10 * time.Second

// livingPatience is how long all objects of a node may take to be read at start.
const livingPatience = 5 * time.Minute

// deadlines bounds every query of a connection. A database that is stopped, and
// not ended, leaves its connections open and answers nothing: without a bound
// whoever sent a query before it was noticed would wait for ever.
type deadlines struct{}

type deadlineKey struct{}

// TraceQueryStart gives a query without a deadline one of its own.
func (deadlines) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if _, bound := ctx.Deadline(); bound {
		return ctx
	}
	ctx, cancel := context.WithTimeout(ctx, queryPatience)
	return context.WithValue(ctx, deadlineKey{}, cancel)
}

// TraceQueryEnd lets go of the deadline that TraceQueryStart gave.
func (deadlines) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	if cancel, ours := ctx.Value(deadlineKey{}).(context.CancelFunc); ours {
		cancel()
	}
}
