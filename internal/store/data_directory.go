package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// dataDirectoryMode lets PostgreSQL's account through to its own folders, and nobody
	// look around.
	dataDirectoryMode = 0o711
	// lockName is the file that one private PostgreSQL locks; it marks a directory as a
	// data directory of this program.
	lockName = "lock"
	// writableByOthers and traversable are the permission bits of everybody.
	writableByOthers = 0o002
	traversable      = 0o011
)

// DataDirectory is the data directory of a service. It belongs to the user of this
// process, who alone can put anything into it; what is in it is reached by name from
// the open directory and never through a symbolic link.
type DataDirectory struct {
	// path is absolute and has no symbolic links.
	path string
	dir  *os.File
	root *os.Root
}

// OpenDataDirectory makes the data directory if there is none, and checks it. Each
// error is one line that names the remedy. A parent that others may change, so that
// they could put another directory in its place, is refused if everybody may, and else
// named in the log.
func OpenDataDirectory(path string, log *slog.Logger) (*DataDirectory, error) {
	made, err := makeDataDirectory(path)
	if err != nil {
		return nil, err
	}
	replaceable, err := checkParents(made)
	if err != nil {
		return nil, err
	}
	d := &DataDirectory{path: made}
	if d.dir, err = openOwnDirectory(made); err != nil {
		return nil, err
	}
	if d.root, err = os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", d.dir.Fd())); err != nil {
		_ = d.dir.Close()
		return nil, fmt.Errorf("the data directory %s cannot be opened: %w", made, err)
	}
	if err := d.setMode(replaceable); err != nil {
		d.Close()
		return nil, err
	}
	if replaceable != "" {
		log.Warn("others can put another directory in the place of the data directory; give it a parent that only root or its own user may change",
			"data", made, "parent", replaceable)
	}
	return d, nil
}

// Path returns the directory's absolute path.
func (d *DataDirectory) Path() string { return d.path }

// Close releases the directory; nothing in it changes.
func (d *DataDirectory) Close() {
	_ = d.root.Close()
	_ = d.dir.Close()
}

// Folder makes a folder with the mode 0700 for this process's user, if there is none,
// and opens it. One of another user, and a link, are refused.
func (d *DataDirectory) Folder(name string) (*os.Root, error) {
	f, err := d.makeFolder(name, uint32(os.Geteuid()), uint32(os.Getegid()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
}

// makeDataDirectory makes the directory of a path, and returns that without symbolic
// links. Its existing part is what an administrator has set up, links included.
func makeDataDirectory(path string) (string, error) {
	existing, missing, err := existingPart(path)
	if err != nil {
		return "", err
	}
	if missing == "." {
		return existing, nil
	}
	if _, err := checkParents(filepath.Join(existing, missing)); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(existing)
	if err == nil {
		defer func() { _ = root.Close() }()
		err = root.MkdirAll(missing, dataDirectoryMode)
	}
	if err != nil {
		return "", fmt.Errorf("the data directory cannot be made in %s: %w; name one that you may write with --data-dir", existing, err)
	}
	return filepath.Join(existing, missing), nil
}

// existingPart returns the part of a path that exists, without symbolic links, and the rest
// of it, "." for none.
func existingPart(path string) (existing, missing string, err error) {
	if existing, err = filepath.Abs(path); err != nil {
		return "", "", fmt.Errorf("the data directory %s cannot be found: %w", path, err)
	}
	missing = "."
	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			return real, missing, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || existing == "/" {
			return "", "", fmt.Errorf("the data directory cannot be found: %w; name one that you may write with --data-dir", err)
		}
		existing, missing = filepath.Dir(existing), filepath.Join(filepath.Base(existing), missing)
	}
}

// checkParents refuses a path if everybody may replace one of its existing parents, and
// returns a parent that some others may replace, empty if there is none. Nobody but the
// owners replaces what is in a sticky directory, as /tmp is.
func checkParents(path string) (replaceable string, err error) {
	for parent := filepath.Dir(path); ; parent = filepath.Dir(parent) {
		info, err := os.Lstat(parent)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("the data directory's parent cannot be looked at: %w", err)
		}
		if err == nil {
			uid, gid := ownersOf(info)
			sticky := info.Mode()&fs.ModeSticky != 0
			if !sticky && info.Mode().Perm()&writableByOthers != 0 {
				return "", fmt.Errorf("everybody may write into %s (mode %04o), in which the data directory %s is, and so put another one in its place; take that right away (`chmod o-w %s`) or name another directory with --data-dir",
					parent, info.Mode().Perm(), path, parent)
			}
			ownGroup := gid == 0 || gid == uint32(os.Getegid())
			if !isTrusted(uid) || !sticky && info.Mode().Perm()&0o020 != 0 && !ownGroup {
				replaceable = parent
			}
		}
		if parent == filepath.Dir(parent) {
			return replaceable, nil
		}
	}
}

