package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// postmaster returns the process id of the private PostgreSQL in a data directory, 0 if there is none.
func postmaster(dir string) int {
	b, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil || syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}

// ready returns the status of /readyz and what it says in full.
func (p *process) ready(t *testing.T) (int, string) {
	t.Helper()
	response, err := http.Get(p.base + "/readyz?verbose")
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// checkOf returns what /readyz says of one check, empty if it does not name it.
func (p *process) checkOf(t *testing.T, name string) string {
	t.Helper()
	_, text := p.ready(t)
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, "[-] "+name+" since "); found {
			return "failed: " + strings.TrimSpace(rest)
		}
		if rest, found := strings.CutPrefix(line, "[+] "+name+" ok since "); found {
			return "ok: " + strings.TrimSpace(rest)
		}
	}
	return ""
}

// canWrite reports whether the service takes a write.
func (p *process) canWrite() bool {
	status, _, _ := p.call("POST", "/endpoints", object{"ia": "soft0@alpha"})
	return status == http.StatusCreated
}

// Promise 9: however often it ends, the private PostgreSQL is started again.
func TestPrivatePostgreSQLIsStartedAgainHoweverOftenItIsKilled(t *testing.T) {
	dir := stateDir(t)
	p := serveIn(t, dir)
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "there"})
	killed := 0
	for range 12 { // soon after each start, so that each run is a short one
		eventually(t, "PostgreSQL is started again", func() bool { pid := postmaster(dir); return pid != 0 && pid != killed })
		killed = postmaster(dir)
		if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "writes are taken again", p.canWrite)
	eventually(t, "the log is caught up too, and it is ready", func() bool { status, _ := p.ready(t); return status == http.StatusOK })
	if now := p.must(t, "GET", "/endpoints/"+ep["id"].(string), nil); now["name"] != "there" {
		t.Errorf("what was acknowledged is %v", now)
	}
	if status := p.end(t, syscall.SIGTERM); status != exitDone {
		t.Errorf("exit status %d after SIGTERM", status)
	}
}

// fullDisk is a data directory whose disk can be filled. Where a file system can be mounted it is one in memory of its
// own; else nothing can be written to the cluster's directory, which PostgreSQL meets alike.
type fullDisk struct {
	dir           string
	mounted       bool
	stop, stopped chan struct{} // of what fills it
}

// newFullDisk makes it; it holds a cluster, and not much more.
func newFullDisk(t *testing.T) *fullDisk {
	t.Helper()
	d := &fullDisk{dir: stateDir(t)}
	if unix.Mount("tmpfs", d.dir, "tmpfs", 0, "size=160m,mode=0711") == nil {
		d.mounted = true
		t.Cleanup(func() {
			if err := unix.Unmount(d.dir, unix.MNT_DETACH); err != nil {
				t.Errorf("unmount: %v", err)
			}
		})
	}
	return d
}

// fill leaves no room until empty is called, and returns a pattern of what PostgreSQL says of that.
func (d *fullDisk) fill(t *testing.T) string {
	t.Helper()
	if !d.mounted {
		if err := os.Chmod(filepath.Join(d.dir, "postgres"), 0o500); err != nil {
			t.Fatal(err)
		}
		return "Permission denied"
	}
	f, err := os.Create(filepath.Join(d.dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	d.stop, d.stopped = make(chan struct{}), make(chan struct{})
	full := make(chan struct{})
	go func() { // it takes what PostgreSQL frees too
		defer close(d.stopped)
		defer f.Close()
		block := make([]byte, 1<<16)
		look := time.NewTicker(time.Millisecond)
		defer look.Stop()
		for first := true; ; {
			if _, err := f.Write(block); err == nil {
				continue
			}
			if first {
				first = false
				close(full)
			}
			select {
			case <-d.stop:
				return
			case <-look.C:
			}
		}
	}()
	<-full
	// Where PostgreSQL finds room to start in what it freed itself, it lacks that for its caches.
	return "No space left on device|could not write init file"
}

// empty makes room again.
func (d *fullDisk) empty(t *testing.T) {
	t.Helper()
	err := os.Chmod(filepath.Join(d.dir, "postgres"), 0o700)
	if d.mounted {
		close(d.stop)
		<-d.stopped
		err = os.Remove(filepath.Join(d.dir, "filler"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// attempts matches the number of an attempt to start PostgreSQL.
var attempts = regexp.MustCompile(`attempt (\d+)`)

// Promise 9: a full disk costs no restart, and the refusal of writes and /readyz say what is wrong.
func TestFullDiskIsNamedAndWaitedFor(t *testing.T) {
	disk := newFullDisk(t)
	p := serveIn(t, disk.dir)
	before := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "before"})
	reason := regexp.MustCompile(disk.fill(t))
	if err := syscall.Kill(postmaster(disk.dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "more than ten attempts fail, and /readyz says why", func() bool {
		said := p.checkOf(t, "database")
		attempt := attempts.FindStringSubmatch(said)
		return reason.MatchString(said) && attempt != nil && len(attempt[1]) > 1
	})
	status, answer, header := p.call("PATCH", "/endpoints/"+before["id"].(string), object{"labels": object{"a": "b"}})
	detail, _ := answer["detail"].(string)
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || !reason.MatchString(detail) {
		t.Errorf("a write is answered %d %v", status, answer)
	}
	if read := p.must(t, "GET", "/endpoints/"+before["id"].(string)+"/status", nil); read["state"] != "UNCONNECTED" {
		t.Errorf("status with the disk full: %v", read)
	}
	disk.empty(t)
	eventually(t, "writes are taken again", p.canWrite)
	if said := p.checkOf(t, "database"); !strings.HasPrefix(said, "ok: ") {
		t.Errorf("afterwards /readyz says %q of the database", said)
	}
	if status := p.end(t, syscall.SIGTERM); status != exitDone {
		t.Errorf("exit status %d after SIGTERM", status)
	}
}

// Promise 9: where PostgreSQL really cannot go on, the service ends and says why, instead of answering from an old world.
func TestServiceEndsWhereItsPostgreSQLCannotGoOn(t *testing.T) {
	cluster := func(dir string) string { return filepath.Join(dir, "postgres") }
	cases := []struct {
		name string
		harm func(t *testing.T, dir string) error
		said string
	}{
		{"the data are gone", func(_ *testing.T, dir string) error { return os.RemoveAll(cluster(dir)) }, "is gone; put it back"},
		{"the directory was replaced", func(t *testing.T, dir string) error {
			aside := dir + "-aside"
			t.Cleanup(func() { _ = os.RemoveAll(aside) })
			if err := os.Rename(dir, aside); err != nil {
				return err
			}
			return os.Mkdir(dir, 0o700)
		}, "was removed or replaced"},
		{"another version has taken the data over", func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(cluster(dir), "PG_VERSION"), []byte("99\n"), 0o600)
		}, "has become that of PostgreSQL 99"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := stateDir(t)
			p := serveIn(t, dir, "--log-level=error")
			pid := postmaster(dir)
			if err := c.harm(t, dir); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if status := p.waitFor(t); status != exitRefused {
				t.Errorf("exit status %d", status)
			}
			last := lastLine(p.said())
			if !strings.HasPrefix(last, "datapi: the private PostgreSQL cannot go on: ") || !strings.Contains(last, c.said) {
				t.Errorf("the last line is %q, want %q", last, c.said)
			}
		})
	}
}

// lastLine returns the last line of a text.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
