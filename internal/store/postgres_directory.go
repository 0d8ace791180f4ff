package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
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

	// The names in the data directory: the cluster, the folder in which one is made, the
	// folder of the socket, and the link to one in the temporary directory instead.
	clusterName     = "postgres"
	unfinishedName  = "postgres.new"
	socketsName     = "run"
	tempSocketsLink = "run-elsewhere"
)

// clusterFiles are what a private PostgreSQL has in its data directory, which this
// process has locked.
type clusterFiles struct {
	data *DataDirectory
	// cluster is the path of PostgreSQL's data, sockets that of its socket's folder.
	cluster, sockets string
	// tempSockets means that sockets is in the temporary directory.
	tempSockets bool
	account     account
	lock        *os.File
}

// openClusterFiles opens and locks the data directory. Its mode is 0711, the mode of
// what is in it 0700; cluster and sockets belong to PostgreSQL's account.
func openClusterFiles(dataDir string, log *slog.Logger) (*clusterFiles, error) {
	account, err := findAccount()
	if err != nil {
		return nil, err
	}
	data, err := OpenDataDirectory(dataDir, log)
	if err != nil {
		return nil, err
	}
	d := &clusterFiles{
		data: data, account: account,
		cluster: filepath.Join(data.path, clusterName), sockets: filepath.Join(data.path, socketsName),
	}
	if err := d.takeLock(); err != nil {
		data.Close()
		return nil, err
	}
	if err := d.prepare(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// prepare makes the folder of the socket.
func (d *clusterFiles) prepare() error {
	if err := d.account.checkReachable(d.data.path); err != nil {
		return err
	}
	if err := d.removeTempSockets(); err != nil {
		return err
	}
	if len(filepath.Join(d.sockets, ".s.PGSQL."+socketPort)) > socketPathMax {
		return d.useTempSockets()
	}
	return d.makePrivate(socketsName)
}

// makePrivate makes a folder that only PostgreSQL's account and root can enter.
func (d *clusterFiles) makePrivate(name string) error {
	f, err := d.data.makeFolder(name, d.account.uid, d.account.gid)
	if err != nil {
		return err
	}
	return f.Close()
}

// useTempSockets puts the socket into a private temporary directory, because its path
// in the data directory is longer than a socket's may be. A link tells the next start
// of one that this process leaves behind.
func (d *clusterFiles) useTempSockets() error {
	dir, err := os.MkdirTemp("", "datapi-run-")
	if err != nil {
		return fmt.Errorf("the socket's path in %s is too long, and no temporary directory can be made: %w; name a shorter --data-dir", d.data.path, err)
	}
	d.sockets, d.tempSockets = dir, true
	if d.account.switchUser {
		if err := os.Lchown(dir, int(d.account.uid), int(d.account.gid)); err != nil {
			return fmt.Errorf("%s cannot be given to %s: %w; name a shorter --data-dir", dir, d.account.name, err)
		}
	}
	return d.data.root.Symlink(dir, tempSocketsLink)
}

// removeTempSockets removes the temporary directory of this start or of one before, if
// there is one.
func (d *clusterFiles) removeTempSockets() error {
	info, err := d.data.root.Lstat(tempSocketsLink)
	if err != nil {
		return nil
	}
	if uid, _ := ownersOf(info); uid != uint32(os.Geteuid()) {
		return d.data.foreign(tempSocketsLink, uid, uint32(os.Geteuid()))
	}
	dir, err := d.data.root.Readlink(tempSocketsLink)
	if err == nil && strings.HasPrefix(filepath.Base(dir), "datapi-run-") {
		_ = os.RemoveAll(dir) // at worst an empty directory stays in the temporary one
	}
	return d.data.root.Remove(tempSocketsLink)
}

// close releases the directory.
func (d *clusterFiles) close() {
	if d.tempSockets {
		_ = d.removeTempSockets() // the next start removes it otherwise
	}
	_ = d.lock.Close()
	d.data.Close()
}

// takeLock refuses a directory that another service has locked. The kernel releases
// the lock with the process, however that ends.
func (d *clusterFiles) takeLock() error {
	f, err := d.data.openFile(lockName)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 20))
		_ = f.Close()
		return fmt.Errorf("the data directory %s is in use by another datapi (process %s); stop that one, or name another directory with --data-dir",
			d.data.path, strings.TrimSpace(string(holder)))
	}
	d.lock = f
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	if err != nil {
		_ = f.Close()
		return fmt.Errorf("the data directory %s cannot be written: %w; make room, or name another directory with --data-dir", d.data.path, err)
	}
	return nil
}