// isTrusted reports whether a user is root, who can do everything anyway, or that of
// this process.
func isTrusted(uid uint32) bool { return uid == 0 || uid == uint32(os.Geteuid()) }

// ownersOf returns the owner and the group of a file.
func ownersOf(info fs.FileInfo) (uid, gid uint32) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0 // on Linux it always is
	}
	return st.Uid, st.Gid
}

// openOwnDirectory opens a directory that belongs to the user of this process.
func openOwnDirectory(path string) (*os.File, error) {
	// O_PATH needs no right to the directory, so that its owner is seen in any case.
	handle, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOTDIR) {
		return nil, fmt.Errorf("the data directory %s is no directory; name another one with --data-dir", path)
	}
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be opened: %w; name another one with --data-dir", path, err)
	}
	defer func() { _ = unix.Close(handle) }()
	var st unix.Stat_t
	if err := unix.Fstat(handle, &st); err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be looked at: %w", path, err)
	}
	if st.Uid != uint32(os.Geteuid()) {
		return nil, fmt.Errorf("the data directory %s belongs to %s, and this runs as %s; name a directory of its own with --data-dir, or run as its owner",
			path, userName(st.Uid), userName(uint32(os.Geteuid())))
	}
	fd, err := unix.Openat(handle, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be read: %w; allow it with `chmod u+rwx %s`, or name another one with --data-dir", path, err, path)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// setMode gives an empty directory, and one that this program has used before, its
// mode. One that holds other things keeps the mode that it has as far as possible, so
// that a wrong --data-dir does not close a directory of the system; it is refused if
// others may have put something into it.
func (d *DataDirectory) setMode(replaceable string) error {
	info, err := d.dir.Stat()
	if err != nil {
		return fmt.Errorf("the data directory %s cannot be looked at: %w", d.path, err)
	}
	want := fs.FileMode(dataDirectoryMode)
	if foreign, err := d.holdsOnlyOtherThings(); err != nil {
		return err
	} else if foreign {
		if replaceable != "" {
			return fmt.Errorf("the data directory %s holds other things, and its parent %s can be changed by others, who may have put it there; name an empty directory with --data-dir", d.path, replaceable)
		}
		if info.Mode().Perm()&writableByOthers != 0 {
			return fmt.Errorf("the data directory %s holds other things, and everybody may write into it (mode %04o); name an empty directory with --data-dir", d.path, info.Mode().Perm())
		}
		want = info.Mode().Perm()&^0o022 | traversable
	}
	if info.Mode().Perm() == want {
		return nil
	}
	if err := d.dir.Chmod(want); err != nil {
		return fmt.Errorf("the mode of the data directory %s cannot be set: %w; name another one with --data-dir", d.path, err)
	}
	return nil
}

// holdsOnlyOtherThings reports whether the directory is not empty and was never a data
// directory of this program.
func (d *DataDirectory) holdsOnlyOtherThings() (bool, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return false, fmt.Errorf("the data directory %s cannot be read: %w", d.path, err)
	}
	if len(entries) == 0 {
		return false, nil
	}
	info, err := d.root.Lstat(lockName)
	if err != nil {
		return true, nil
	}
	uid, _ := ownersOf(info)
	return uid != uint32(os.Geteuid()), nil
}

