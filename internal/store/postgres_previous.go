package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// previousRunTimeout is how long the end of a previous run is waited for.
	previousRunTimeout = 30 * time.Second
	// previousRunPoll is the interval at which it is looked for.
	previousRunPoll = 20 * time.Millisecond
	// maxLockFile bounds what is read of PostgreSQL's lock files, in bytes; their first
	// line is a process id.
	maxLockFile = 4096
)

// awaitPreviousRun waits until the processes of a previous run have ended. When its
// service died, the kernel told the postmaster to stop, and the backends end with
// that. It is never taken over.
func (d *clusterFiles) awaitPreviousRun(ctx context.Context, log *slog.Logger) error {
	deadline := time.Now().Add(previousRunTimeout)
	for logged := false; ; logged = true {
		pids := d.processesInCluster()
		if len(pids) == 0 {
			return d.removeStaleLocks()
		}
		if !logged {
			log.Info("waiting for the PostgreSQL of the run before", "process", pids[0])
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("a PostgreSQL (process %d) has been running on %s for %s without its service; stop it with `kill -INT %d`, or `kill -KILL %d` if it is frozen",
				pids[0], d.cluster, previousRunTimeout, pids[0], pids[0])
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(previousRunPoll):
		}
	}
}

// processesInCluster returns the processes that work in the cluster: those of the
// program postgres that have it as their working directory. An administrator's shell
// may be there too.
func (d *clusterFiles) processesInCluster() (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is valid, and nothing else is an error
	for _, link := range links {
		if cwd, err := os.Readlink(link); err != nil || cwd != d.cluster {
			continue
		}
		process := filepath.Dir(link)
		if name, err := os.ReadFile(filepath.Join(process, "comm")); err != nil || strings.TrimSpace(string(name)) != "postgres" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(process)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killProcesses ends what is left of a run whose postmaster has ended, as backends that
// are frozen: PostgreSQL does not start beside them. What was committed stays.
func (d *clusterFiles) killProcesses() {
	for _, pid := range d.processesInCluster() {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
}

// removeStaleLocks removes the lock files with which PostgreSQL would refuse to start for
// ever although nothing works in the cluster any more: those of a postmaster that has
// ended and was not reaped, as in a container without an init, which it takes for alive,
// and those without a process id, of one that was killed before it had written it.
func (d *clusterFiles) removeStaleLocks() error {
	for _, path := range []string{
		filepath.Join(d.cluster, "postmaster.pid"),
		filepath.Join(d.sockets, ".s.PGSQL."+socketPort+".lock"),
	} {
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue // it ended in order
		}
		b, err := io.ReadAll(io.LimitReader(f, maxLockFile))
		_ = f.Close()
		if err != nil {
			continue
		}
		first, _, _ := strings.Cut(string(b), "\n")
		if pid, err := strconv.Atoi(first); err == nil && !isZombie(pid) {
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