// clusterVersion returns the major version of the cluster, empty if there is none.
func (d *clusterFiles) clusterVersion() (string, error) {
	if _, err := d.data.root.Lstat(clusterName); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	folder, err := d.data.openFolder(clusterName, d.account.uid)
	if err != nil {
		return "", err
	}
	defer func() { _ = folder.Close() }()
	version, err := readVersion(folder)
	if err != nil {
		return "", fmt.Errorf("the data in %s cannot be read: %w", d.cluster, err)
	}
	return version, nil
}

// checkOwner refuses a cluster that does not belong to PostgreSQL's account.
func (d *clusterFiles) checkOwner() error {
	info, err := d.data.root.Lstat(clusterName)
	if err != nil {
		return fmt.Errorf("the data in %s cannot be looked at: %w", d.cluster, err)
	}
	if owner, _ := ownersOf(info); owner != d.account.uid {
		return d.data.foreign(clusterName, owner, d.account.uid)
	}
	return nil
}

// clusterVersionAt is clusterVersion of a cluster that is only looked at.
func clusterVersionAt(cluster string) (string, error) {
	folder, err := os.Open(cluster)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the data in %s cannot be read: %w", cluster, err)
	}
	defer func() { _ = folder.Close() }()
	return readVersion(folder)
}

// readVersion reads the file PG_VERSION of a cluster, which is not ours to trust: it is
// read only if it is a regular file. The version is empty if there is none.
func readVersion(cluster *os.File) (string, error) {
	fd, err := unix.Openat(int(cluster.Fd()), "PG_VERSION", unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("open PG_VERSION: %w", err)
	}
	f := os.NewFile(uintptr(fd), "PG_VERSION")
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(errors.New("PG_VERSION is no regular file"), err)
	}
	b, err := io.ReadAll(io.LimitReader(f, 16))
	return strings.TrimSpace(string(b)), err
}

// checkUsable returns why the cluster cannot be run any more, whatever comes: it is
// gone, or it is not the one that this process has opened. It is nil if that cannot be
// told.
func (d *clusterFiles) checkUsable(major string) error {
	opened, err := d.data.dir.Stat()
	if err != nil {
		return nil
	}
	there, err := os.Lstat(d.data.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(opened, there) {
		return fmt.Errorf("the data directory %s was removed or replaced while the service ran; put it back or restore a backup, and start again", d.data.path)
	}
	if uid, _ := ownersOf(opened); uid != uint32(os.Geteuid()) {
		return fmt.Errorf("the data directory %s was given to %s while the service ran; give it back and start again", d.data.path, userName(uid))
	}
	if _, err := d.data.root.Lstat(clusterName); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the data in %s is gone; put it back or restore a backup, and start again", d.cluster)
	}
	folder, err := os.Open(d.cluster)
	if err != nil {
		return nil
	}
	defer func() { _ = folder.Close() }()
	info, err := folder.Stat()
	if err != nil {
		return nil
	}
	if uid, _ := ownersOf(info); uid != d.account.uid {
		return fmt.Errorf("the data in %s was given to %s while the service ran; give it back to %s and start again", d.cluster, userName(uid), userName(d.account.uid))
	}
	switch version, err := readVersion(folder); {
	case err != nil || version == major:
		return nil
	case version == "":
		return fmt.Errorf("the data in %s is gone; put it back or restore a backup, and start again", d.cluster)
	default:
		return fmt.Errorf("the data in %s has become that of PostgreSQL %s, and this service ran PostgreSQL %s; start it again with the programs of that version", d.cluster, version, major)
	}
}

// initCluster makes the cluster. It makes it under another name and renames it in the
// end, so that a cluster with the right name is always complete.
func (d *clusterFiles) initCluster(ctx context.Context, programs programs) error {
	unfinished := filepath.Join(d.data.path, unfinishedName)
	if err := d.data.root.RemoveAll(unfinishedName); err != nil {
		return fmt.Errorf("%s cannot be removed: %w", unfinished, err)
	}
	if err := d.data.root.Remove(clusterName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has files and is no PostgreSQL cluster (it has no PG_VERSION); restore it from a backup, or name another directory with --data-dir", d.cluster)
	}
	if err := d.makePrivate(unfinishedName); err != nil {
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
	// What it started may hold its output a little longer, when ctx has ended it.
	cmd.WaitDelay = outputDelay
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the database cannot be made in %s: %w (%s)", d.data.path, err, output)
	}
	return d.data.root.Rename(unfinishedName, clusterName)
}
