package main

import (
	"context"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// statusPause lies between two looks at what is live and not recorded.
const statusPause = time.Second

// clearScreen empties a terminal before the same table is printed anew.
const clearScreen = "\x1b[H\x1b[2J"

// watchVerb shows an answer again after each change, until it is interrupted, which is no failure.
func watchVerb(ctx context.Context, cl *client, n noun, v verb, rq *request, p *printer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	again := func() error {
		a, err := cl.do(ctx, rq)
		if err != nil {
			return err
		}
		return p.again(v.answer, a.body)
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

// watchChanges prints each change as it comes, from now on.
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

// poll looks again and again: what it shows has live members that no change announces.
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

// again shows a later answer to the same question: on a terminal in place of the one before, for programs as one
// more line.
func (p *printer) again(kind answerKind, body []byte) error {
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

// isTerminal tells whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
