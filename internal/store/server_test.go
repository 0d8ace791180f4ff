package store

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// server is a PostgreSQL that a test runs by itself, to kill, freeze, copy and promote.
type server struct {
	t       testing.TB
	account account
	bin     string
	// data is the directory of the cluster, sockets that of its socket.
	data, sockets string
	cmd           *exec.Cmd
	// settings are options of its process.
	settings []string
	// sender is the process of the primary that sends the log to this standby, if that
	// is frozen.
	sender int
}

// newServer makes a cluster and starts it, with settings beside those that it needs.
func newServer(t testing.TB, settings ...string) *server {
	t.Helper()
	s := emptyServer(t)
	for _, setting := range settings {
		s.settings = append(s.settings, "-c", setting)
	}
	s.run("initdb", "-D", s.data, "-U", clusterUser, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "--no-instructions")
	s.start()
	_, err := MigrateUp(t.Context(), s.url(), slog.New(slog.DiscardHandler))
	must(t, err)
	return s
}

// emptyServer returns a server that has no cluster yet.
func emptyServer(t testing.TB) *server {
	t.Helper()
	programs, err := findPrograms("")
	must(t, err)
	postgres, err := filepath.EvalSymlinks(programs.postgres) // the other programs are beside it
	must(t, err)
	a, err := findAccount()
	must(t, err)
	base := shortDir(t)
	s := &server{t: t, account: a, bin: filepath.Dir(postgres), data: filepath.Join(base, "data"), sockets: filepath.Join(base, "run")}
	for _, dir := range []string{s.data, s.sockets} {
		must(t, os.Mkdir(dir, 0o700))
		must(t, os.Chown(dir, int(a.uid), int(a.gid)))
	}
	t.Cleanup(s.kill)
	return s
}

// run runs a PostgreSQL program as the server's account.
func (s *server) run(name string, args ...string) {
	s.t.Helper()
	var output bytes.Buffer
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = s.sockets, childEnv(), &output, &output, s.account.attributes()
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, output.String())
	}
}

// start starts the server and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	args := append([]string{
		"-D", s.data, "-k", s.sockets, "-p", socketPort,
		"-c", "listen_addresses=", "-c", "shared_buffers=16MB", "-c", "wal_keep_size=64MB",
	}, s.settings...)
	s.cmd = exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.cmd.Dir, s.cmd.Env, s.cmd.SysProcAttr = s.data, childEnv(), s.account.attributes()
	s.cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
	must(s.t, s.cmd.Start())
	eventually(s.t, "the server answers", func() bool { return admin(s.t.Context(), s.url(), "SELECT 1") == nil })
}

// kill ends the server without order, as a loss of power does.
func (s *server) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
	for _, pid := range processesIn(s.t, s.data) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	eventually(s.t, "all processes of the server are gone", func() bool { return len(processesIn(s.t, s.data)) == 0 })
	_ = os.Remove(filepath.Join(s.data, "postmaster.pid"))
}

// catchUp waits until a standby has everything that its primary has.
func (s *server) catchUp(primary *server) {
	s.t.Helper()
	end := primary.text(`SELECT pg_current_wal_flush_lsn()::text`)
	eventually(s.t, "the standby has caught up", func() bool { return s.text(`SELECT (pg_last_wal_replay_lsn() >= '`+end+`')::text`) == "true" })
}

// cutOff keeps a standby from getting anything of its primary, until reconnect.
func (s *server) cutOff(primary *server) {
	s.t.Helper()
	s.sender = primary.number(`SELECT pid::text FROM pg_stat_replication`)
	must(s.t, syscall.Kill(s.sender, syscall.SIGSTOP))
	s.t.Cleanup(s.reconnect)
}

func (s *server) reconnect() {
	if s.sender != 0 {
		_ = syscall.Kill(s.sender, syscall.SIGCONT) // it ends with its server
	}
	s.sender = 0
}

// freeze stops all processes of the server; thaw lets them go on.
func (s *server) freeze() {
	s.t.Cleanup(s.thaw)
	s.signal(syscall.SIGSTOP)
}

func (s *server) thaw() { s.signal(syscall.SIGCONT) }

func (s *server) signal(signal syscall.Signal) {
	for _, pid := range processesIn(s.t, s.data) {
		_ = syscall.Kill(pid, signal) // it may have ended
	}
}

// url is the server's connection string; those of more servers are alternatives.
func (s *server) url(others ...*server) string {
	hosts := s.sockets
	for _, o := range others {
		hosts += "," + o.sockets
	}
	u := url.URL{Scheme: "postgres", User: url.User(clusterUser), Path: "/postgres"}
	u.RawQuery = "host=" + hosts + "&port=" + strings.TrimSuffix(strings.Repeat(socketPort+",", 1+len(others)), ",")
	return u.String()
}

// newStandby makes a standby of the server, for which the server waits at each commit.
func (s *server) newStandby() *server {
	s.t.Helper()
	standby := emptyServer(s.t)
	s.run("pg_basebackup", "-D", standby.data, "-R", "-X", "stream", "-c", "fast", "--no-sync",
		"-d", "host="+s.sockets+" port="+socketPort+" user="+clusterUser+" application_name=standby")
	standby.start()
	s.set("synchronous_standby_names", "standby")
	eventually(s.t, "the standby is synchronous", func() bool {
		return s.text(`SELECT count(*)::text FROM pg_stat_replication WHERE sync_state = 'sync'`) == "1"
	})
	return standby
}

// set changes a setting of the running server.
func (s *server) set(name, value string) {
	s.t.Helper()
	must(s.t, admin(s.t.Context(), s.url(), "ALTER SYSTEM SET "+name+" = '"+value+"'"))
	must(s.t, admin(s.t.Context(), s.url(), "SELECT pg_reload_conf()"))
	eventually(s.t, name+" is in force", func() bool { return s.text("SHOW "+name) == value })
}

// text returns the value of a query, empty if there is none.
func (s *server) text(sql string) string {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.url())
	must(s.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var text string
	if err := conn.QueryRow(s.t.Context(), sql).Scan(&text); !errors.Is(err, pgx.ErrNoRows) {
		must(s.t, err)
	}
	return text
}

// number returns the value of a query.
func (s *server) number(sql string) int {
	s.t.Helper()
	n, err := strconv.Atoi(s.text(sql))
	must(s.t, err)
	return n
}

// promote makes a standby a server that takes writes and waits for no other one.
func (s *server) promote() {
	s.t.Helper()
	must(s.t, admin(s.t.Context(), s.url(), "SELECT pg_promote()"))
	must(s.t, admin(s.t.Context(), s.url(), "ALTER SYSTEM SET synchronous_standby_names = ''"))
	must(s.t, admin(s.t.Context(), s.url(), "SELECT pg_reload_conf()"))
}

// copyData returns a copy of the cluster's files, which is taken while the server is
// down, and putBack puts it in the place of the present ones.
func (s *server) copyData() (backup string) {
	s.t.Helper()
	backup = s.data + "-backup"
	s.run("pg_ctl", "stop", "-D", s.data, "-m", "fast", "-s")
	_ = s.cmd.Wait()
	must(s.t, exec.Command("cp", "-a", s.data, backup).Run())
	s.start()
	return backup
}

func (s *server) putBack(backup string) {
	s.t.Helper()
	s.kill()
	must(s.t, os.RemoveAll(s.data))
	must(s.t, os.Rename(backup, s.data))
	s.start()
}
