package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	clusterUser = "datapi"
	// socketPort is the number in the socket's name; there is no TCP.
	socketPort = "5432"
	// socketPathMost is what a Unix socket's address holds.
	socketPathMost = 107
)

// place is a data directory that this process owns.
type place struct {
	base, cluster, sockets string
	// borrowed tells that the sockets lie in a temporary directory of their own.
	borrowed bool
	account  account
	lock     *os.File
}

// openPlace makes and locks the data directory and what lies in it: the base is
// 0711, all below 0700, cluster and sockets belong to PostgreSQL's account.
func openPlace(dataDir string) (*place, error) {
	base, err := filepath.Abs(dataDir)
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be found: %w", dataDir, err)
	}
	p := &place{base: base, cluster: filepath.Join(base, "postgres"), sockets: filepath.Join(base, "run")}
	if p.account, err = findAccount(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(base, 0o711); err != nil {
		return nil, fmt.Errorf("the data directory cannot be made: %w; name one that you may write with --data-dir", err)
	}
	if err := p.takeLock(); err != nil {
		return nil, err
	}
	if err := p.prepare(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// prepare sets modes and owners, and finds a place for the socket.
func (p *place) prepare() error {
	if err := os.Chmod(p.base, 0o711); err != nil {
		return fmt.Errorf("the data directory is not ours: %w; name another one with --data-dir, or run as its owner", err)
	}
	if err := p.account.canReach(p.base); err != nil {
		return err
	}
	p.dropBorrowed()
	if len(filepath.Join(p.sockets, ".s.PGSQL."+socketPort)) > socketPathMost {
		return p.borrow()
	}
	return p.own(p.sockets)
}

// own makes a directory that only PostgreSQL's account (and root) can enter.
func (p *place) own(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%s cannot be made: %w; name another directory with --data-dir", dir, err)
	}
	if err := p.account.give(dir); err != nil {
		return fmt.Errorf("%s cannot be given to %s: %w; name another directory with --data-dir", dir, p.account.name, err)
	}
	return os.Chmod(dir, 0o700)
}

// borrowedLink remembers the temporary directory, so that the next start can
// remove it where this one could not.
func (p *place) borrowedLink() string { return filepath.Join(p.base, "run-elsewhere") }

// borrow puts the socket into a private temporary directory: its path here
// would be longer than a socket's address.
func (p *place) borrow() error {
	dir, err := os.MkdirTemp("", "datapi-run-")
	if err != nil {
		return fmt.Errorf("the socket's path in %s is too long, and no temporary directory can be made: %w; name a shorter --data-dir", p.base, err)
	}
	p.sockets, p.borrowed = dir, true
	if err := p.own(dir); err != nil {
		return err
	}
	return os.Symlink(dir, p.borrowedLink())
}

func (p *place) dropBorrowed() {
	dir, err := os.Readlink(p.borrowedLink())
	if err != nil {
		return
	}
	if strings.HasPrefix(filepath.Base(dir), "datapi-run-") {
		_ = os.RemoveAll(dir) // at worst an empty directory stays in the temporary one
	}
	_ = os.Remove(p.borrowedLink())
}

// close lets go of the directory.
func (p *place) close() {
	if p.borrowed {
		p.dropBorrowed()
	}
	_ = p.lock.Close()
}

// takeLock makes sure that no other service has the directory. The kernel frees
// the lock with the process, however that ends.
func (p *place) takeLock() error {
	path := filepath.Join(p.base, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("the data directory cannot be used: %w; name one that you may write with --data-dir", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(path)
		_ = f.Close()
		return fmt.Errorf("the data directory %s is in use by another datapi (process %s); stop that one, or name another directory with --data-dir",
			p.base, strings.TrimSpace(string(holder)))
	}
	p.lock = f
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	return err
}

// clusterVersion is the major version of the cluster that is there, or empty.
func (p *place) clusterVersion() (string, error) {
	b, err := os.ReadFile(filepath.Join(p.cluster, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the data in %s cannot be read: %w", p.cluster, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// initCluster makes the cluster: beside its place first, so that a cluster in
// its place is always whole.
func (p *place) initCluster(ctx context.Context, programs programs) error {
	unfinished := p.cluster + ".new"
	for _, dir := range []string{unfinished, p.cluster} { // the latter only where it holds no cluster
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("%s cannot be removed: %w", dir, err)
		}
	}
	if err := p.own(unfinished); err != nil {
		return err
	}
	said := &lastLines{log: func(string) {}}
	cmd := exec.CommandContext(ctx, programs.initdb, "-D", unfinished, "-U", clusterUser, "-A", "trust",
		"-E", "UTF8", "--no-locale", "--data-checksums", "--no-instructions")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = unfinished, childEnv(), said, said
	cmd.SysProcAttr = p.account.attributes()
	// It ends with us, so that the next start finds nobody at work here.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the database cannot be made in %s: %w (%s)", p.base, err, said)
	}
	return os.Rename(unfinished, p.cluster)
}