// makeFolder makes a folder with the mode 0700, if there is none, and gives it to an
// owner. One that exists must be that owner's already, or this process's.
func (d *DataDirectory) makeFolder(name string, uid, gid uint32) (*os.File, error) {
	path := filepath.Join(d.path, name)
	if err := d.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s cannot be made: %w; name another directory with --data-dir", path, err)
	}
	f, err := d.openFolder(name, uid)
	if err != nil {
		return nil, err
	}
	if uid != uint32(os.Geteuid()) {
		if err := f.Chown(int(uid), int(gid)); err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("%s cannot be given to %s: %w; name another directory with --data-dir", path, userName(uid), err)
		}
	}
	if err := f.Chmod(0o700); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("the mode of %s cannot be set: %w; name another directory with --data-dir", path, err)
	}
	return f, nil
}

// openFolder opens a folder that belongs to an owner or to this process's user.
func (d *DataDirectory) openFolder(name string, uid uint32) (*os.File, error) {
	f, info, err := d.open(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	if owner, _ := ownersOf(info); owner != uid && owner != uint32(os.Geteuid()) {
		_ = f.Close()
		return nil, d.foreign(name, owner, uid)
	}
	return f, nil
}

// openFile opens or makes a file of this process's user, with the mode 0600. A link to
// a file elsewhere, symbolic or hard, is refused.
func (d *DataDirectory) openFile(name string) (*os.File, error) {
	f, info, err := d.open(name, unix.O_RDWR|unix.O_CREAT|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	own := uint32(os.Geteuid())
	path := filepath.Join(d.path, name)
	switch owner, _ := ownersOf(info); {
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file; remove it (`rm %s`), or name another directory with --data-dir", path, path)
	case owner != own:
		err = d.foreign(name, owner, own)
	case info.Sys().(*syscall.Stat_t).Nlink != 1:
		err = fmt.Errorf("%s is also the name of a file elsewhere; remove it (`rm %s`), or name another directory with --data-dir", path, path)
	default:
		return f, nil
	}
	_ = f.Close()
	return nil, err
}

// open opens a name in the directory, never through a symbolic link.
func (d *DataDirectory) open(name string, flags int, mode uint32) (*os.File, fs.FileInfo, error) {
	path := filepath.Join(d.path, name)
	fd, err := unix.Openat(int(d.dir.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if err != nil {
		if target, linkErr := d.root.Readlink(name); linkErr == nil {
			return nil, nil, fmt.Errorf("%s is a symbolic link (to %s), which is not followed; remove it (`rm %s`), or name another directory with --data-dir", path, target, path)
		}
		if errors.Is(err, unix.ENOTDIR) {
			return nil, nil, fmt.Errorf("%s is no directory; remove it (`rm %s`), or name another directory with --data-dir", path, path)
		}
		return nil, nil, fmt.Errorf("%s cannot be opened: %w; name another directory with --data-dir", path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("%s cannot be looked at: %w", path, err)
	}
	return f, info, nil
}

// foreign returns the refusal of a name that belongs to another user.
func (d *DataDirectory) foreign(name string, owner, wanted uint32) error {
	path := filepath.Join(d.path, name)
	return fmt.Errorf("%s belongs to %s, not to %s; give it back or remove it, or name another directory with --data-dir",
		path, userName(owner), userName(wanted))
}

// userName returns a user's name with the id, for people.
func userName(uid uint32) string {
	u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return fmt.Sprintf("the user %d", uid)
	}
	return fmt.Sprintf("%s (uid %d)", u.Username, uid)
}
