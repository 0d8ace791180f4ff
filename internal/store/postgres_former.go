package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// formerPatience is how long a former run's processes are waited for.
	formerPatience = 30 * time.Second
	formerPoll     = 20 * time.Millisecond
)

// awaitFormer waits until the processes of a former run are gone. The kernel
// tells its postmaster to stop when its service dies, and its backends end with
// it; it is never adopted.
func (p *place) awaitFormer(ctx context.Context, log *slog.Logger) error {
	deadline := time.Now().Add(formerPatience)
	for told := false; ; told = true {
		pid, err := p.former()
		if err != nil {
			return err
		}
		if pid == 0 {
			return p.forgetZombie()
		}
		if !told {
			log.Info("waiting for the PostgreSQL of the run before", "process", pid)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("a PostgreSQL (process %d) has been running on %s for %s without its service; stop it with `kill -INT %d`",
				pid, p.cluster, formerPatience, pid)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(formerPoll):
		}
	}
}

// former is a process that works in the cluster, or 0. PostgreSQL's processes,
// and no others, have the cluster as their working directory.
func (p *place) former() (int, error) {
	cluster, err := filepath.EvalSymlinks(p.cluster)
	if err != nil {
		return 0, err
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return 0, err
	}
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && cwd == cluster {
			return strconv.Atoi(strings.Split(link, "/")[2])
		}
	}
	return 0, nil
}

// forgetZombie removes the lock files of a postmaster that has ended but that
// nobody has reaped, as in a container without an init: PostgreSQL takes such a
// process for a living one. Nothing else works in the cluster any more.
func (p *place) forgetZombie() error {
	for _, path := range []string{
		filepath.Join(p.cluster, "postmaster.pid"),
		filepath.Join(p.sockets, ".s.PGSQL."+socketPort+".lock"),
	} {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it ended in order
		}
		first, _, _ := strings.Cut(string(b), "\n")
		if pid, err := strconv.Atoi(first); err != nil || !isZombie(pid) {
			continue // PostgreSQL judges that itself
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// isZombie tells a process that has ended and was not reaped.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := bytes.Cut(stat, []byte(") "))
	return len(after) > 0 && after[0] == 'Z'
}
