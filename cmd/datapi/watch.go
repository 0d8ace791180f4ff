package main

import (
	"context"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// statusPause is the time between two requests for what is live and not recorded.
const statusPause = time.Second

// clearScreen clears a terminal before the table is printed again.
const clearScreen = "\x1b[H\x1b[2J"

// watchVerb prints an answer again after each change, until it is interrupted, which is no error.
func watchVerb(ctx context.Context, cl *client, n noun, v verb, rq *request, p *printer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	again := func() error {
		a, err := cl.do(ctx, rq)
		if err != nil {
			return err
		}
		return p.reprint(v.answer, a.body)
	}
	if n.watched == "" {
		return watchChanges(ctx, cl, rq, p)
	}
	var err error
	if v.answer == list && v.columns == nil {
		err = follow(ctx, cl, url.Values{"type": {n.watched}}, p.err, again, func(string) error { return again() })
	} else {
		err = poll(ctx, again)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// watchChanges prints each change from now on.
func watchChanges(ctx context.Context, cl *client, rq *request, p *printer) error {
	for _, only := range []string{"limit", "cursor", "order", "since", "until"} {
		rq.query.Del(only)
	}
	started := false
	ready := func() error {
		if !started && !p.json {
			p.heading(p.out)
		}
		started = true
		return nil
	}
	return follow(ctx, cl, rq.query, p.err, ready, func(change string) error {
		if p.json {
			return p.line([]byte(change))
		}
		return p.row(p.out, []byte(change))
	})
}

// poll calls again at intervals: the answer has live members, of which no change tells.
func poll(ctx context.Context, again func() error) error {
	for {
		if err := again(); err != nil {
			return err
		}
		if !pause(ctx, statusPause) {
			return nil
		}
	}
}

// reprint prints a later answer to the same request: on a terminal in place of the one before, for programs as one
// more line.
func (p *printer) reprint(kind answerKind, body []byte) error {
	if p.json {
		return p.line(body)
	}
	if isTerminal(p.out) {
		if _, err := p.out.Write([]byte(clearScreen)); err != nil {
			return err
		}
	}
	return p.answer(kind, body)
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
