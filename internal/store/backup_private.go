package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// FindPostgres looks at the data directory of a private PostgreSQL without changing
// anything. there reports whether it has a cluster, running whether a service runs it,
// and url is that one's connection string. Errors are a directory that cannot be read,
// and a service that has not started its PostgreSQL yet.
func FindPostgres(dataDir string) (url string, there, running bool, err error) {
	base, err := filepath.Abs(dataDir)
	if err != nil {
		return "", false, false, err
	}
	d := &clusterFiles{cluster: filepath.Join(base, clusterName), sockets: filepath.Join(base, socketsName)}
	version, err := clusterVersionAt(d.cluster)
	if err != nil || version == "" {
		return "", false, false, err
	}
	if running, err = isLocked(filepath.Join(base, lockName)); err != nil || !running {
		return "", true, false, err
	}
	if dir, err := os.Readlink(filepath.Join(base, tempSocketsLink)); err == nil {
		d.sockets = dir
	}
	if _, err := os.Stat(filepath.Join(d.sockets, ".s.PGSQL."+socketPort)); err != nil {
		return "", true, true, fmt.Errorf("the service of %s runs and its PostgreSQL does not take connections: %w; try again when the service is ready", base, err)
	}
	return (&Postgres{dir: d}).URL(), true, true, nil
}

// isLocked reports whether another process has locked a file; one that is not there is
// not locked.
func isLocked(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the data directory cannot be read: %w; run as its owner", err)
	}
	defer f.Close()
	err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
