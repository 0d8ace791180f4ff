package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// statusPause is the time between two requests for what is live and not recorded.
const statusPause = time.Second

// clearScreen clears a terminal before the table is printed again.
const clearScreen = "\x1b[H\x1b[2J"

// watchVerb prints answers again after each change, until it is interrupted, which is no error.
func watchVerb(ctx context.Context, run call, args []string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := &watcher{run: run, args: args}
	var err error
	switch n, v := run.noun, run.verb; {
	case n.name == changeNoun.name:
		err = watchChanges(ctx, run)
	case v.answer == list && v.columns == nil && n.watched != "":
		err = w.watchList(ctx)
	default:
		err = poll(ctx, func() error { return w.show(ctx) })
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// watcher shows answers when they are others than before.
type watcher struct {
	run   call
	args  []string
	shown [][]byte
}

// listPause is the least time between two requests for a list: of many changes at once the last one tells enough.
const listPause = 250 * time.Millisecond

// watchList shows the list, and again after changes of its objects. While no service answers it waits for one.
func (w *watcher) watchList(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	changed, ended := make(chan struct{}, 1), make(chan error, 1)
	note := func() error {
		select {
		case changed <- struct{}{}:
		default: // it is noted already
		}
		return nil
	}
	go func() {
		types := url.Values{"type": {w.run.noun.watched}}
		ended <- follow(ctx, w.run.cl, types, w.run.printer.err, note, func(string) error { return note() })
	}()
	stop := func(err error) error {
		cancel()
		return errors.Join(err, <-ended)
	}
	for {
		select {
		case err := <-ended:
			cancel()
			return err
		case <-changed:
		}
		err := w.show(ctx)
		var known *exitError
		if err != nil && (!errors.As(err, &known) || known.status != exitUnreachable) {
			return stop(err)
		}
		if !pause(ctx, listPause) {
			return stop(nil)
		}
	}
}

// show makes the calls and prints the answers, if one of them is new.
func (w *watcher) show(ctx context.Context) error {
	words := [][]string{w.args}
	if w.run.verb.many {
		words = nil
		for _, word := range w.args {
			words = append(words, []string{word})
		}
	}
	var bodies [][]byte
	for _, args := range words {
		a, err := w.run.ask(ctx, args)
		if err != nil {
			return err
		}
		bodies = append(bodies, a.body)
	}
	if w.shown != nil && same(w.shown, bodies) {
		return nil
	}
	apart := ""
	switch p := w.run.printer; {
	case p.format.whole():
	case isTerminal(p.out):
		apart = clearScreen
	case w.shown != nil:
		apart = "\n"
	}
	if _, err := io.WriteString(w.run.printer.out, apart); err != nil {
		return err
	}
	w.shown = bodies
	w.run.printer.printed = false
	for i, body := range bodies {
		if err := w.run.printer.reprint(body, words[i]); err != nil {
			return err
		}
	}
	return nil
}

// observedAt is the member that is another one in each answer.
var observedAt = regexp.MustCompile(`"observed_at":"[^"]*"`)

// same reports whether two sets of answers say the same, whenever they say it.
func same(a, b [][]byte) bool {
	timeless := func(bodies [][]byte) []byte { return observedAt.ReplaceAll(bytes.Join(bodies, nil), nil) }
	return len(a) == len(b) && bytes.Equal(timeless(a), timeless(b))
}

// reprint prints one of several answers to the same request: for programs on one line each.
func (p *printer) reprint(body []byte, args []string) error {
	if p.format.whole() {
		return p.line(body)
	}
	word := ""
	if len(args) > 0 {
		word = args[0]
	}
	return p.answer(body, word)
}

// watchChanges prints each change from now on.
func watchChanges(ctx context.Context, run call) error {
	p, query := run.printer, run.request.query
	for _, only := range []string{"limit", "cursor", "offset", "total", "fields", "order", "since", "until"} {
		query.Del(only)
	}
	started := false
	ready := func() error {
		if !started && !p.format.whole() && p.format != formatName {
			p.heading(p.out)
		}
		started = true
		return nil
	}
	return follow(ctx, run.cl, query, p.err, ready, func(change string) error {
		switch p.format {
		case formatJSON, formatYAML:
			return p.line([]byte(change))
		case formatName:
			return p.names([]json.RawMessage{json.RawMessage(change)}, "")
		default:
			return p.row(p.out, []byte(change))
		}
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

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
