package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// sampled is how many moments and freed objects are looked at one by one.
const sampled = 25

// verify waits until the service and the streams are at rest, compares everything, and
// reports what it finds as errors of the test.
func (w *World) verify() {
	w.t.Helper()
	w.report(w.collect())
	w.t.Logf("seed %d: %d writes acknowledged in %d calls", w.settings.Seed, w.history.Acknowledged(), len(w.history.Calls()))
}

// collect is verify without the report.
func (w *World) collect() findings {
	w.t.Helper()
	w.must(w.Service.AwaitReady(patience))
	c := w.newClient(w.Service.Address())
	defer c.close()
	ctx := context.WithoutCancel(w.t.Context())
	p, err := w.picture(ctx, c)
	w.must(err)
	e := &Evidence{Calls: w.history.Calls(), Watchers: w.watchers, Picture: p}
	w.awaitWatchers(p)
	all := Check(e)
	moments, err := w.checkMoments(ctx, c, p)
	w.must(err)
	return append(all, moments...)
}

// picture takes a picture at a moment at which nothing happens: events may still be on
// their way when the last writer has ended.
func (w *World) picture(ctx context.Context, c *Client) (*Picture, error) {
	for range 50 {
		before := c.newestChange(ctx)
		c.pause(ctx, 150*time.Millisecond, 150*time.Millisecond)
		if before == "" || c.newestChange(ctx) != before {
			continue
		}
		p, err := takePicture(ctx, c)
		if c.newestChange(ctx) == before {
			return p, err
		}
	}
	return nil, errors.New("the log goes on growing though nobody writes")
}

// newestChange returns the id of the last change, or nothing where it cannot be read.
func (c *Client) newestChange(ctx context.Context) string {
	_, page := c.read(ctx, "/changes?limit=1")
	items, ok := page["items"].([]any)
	if !ok || len(items) == 0 {
		return ""
	}
	change, ok := items[0].(object)
	if !ok {
		return ""
	}
	return text(change, "id")
}

// awaitWatchers waits until the watchers have the end of the log; those that never get
// there are found by checkStreams.
func (w *World) awaitWatchers(p *Picture) {
	for _, watcher := range w.watchers {
		_ = eventually("a watcher has the end of the log", 10*time.Second, func() bool {
			got := watcher.Changes()
			return watcher.Refusal() != "" || len(got) > 0 && got[len(got)-1].ID >= int64(len(p.Log))
		})
	}
}

// checkMoments holds that past states can be read as the log makes them (as_of), and
// that what was freed is gone while its history stays.
func (w *World) checkMoments(ctx context.Context, c *Client, p *Picture) (all findings, err error) {
	ended, lengths := map[string]int64{}, map[string]int{}
	for i := range p.Log {
		change := &p.Log[i]
		lengths[change.Object.ID]++
		if change.isEnd() && change.Object.Type == "endpoint" {
			ended[change.Object.ID] = change.ID
		}
	}
	for range sampled {
		if len(p.Log) == 0 {
			break
		}
		moment := 1 + c.random.Int64N(int64(len(p.Log)))
		id := p.Log[moment-1].Object.ID
		if p.Log[moment-1].Object.Type != "endpoint" || id == "" {
			continue
		}
		recorded := p.Replay.After[moment-1]
		status, shown := c.read(ctx, fmt.Sprintf("/endpoints/%s?as_of=%d", id, moment))
		switch {
		case recorded == nil && status != http.StatusNotFound:
			all.add(4, "endpoint %s was freed by change %d, and as_of answers %d", id, moment, status)
		case recorded != nil && status != http.StatusOK:
			all.add(4, "endpoint %s as of change %d: %d %v", id, moment, status, shown["detail"])
		case recorded != nil:
			for _, name := range differences("endpoint", recorded, shown) {
				all.add(4, "endpoint %s as of change %d: %s is %v, the log makes it %v", id, moment, name, shown[name], recorded[name])
			}
		}
	}
	for n, id := range sortedIDs(ended) {
		if n == sampled {
			break
		}
		if status, o := c.read(ctx, "/endpoints/"+id); status != http.StatusNotFound {
			all.add(1, "endpoint %s was freed by change %d, and GET answers %d %v", id, ended[id], status, o["state"])
		}
		length := 0
		if err := c.readAll(ctx, "/endpoints/"+id+"/history?limit=1000", func(json.RawMessage) error { length++; return nil }); err != nil {
			return all, err
		}
		if length != lengths[id] {
			all.add(4, "the history of %s has %d changes, the log %d", id, length, lengths[id])
		}
	}
	return all, nil
}

// endings are the calls that free objects, in the order in which nothing is in use.
var endings = []string{"cr", "rsp", "psp", "endpoint", "srq", "rmr", "lmr", "evd", "pz"}

// freeEverything frees all objects, and holds that each can be freed and nothing is left:
// what leaked would be in use or counted.
func (w *World) freeEverything() {
	w.t.Helper()
	w.report(w.leaks())
}

// leaks is freeEverything without the report.
func (w *World) leaks() (all findings) {
	w.t.Helper()
	ctx := context.WithoutCancel(w.t.Context())
	c := w.newClient(w.Service.Address())
	defer c.close()
	p, err := w.picture(ctx, c)
	w.must(err)
	for _, kind := range endings {
		for _, id := range sortedIDs(p.Objects) {
			if p.Types[id] != kind {
				continue
			}
			path := collections[kind] + "/" + url.PathEscape(id)
			if kind == "evd" && isAsync(p.Objects[id]) {
				continue
			}
			if kind == "endpoint" && text(p.Objects[id], "state") != "UNCONNECTED" {
				c.do(ctx, &Call{Kind: KindConnection, Method: http.MethodPost, Path: path + "/disconnect", Effects: -2}, object{"close": "ABRUPT"})
				c.do(ctx, &Call{Kind: KindConnection, Method: http.MethodPost, Path: path + "/reset", Effects: -2}, nil)
			}
			call := &Call{Kind: KindFree, Method: http.MethodDelete, Path: path, Object: id, Effects: 1}
			if kind == "cr" { // one whose requester gave up waits for its answer all the same
				call.Kind, call.Method, call.Path, call.Effects = KindConnection, http.MethodPost, path+"/reject", -2
			}
			c.do(ctx, call, nil)
			if call.Outcome() != Acknowledged && call.answer().Status != http.StatusNotFound {
				all.add(7, "%s cannot be freed though nothing uses it: %s", kind, story(call, nil))
			}
		}
	}
	p, err = w.picture(ctx, c)
	w.must(err)
	for id, o := range p.Objects {
		if kind := p.Types[id]; kind != "ia" && (kind != "evd" || !isAsync(o)) {
			all.add(7, "%s %s is left after everything was freed", kind, id)
		}
	}
	return append(all, checkUsage(&Evidence{Picture: p})...)
}

// isAsync reports whether an EVD is an adapter's own.
func isAsync(evd object) bool {
	streams, ok := evd["streams"].([]any)
	return ok && len(streams) == 1 && streams[0] == "ASYNC"
}
