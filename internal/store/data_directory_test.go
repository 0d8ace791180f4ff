package store

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stranger is a user who is neither root nor that of this process.
const stranger = 65534

// fileState is what a start must not change of something that is not the service's.
type fileState struct {
	content  string
	mode     fs.FileMode
	uid, gid uint32
}

// stateOf returns the state of a file or directory, the names in it as content.
func stateOf(t *testing.T, path string) fileState {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	s := fileState{mode: info.Mode()}
	s.uid, s.gid = ownersOf(info)
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		must(t, err)
		for _, e := range entries {
			s.content += e.Name() + "\n"
		}
	} else {
		b, err := os.ReadFile(path)
		must(t, err)
		s.content = string(b)
	}
	return s
}

// Promise 7: nothing in a data directory is followed to elsewhere, whoever has put it there.
func TestLinksInTheDataDirectoryAreRefusedAndNotFollowed(t *testing.T) {
	cases := []struct {
		name, link string
		file, hard bool
	}{
		{"the lock", "lock", true, false},
		{"the lock, as a second name", "lock", true, true},
		{"the folder of the socket", "run", false, false},
		{"the data", "postgres", false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir, target := filepath.Join(shortDir(t), "data"), filepath.Join(shortDir(t), "elsewhere")
			must(t, os.Mkdir(dir, 0o700))
			if c.file {
				must(t, os.WriteFile(target, []byte("precious\n"), 0o640))
			} else {
				must(t, os.Mkdir(target, 0o755))
			}
			link := os.Symlink
			if c.hard {
				link = os.Link
			}
			must(t, link(target, filepath.Join(dir, c.link)))
			before := stateOf(t, target)
			_, err := StartPostgres(t.Context(), dir, nil)
			if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, c.link)) || !strings.Contains(err.Error(), "remove it (`rm ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
			if after := stateOf(t, target); after != before {
				t.Errorf("what the link leads to is %+v, was %+v", after, before)
			}
		})
	}
}

// Promise 7: a data directory of somebody else is refused before anything in it is opened.
func TestADataDirectoryOfSomebodyElseIsRefused(t *testing.T) {
	dir := "/proc/sys" // root's
	if os.Geteuid() == 0 {
		dir = filepath.Join(shortDir(t), "data")
		must(t, os.Mkdir(dir, 0o755))
		must(t, os.Symlink(shortDir(t), filepath.Join(dir, "run")))
		must(t, os.Chown(dir, stranger, stranger))
	}
	before := stateOf(t, dir)
	_, err := StartPostgres(t.Context(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), "the data directory "+dir+" belongs to ") || !strings.Contains(err.Error(), "--data-dir") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if after := stateOf(t, dir); after != before {
		t.Errorf("the directory is %+v, was %+v", after, before)
	}
}

// A folder that another user owns is not taken over, even in a data directory of one's own.
func TestAFolderOfSomebodyElseInTheDataDirectoryIsRefused(t *testing.T) {
	d := &DataDirectory{path: "/data"}
	if err := d.foreign("run", stranger, 0); !strings.Contains(err.Error(), "/data/run belongs to") || !strings.Contains(err.Error(), "not to root (uid 0)") {
		t.Errorf("got %v", err)
	}
	if os.Geteuid() != 0 {
		return // only root can give a folder away
	}
	for _, name := range []string{"run", "lock", "postgres"} {
		dir := filepath.Join(shortDir(t), "data")
		must(t, os.Mkdir(dir, 0o700))
		path := filepath.Join(dir, name)
		if name == "lock" {
			must(t, os.WriteFile(path, nil, 0o600))
		} else {
			must(t, os.Mkdir(path, 0o700))
			must(t, os.WriteFile(filepath.Join(path, "PG_VERSION"), []byte("15\n"), 0o644))
		}
		must(t, os.Chown(path, stranger, stranger))
		_, err := StartPostgres(t.Context(), dir, nil)
		if err == nil || !strings.Contains(err.Error(), path+" belongs to ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestALaxParentIsRefusedOrNamed(t *testing.T) {
	parent := shortDir(t)
	dir := filepath.Join(parent, "data")
	must(t, os.Chmod(parent, 0o777))
	_, err := OpenDataDirectory(dir, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "everybody may write into "+parent) || !strings.Contains(err.Error(), "chmod o-w "+parent) {
		t.Errorf("a parent that everybody may write into: %v", err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("it was made all the same")
	}
	must(t, os.Chmod(parent, 0o777|fs.ModeSticky))
	d, err := OpenDataDirectory(dir, slog.New(slog.DiscardHandler))
	must(t, err)
	d.Close()
	if os.Geteuid() != 0 {
		return // only root can give a parent away
	}
	must(t, os.Chmod(parent, 0o755))
	must(t, os.Chown(parent, stranger, stranger))
	var log strings.Builder
	d, err = OpenDataDirectory(dir, slog.New(slog.NewTextHandler(&log, nil)))
	must(t, err)
	d.Close()
	if !strings.Contains(log.String(), "others can put another directory in the place") || !strings.Contains(log.String(), parent) {
		t.Errorf("a parent of somebody else is named so: %s", log.String())
	}
	must(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600))
	if _, err := OpenDataDirectory(dir, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "holds other things") {
		t.Errorf("a directory that somebody else may have put there: %v", err)
	}
}

// A wrong --data-dir, as /etc, must not close a directory of the system, nor take one that everybody may write into.
func TestADirectoryThatHoldsOtherThingsKeepsItsMode(t *testing.T) {
	for mode, want := range map[fs.FileMode]fs.FileMode{0o755: 0o755, 0o700: 0o711, 0o775: 0o755} {
		dir := filepath.Join(shortDir(t), "data")
		must(t, os.Mkdir(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600))
		must(t, os.Chmod(dir, mode))
		d, err := OpenDataDirectory(dir, slog.New(slog.DiscardHandler))
		must(t, err)
		d.Close()
		if got := stateOf(t, dir).mode.Perm(); got != want {
			t.Errorf("mode %04o became %04o, want %04o", mode, got, want)
		}
		must(t, os.Chmod(dir, 0o777|fs.ModeSticky))
		if _, err := OpenDataDirectory(dir, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "everybody may write into it") {
			t.Errorf("one like /tmp: %v", err)
		}
	}
}

func TestDataWithoutAVersionAreNotDeleted(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	must(t, os.MkdirAll(filepath.Join(dir, "postgres", "base"), 0o700))
	_, err := StartPostgres(t.Context(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), "has files and is no PostgreSQL cluster") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "postgres", "base")); err != nil {
		t.Errorf("what was there is gone: %v", err)
	}
}

func TestAnAdministratorsShellInTheClusterIsNoFormerRun(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	pg, err := StartPostgres(t.Context(), dir, nil)
	must(t, err)
	stopPostgres(t, pg)
	before, err := os.Getwd()
	must(t, err)
	must(t, os.Chdir(filepath.Join(dir, "postgres")))
	defer func() { must(t, os.Chdir(before)) }()
	if pids := pg.dir.processesInCluster(); len(pids) != 0 {
		t.Errorf("processes %d are taken for PostgreSQL (this one is %d)", pids, syscall.Getpid())
	}
}
