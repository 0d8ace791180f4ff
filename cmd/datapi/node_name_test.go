package main

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// Promise 2: a second process with the same --node is refused, also while the database restarts, when nobody holds the
// lock of the node's name.
func TestSecondProcessOfANodeIsRefusedWhileTheDatabaseRestarts(t *testing.T) {
	folder := stateDir(t)
	db := database(t, folder)
	p := serveIn(t, stateDir(t), "--database-url="+db.URL())
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "there"})
	for range 3 {
		stopDatabase(t, db)
		db = database(t, folder) // the second process below is there as soon as it answers
		wantRun(t, exitRefused, `another process runs as node "alpha"`, "serve", "--listen=127.0.0.1:0", "--node=alpha",
			"--engine=soft", "--log-level=error", "--data-dir="+stateDir(t), "--database-url="+db.URL())
		eventually(t, "the first one writes again", p.canWrite)
	}
	if now := p.must(t, "GET", "/endpoints/"+ep["id"].(string), nil); now["name"] != "there" {
		t.Errorf("what was acknowledged is %v", now)
	}
}

// Promise 2: the name is free at once when its process was killed, and the next one goes on from what was acknowledged.
func TestNodeOfAKilledProcessIsTakenOver(t *testing.T) {
	db := database(t, stateDir(t))
	p := serveIn(t, stateDir(t), "--database-url="+db.URL())
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "there"})
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	again := serveIn(t, stateDir(t), "--database-url="+db.URL())
	p.waitFor(t)
	if now := again.must(t, "GET", "/endpoints/"+ep["id"].(string), nil); now["name"] != "there" {
		t.Errorf("what was acknowledged is %v", now)
	}
}

// Promise 2: a process that lost its node to another one, while it was frozen and the database restarted, writes nothing
// any more and ends with one clear line, also if nobody asks it for anything.
func TestProcessThatLostItsNodeEnds(t *testing.T) {
	folder := stateDir(t)
	db := database(t, folder)
	p := serveIn(t, stateDir(t), "--database-url="+db.URL())
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "there"})
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }) // it has ended unless the test failed
	stopDatabase(t, db)
	db = database(t, folder)
	second := serveIn(t, stateDir(t), "--database-url="+db.URL())
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := p.call("PATCH", "/endpoints/"+ep["id"].(string), object{"labels": object{"old": "world"}}); status == http.StatusOK {
		t.Error("it took a write")
	}
	if status := p.waitFor(t); status != exitRefused {
		t.Errorf("exit status %d", status)
	}
	if last := lastLine(p.said()); !strings.HasPrefix(last, `datapi: another process has taken over node "alpha"`) {
		t.Errorf("the last line is %q", last)
	}
	if labels := second.must(t, "GET", "/endpoints/"+ep["id"].(string), nil)["labels"].(map[string]any); len(labels) != 0 {
		t.Errorf("the write of the former process is in force: %v", labels)
	}
	if !second.canWrite() {
		t.Error("the second process does not write")
	}
}

// Promise 2: the process of a node that was retired while it was frozen writes nothing any more and ends; one that starts
// under its name is a new node, with none of its objects.
func TestProcessOfARetiredNodeEnds(t *testing.T) {
	db := database(t, stateDir(t))
	p := serveIn(t, stateDir(t), "--database-url="+db.URL())
	other := serveIn(t, stateDir(t), "--database-url="+db.URL(), "--node=beta")
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "there"})
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }) // it has ended unless the test failed
	wantRun(t, exitRefused, "only one that is DOWN or LEFT can be retired", "node", "retire", "alpha", "--reason=gone", "--url="+other.base)
	eventually(t, "it is down", func() bool { return other.must(t, "GET", "/nodes/alpha", nil)["state"] == "DOWN" })
	if status, _, err := runProgram(t, nil, "node", "retire", "alpha", "--url="+other.base); status != exitUsage || !strings.Contains(err, "needs --reason") {
		t.Errorf("without a reason: status %d, said %q", status, err)
	}
	if status, refused, _ := other.call("DELETE", "/nodes/alpha", nil); status != http.StatusBadRequest || !strings.Contains(fmt.Sprint(refused["detail"]), "X-Change-Reason is required") {
		t.Errorf("without a reason the service answers %d %v", status, refused["detail"])
	}
	wantRun(t, exitDone, "node alpha retired", "node", "retire", "alpha", "--reason=gone", "--url="+other.base)
	wantRun(t, exitRefused, "there is no node with the name", "node", "show", "alpha", "--url="+other.base)
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if status := p.waitFor(t); status != exitRefused {
		t.Errorf("exit status %d", status)
	}
	if last := lastLine(p.said()); !strings.Contains(last, `node "alpha"`) || !strings.Contains(last, "retired") {
		t.Errorf("the last line is %q", last)
	}
	if status, _, _ := other.call("GET", "/endpoints/"+ep["id"].(string), nil); status != http.StatusNotFound {
		t.Errorf("its endpoint: %d", status)
	}
	again := serveIn(t, stateDir(t), "--database-url="+db.URL())
	if made := again.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "there"}); made["id"] == ep["id"] {
		t.Error("the new node has the endpoint of the retired one")
	}
}
