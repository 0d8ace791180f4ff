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
	// clusterUser is the superuser of the private cluster.
	clusterUser = "datapi"
	// socketPort is the number in the socket's name; there is no TCP.
	socketPort = "5432"
	// socketPathMax is the greatest length of a Unix socket's path, in bytes.
	socketPathMax = 107
)

// dataDirectory is the directory of a private PostgreSQL, which this process has locked.
type dataDirectory struct {
	// base is the directory itself. cluster, for the data, and sockets are in it.
	base, cluster, sockets string
	// tempSockets means that sockets is a temporary directory instead.
	tempSockets bool
	account     account
	lock        *os.File
}

// openDataDirectory makes and locks the data directory. Its mode is 0711, the mode of
// what is in it 0700; cluster and sockets belong to PostgreSQL's account.
func openDataDirectory(dataDir string) (*dataDirectory, error) {
	base, err := filepath.Abs(dataDir)
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be found: %w", dataDir, err)
	}
	d := &dataDirectory{base: base, cluster: filepath.Join(base, "postgres"), sockets: filepath.Join(base, "run")}
	if d.account, err = findAccount(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(base, 0o711); err != nil {
		return nil, fmt.Errorf("the data directory cannot be made: %w; name one that you may write with --data-dir", err)
	}
	if err := d.takeLock(); err != nil {
		return nil, err
	}
	if err := d.prepare(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// prepare sets modes and owners, and makes the directory of the socket.
func (d *dataDirectory) prepare() error {
	if err := os.Chmod(d.base, 0o711); err != nil {
		return fmt.Errorf("the data directory is not ours: %w; name another one with --data-dir, or run as its owner", err)
	}
	if err := d.account.checkReachable(d.base); err != nil {
		return err
	}
	d.removeTempSockets()
	if len(filepath.Join(d.sockets, ".s.PGSQL."+socketPort)) > socketPathMax {
		return d.useTempSockets()
	}
	return d.makePrivate(d.sockets)
}

// makePrivate makes a directory that only PostgreSQL's account and root can enter.
func (d *dataDirectory) makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%s cannot be made: %w; name another directory with --data-dir", dir, err)
	}
	if err := d.account.chown(dir); err != nil {
		return fmt.Errorf("%s cannot be given to %s: %w; name another directory with --data-dir", dir, d.account.name, err)
	}
	return os.Chmod(dir, 0o700)
}

// tempSocketsLink is the path of a link to the temporary directory, by which the next
// start finds and removes one that this process leaves behind.
func (d *dataDirectory) tempSocketsLink() string { return filepath.Join(d.base, "run-elsewhere") }

// useTempSockets puts the socket into a private temporary directory, because its path
// in the data directory is longer than a socket's may be.
func (d *dataDirectory) useTempSockets() error {
	dir, err := os.MkdirTemp("", "datapi-run-")
	if err != nil {
		return fmt.Errorf("the socket's path in %s is too long, and no temporary directory can be made: %w; name a shorter --data-dir", d.base, err)
	}
	d.sockets, d.tempSockets = dir, true
	if err := d.makePrivate(dir); err != nil {
		return err
	}
	return os.Symlink(dir, d.tempSocketsLink())
}

// removeTempSockets removes the temporary directory of this start or of one before, if
// there is one.
func (d *dataDirectory) removeTempSockets() {
	dir, err := os.Readlink(d.tempSocketsLink())
	if err != nil {
		return
	}
	if strings.HasPrefix(filepath.Base(dir), "datapi-run-") {
		_ = os.RemoveAll(dir) // at worst an empty directory stays in the temporary one
	}
	_ = os.Remove(d.tempSocketsLink())
}

// close releases the directory.
func (d *dataDirectory) close() {
	if d.tempSockets {
		d.removeTempSockets()
	}
	_ = d.lock.Close()
}

// takeLock refuses a directory that another service has locked. The kernel releases
// the lock with the process, however that ends.
func (d *dataDirectory) takeLock() error {
	path := filepath.Join(d.base, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("the data directory cannot be used: %w; name one that you may write with --data-dir", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(path)
		_ = f.Close()
		return fmt.Errorf("the data directory %s is in use by another datapi (process %s); stop that one, or name another directory with --data-dir",
			d.base, strings.TrimSpace(string(holder)))
	}
	d.lock = f
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	return err
}

// clusterVersion returns the major version of the cluster, empty if there is none.
func (d *dataDirectory) clusterVersion() (string, error) {
	b, err := os.ReadFile(filepath.Join(d.cluster, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the data in %s cannot be read: %w", d.cluster, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// initCluster makes the cluster. It makes it under another name and renames it in the
// end, so that a cluster with the right name is always complete.
func (d *dataDirectory) initCluster(ctx context.Context, programs programs) error {
	unfinished := d.cluster + ".new"
	for _, dir := range []string{unfinished, d.cluster} { // there is no cluster in the latter
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("%s cannot be removed: %w", dir, err)
		}
	}
	if err := d.makePrivate(unfinished); err != nil {
		return err
	}
	output := &lastLines{log: func(string) {}}
	cmd := exec.CommandContext(ctx, programs.initdb, "-D", unfinished, "-U", clusterUser, "-A", "trust",
		"-E", "UTF8", "--no-locale", "--data-checksums", "--no-instructions")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = unfinished, childEnv(), output, output
	cmd.SysProcAttr = d.account.attributes()
	// It ends with this process, so that the next start finds nothing at work here.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the database cannot be made in %s: %w (%s)", d.base, err, output)
	}
	return os.Rename(unfinished, d.cluster)
}
