package api

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// freeze stops all processes of a PostgreSQL, whose data lies in dir, and returns what lets them go on.
func freeze(t *testing.T, dir string) (thaw func()) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "data", "*", "postmaster.pid"))
	must(t, err)
	if len(found) != 1 {
		t.Fatalf("postmaster.pid: %v", found)
	}
	file, err := os.ReadFile(found[0])
	must(t, err)
	line, _, _ := strings.Cut(string(file), "\n")
	postmaster, err := strconv.Atoi(line)
	must(t, err)
	processes := []int{postmaster}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == line {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			must(t, err)
			processes = append(processes, pid)
		}
	}
	send := func(signal syscall.Signal) {
		for _, pid := range processes {
			_ = syscall.Kill(pid, signal) // a backend may have ended
		}
	}
	send(syscall.SIGSTOP)
	thaw = func() { send(syscall.SIGCONT) }
	t.Cleanup(thaw)
	return thaw
}

// Promise 9: without the database lists go on with this node's objects, quickly, with the same filters and orders, and
// say that they are partial; also where the server is frozen, so that it answers nothing and refuses nothing.
func TestListsGoOnWhileTheDatabaseIsFrozen(t *testing.T) {
	pg := newOwnCluster(t)
	r := newRigOn(t, pg.URL(), "alpha")
	active, _ := r.pair()
	r.do("PATCH", "/endpoints/"+active, members{"name": "one", "labels": members{"app": "a"}}).is(200)
	items := func(a reply) string {
		t.Helper()
		out, err := json.Marshal(a.is(200).at("items"))
		must(t, err)
		return string(out)
	}
	queries := []string{"/nodes"}
	for _, kind := range objectKinds {
		queries = append(queries, kind.path, kind.path+"?sort=-updated_at&limit=1", kind.path+"?name=one&total=true")
	}
	queries = append(queries, "/endpoints?state=CONNECTED&sort=name", "/endpoints?label=app=a&ia="+ia0, "/endpoints?fields=id,modifiable", "/endpoints?node=beta")
	before := map[string]string{}
	for _, query := range queries {
		out := r.do("GET", query, nil, loose)
		if before[query] = items(out); out.at("partial") != false {
			t.Errorf("%s is partial", query)
		}
	}
	thaw := freeze(t, pg.dir)
	eventually(t, "it is known that the database is away", func() bool { return r.do("GET", "/endpoints", nil).is(200).at("partial") == true })
	for _, query := range queries {
		begun := time.Now()
		out := r.do("GET", query, nil, loose)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("%s took %s", query, took)
		}
		if now := items(out); query != "/nodes" && now != before[query] || out.at("partial") != true {
			t.Errorf("%s\nbefore %s\nnow %s", query, before[query], out.body)
		}
	}
	for _, path := range []string{"/changes", "/endpoints/" + active + "/history"} {
		begun := time.Now()
		r.do("GET", path, nil).refused(503)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("%s took %s", path, took)
		}
	}
	r.do("GET", "/endpoints?sort=size", nil, loose).refused(400)
	thaw()
	eventually(t, "lists are complete again", func() bool { return r.do("GET", "/endpoints", nil).is(200).at("partial") == false })
}

// Promise 5: from the position of a list on, watching has no gap.
func TestAListCanBeWatchedFromItsPosition(t *testing.T) {
	r := newRig(t)
	r.pz(ia0)
	for _, path := range []string{"/pzs", "/changes", "/nodes", "/ias"} {
		position, ok := r.do("GET", path, nil).is(200).at("position").(string)
		if !ok {
			t.Fatalf("%s has no position", path)
		}
		made := r.pz(ia0)
		_, lines, end := r.stream("?after=" + position)
		for line := range lines {
			if strings.HasPrefix(line, "data: ") {
				if !strings.Contains(line, made) {
					t.Errorf("%s: the first change after its position is %s", path, line)
				}
				break
			}
		}
		end()
	}
}
