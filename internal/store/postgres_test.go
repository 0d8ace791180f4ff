package store

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// helperDir, set in the environment, makes the test program a service that runs
// a private PostgreSQL in that directory until its standard input ends.
const helperDir = "STORE_TEST_HELPER_DIR"

// helper is that service. It prints one line: "url pid", or "error: …".
func helper(dir string) int {
	pg, err := StartPostgres(context.Background(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Printf("error: %v\n", err)
		return 1
	}
	fmt.Printf("%s %d\n", pg.URL(), pg.Pid())
	_, _ = io.Copy(io.Discard, os.Stdin)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := pg.Stop(ctx); err != nil {
		fmt.Printf("error: %v\n", err)
		return 1
	}
	return 0
}

// service is a helper that is running.
type service struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	url   string
	// postmaster is PostgreSQL's process id; failure is the error that the helper printed
	// instead.
	postmaster int
	failure    string
}

// startService starts a helper, as the user uid unless that is 0.
func startService(t *testing.T, dir string, uid uint32) *service {
	t.Helper()
	program := filepath.Join(shortDir(t), "service")
	self, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	must(t, os.WriteFile(program, self, 0o755))
	s := &service{cmd: exec.Command(program)}
	s.cmd.Env, s.cmd.Dir, s.cmd.Stderr = append(os.Environ(), helperDir+"="+dir), "/", os.Stderr
	if uid != 0 {
		s.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	s.stdin, err = s.cmd.StdinPipe()
	must(t, err)
	out, err := s.cmd.StdoutPipe()
	must(t, err)
	must(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.stdin.Close(); _ = s.cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	if after, failed := strings.CutPrefix(line, "error: "); failed {
		s.failure = strings.TrimSpace(after)
		return s
	}
	url, pid, _ := strings.Cut(strings.TrimSpace(line), " ")
	s.url = url
	s.postmaster, err = strconv.Atoi(pid)
	must(t, err)
	return s
}

// stop stops a service in order.
func (s *service) stop(t *testing.T) {
	t.Helper()
	must(t, s.stdin.Close())
	must(t, s.cmd.Wait())
}

// exists reports whether a process is running.
func exists(pid int) bool { return syscall.Kill(pid, 0) == nil && !isZombie(pid) }

func TestPrivatePostgresKeepsDirectoriesToItself(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	must(t, os.Mkdir(dir, 0o700)) // as a package would make it
	pg, err := StartPostgres(t.Context(), dir, nil)
	must(t, err)
	defer stopPostgres(t, pg)
	modes := map[string]fs.FileMode{dir: 0o711, filepath.Join(dir, "postgres"): 0o700, filepath.Join(dir, "run"): 0o700, filepath.Join(dir, "lock"): 0o600}
	for path, want := range modes {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %04o, want %04o", path, info.Mode().Perm(), want)
		}
	}
	conn, err := pgx.Connect(t.Context(), pg.URL())
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var listen, fsync, durable string
	must(t, conn.QueryRow(t.Context(), `SELECT current_setting('listen_addresses'), current_setting('fsync'), current_setting('synchronous_commit')`).Scan(&listen, &fsync, &durable))
	if listen != "" || fsync != "on" || durable != "on" {
		t.Errorf("listen_addresses %q, fsync %s, synchronous_commit %s", listen, fsync, durable)
	}
	owner, err := os.Stat(fmt.Sprintf("/proc/%d", pg.Pid()))
	must(t, err)
	if uid := owner.Sys().(*syscall.Stat_t).Uid; uid == 0 {
		t.Error("PostgreSQL runs as root")
	}
}

func TestPrivatePostgresKeepsDataOverRestarts(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	for run := range 2 {
		pg, err := StartPostgres(t.Context(), dir, nil)
		must(t, err)
		sql := "CREATE TABLE survives (n integer)"
		if run == 1 {
			sql = "INSERT INTO survives VALUES (1)"
		}
		must(t, admin(t.Context(), pg.URL(), sql))
		pid := pg.Pid()
		stopPostgres(t, pg)
		if exists(pid) {
			t.Error("PostgreSQL outlived its Stop")
		}
	}
}

func TestPrivatePostgresRunsForAnUnprivilegedUser(t *testing.T) {
	dir := shortDir(t)
	const uid = 65534
	if os.Geteuid() == 0 {
		must(t, os.Chown(dir, uid, uid))
	}
	as := uint32(0) // the user of this process
	if os.Geteuid() == 0 {
		as = uid
	}
	s := startService(t, filepath.Join(dir, "data"), as)
	if s.failure != "" {
		t.Fatal(s.failure)
	}
	s.stop(t)
	if exists(s.postmaster) {
		t.Error("PostgreSQL outlived its service")
	}
}

func TestASecondServiceOnTheDirectoryIsRefused(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	pg, err := StartPostgres(t.Context(), dir, nil)
	must(t, err)
	defer stopPostgres(t, pg)
	want := fmt.Sprintf("the data directory %s is in use by another datapi (process %d); stop that one, or name another directory with --data-dir", dir, os.Getpid())
	if s := startService(t, dir, 0); s.failure != want {
		t.Errorf("the second was told %q, want %q", s.failure, want)
	}
	if _, err := StartPostgres(t.Context(), dir, nil); err == nil || err.Error() != want {
		t.Errorf("the same process was told %v", err)
	}
	must(t, admin(t.Context(), pg.URL(), "SELECT 1"))
}

func TestAKilledServiceTakesPostgresWithItAndTheNextWaitsForThat(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	first := startService(t, dir, 0)
	must(t, admin(t.Context(), first.url, "CREATE TABLE survives (n integer)"))
	must(t, first.cmd.Process.Kill())
	second := startService(t, dir, 0)
	if second.failure != "" {
		t.Fatal(second.failure)
	}
	if exists(first.postmaster) || second.postmaster == first.postmaster {
		t.Errorf("the postmaster %d of the first service was not waited for, or was taken over", first.postmaster)
	}
	must(t, admin(t.Context(), second.url, "INSERT INTO survives VALUES (1)"))
	second.stop(t)
}

func TestBothKilledAtOnceRecover(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	first := startService(t, dir, 0)
	must(t, admin(t.Context(), first.url, "CREATE TABLE survives (n integer)"))
	must(t, syscall.Kill(first.postmaster, syscall.SIGKILL))
	must(t, first.cmd.Process.Kill())
	second := startService(t, dir, 0)
	if second.failure != "" {
		t.Fatal(second.failure)
	}
	must(t, admin(t.Context(), second.url, "INSERT INTO survives VALUES (1)"))
	second.stop(t)
}

// The kernel may end PostgreSQL between the making of a lock file and the writing of its process id.
func TestLockFilesWithoutAProcessIDDoNotKeepPostgresFromStarting(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	pg, err := StartPostgres(t.Context(), dir, nil)
	must(t, err)
	t.Cleanup(func() { stopPostgres(t, pg) })
	locks := []string{
		filepath.Join(pg.dir.cluster, "postmaster.pid"),
		filepath.Join(pg.dir.sockets, ".s.PGSQL."+socketPort+".lock"),
	}
	for _, lock := range locks {
		must(t, os.Truncate(lock, 0))
		killed := pg.Pid()
		must(t, syscall.Kill(killed, syscall.SIGKILL))
		eventually(t, "it is started again with an empty "+filepath.Base(lock), func() bool {
			pid := pg.Pid()
			return pid != 0 && pid != killed && pg.State().Up
		})
	}
	stopPostgres(t, pg)
	for _, lock := range locks {
		must(t, os.WriteFile(lock, nil, 0o600))
		if pg.dir.account.switchUser {
			must(t, os.Chown(lock, int(pg.dir.account.uid), int(pg.dir.account.gid)))
		}
	}
	pg, err = StartPostgres(t.Context(), dir, nil)
	must(t, err)
}

func TestALongPathPutsTheSocketIntoATemporaryDirectory(t *testing.T) {
	dir := filepath.Join(shortDir(t), strings.Repeat("long", 30))
	pg, err := StartPostgres(t.Context(), dir, nil)
	must(t, err)
	sockets := pg.dir.sockets
	must(t, admin(t.Context(), pg.URL(), "SELECT 1"))
	info, err := os.Stat(sockets)
	must(t, err)
	if strings.HasPrefix(sockets, dir) || info.Mode().Perm() != 0o700 {
		t.Errorf("the socket is in %s with mode %04o", sockets, info.Mode().Perm())
	}
	stopPostgres(t, pg)
	if _, err := os.Stat(sockets); err == nil {
		t.Error("the temporary directory is still there")
	}
}

func TestAClusterOfAnotherVersionIsRefusedWithTheRemedy(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	must(t, os.MkdirAll(filepath.Join(dir, "postgres"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "postgres", "PG_VERSION"), []byte("9\n"), 0o600))
	_, err := StartPostgres(t.Context(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), "the data is of PostgreSQL 9") || !strings.Contains(err.Error(), "install PostgreSQL 9") {
		t.Errorf("got %v", err)
	}
}

func TestAnUnreachableParentIsRefusedWithTheRemedy(t *testing.T) {
	parent := shortDir(t)
	must(t, os.Chmod(parent, 0o700))
	a := account{name: postgresUser, switchUser: true, uid: 4_000_000, gid: 4_000_000}
	err := a.checkReachable(parent)
	if err == nil || !strings.Contains(err.Error(), "chmod o+x "+parent) {
		t.Errorf("got %v", err)
	}
	must(t, os.Chmod(parent, 0o711))
	must(t, a.checkReachable(parent))
}

func TestPostgresThatCannotStartSaysWhy(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	pg, err := StartPostgres(t.Context(), dir, nil)
	must(t, err)
	stopPostgres(t, pg)
	must(t, os.WriteFile(filepath.Join(dir, "postgres", "postgresql.conf"), []byte("no_such_setting = 1\n"), 0o600))
	_, err = StartPostgres(t.Context(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), "PostgreSQL did not start") {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(fmt.Sprint(err), "no_such_setting") || strings.Contains(fmt.Sprint(err), "\n") {
		t.Errorf("the reason is missing: %v", err)
	}
}
