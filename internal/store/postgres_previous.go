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
	// previousRunTimeout is how long the end of a previous run is waited for.
	previousRunTimeout = 30 * time.Second
	// previousRunPoll is the interval at which it is looked for.
	previousRunPoll = 20 * time.Millisecond
)

// awaitPreviousRun waits until the processes of a previous run have ended. When its
// service died, the kernel told the postmaster to stop, and the backends end with
// that. It is never taken over.
func (d *dataDirectory) awaitPreviousRun(ctx context.Context, log *slog.Logger) error {
	deadline := time.Now().Add(previousRunTimeout)
	for logged := false; ; logged = true {
		pid, err := d.processInCluster()
		if err != nil {
			return err
		}
		if pid == 0 {
			return d.removeZombieLocks()
		}
		if !logged {
			log.Info("waiting for the PostgreSQL of the run before", "process", pid)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("a PostgreSQL (process %d) has been running on %s for %s without its service; stop it with `kill -INT %d`",
				pid, d.cluster, previousRunTimeout, pid)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(previousRunPoll):
		}
	}
}

// processInCluster returns a process that works in the cluster, 0 if there is none.
// PostgreSQL's processes, and no others, have the cluster as their working directory.
func (d *dataDirectory) processInCluster() (int, error) {
	cluster, err := filepath.EvalSymlinks(d.cluster)
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

// removeZombieLocks removes the lock files of a postmaster that has ended and was not
// reaped, as in a container without an init: PostgreSQL takes it for alive. Nothing
// else works in the cluster any more.
func (d *dataDirectory) removeZombieLocks() error {
	for _, path := range []string{
		filepath.Join(d.cluster, "postmaster.pid"),
		filepath.Join(d.sockets, ".s.PGSQL."+socketPort+".lock"),
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

// isZombie reports whether a process has ended and was not reaped.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := bytes.Cut(stat, []byte(") "))
	return len(after) > 0 && after[0] == 'Z'
}
