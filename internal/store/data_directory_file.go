package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Secret returns what a file holds that nobody but this process's user can read. If there is none it is made, with what
// made returns. A link, and a file that others own or can read, are refused.
func (d *DataDirectory) Secret(name string, made func() string) (string, error) {
	f, err := d.ownFile(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		text := made()
		return text, d.writeSecret(name, text)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxSecret))
	return strings.TrimSpace(string(text)), err
}

// maxSecret is the length of a secret's file, in bytes, that is read at most.
const maxSecret = 4096

// writeSecret makes a file that only this process's user can read, whole or not at all.
func (d *DataDirectory) writeSecret(name, text string) error {
	unfinished := name + ".new"
	_ = d.root.Remove(unfinished) // a former start may have left it behind
	f, err := d.root.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("%s cannot be made: %w", filepath.Join(d.path, name), err)
	}
	_, err = f.WriteString(text + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = d.root.Rename(unfinished, name)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be made: %w", filepath.Join(d.path, name), err)
	}
	return nil
}

// Claim opens a file that nobody but this process's user can read, and locks it until it is closed or the process ends; if
// there is none it is made. A file that another process has locked, a link, and a file that others own or can read, are
// refused. Claimed tells others whether somebody has it.
func (d *DataDirectory) Claim(name string) (*os.File, error) {
	f, err := d.ownFile(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK}); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("another service has %s; give this one a data directory of its own with --data-dir", filepath.Join(d.path, name))
	}
	return f, nil
}

// Claimed reports whether a process has claimed a file.
func Claimed(f *os.File) (bool, error) {
	held := unix.Flock_t{Type: unix.F_RDLCK}
	err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &held)
	return held.Type != unix.F_UNLCK, err
}

// ownFile opens a file that nobody but this process's user can read; fs.ErrNotExist if there is none, and flags do not
// make it.
func (d *DataDirectory) ownFile(name string, flags int) (*os.File, error) {
	f, err := d.root.OpenFile(name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w; remove it, and the next start makes another one", filepath.Join(d.path, name), err)
	}
	info, err := f.Stat()
	if err == nil && !isOwn(info) {
		err = fmt.Errorf("%s is not a file that only its owner, the user of this service, can read; remove it, and the next start makes another one", filepath.Join(d.path, name))
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// isOwn reports whether a file is one of this process's user, with one name, which others cannot read.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && info.Mode().Perm()&0o077 == 0 && int(stat.Uid) == os.Geteuid() && stat.Nlink == 1
}
