package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// superuser is the owner of the harness' clusters.
const superuser = "datapi"

// Cluster is a PostgreSQL of the harness, on a loopback port. Unlike the service's
// private one it can be reached through a Proxy and have a standby.
type Cluster struct {
	dir     string
	name    string
	port    int
	process *Process
}

// postgresPrograms returns the folder of PostgreSQL's programs: the newest of Debian,
// else those on PATH.
func postgresPrograms() (string, error) {
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(dirs, func(a, b string) int { return majorOf(b) - majorOf(a) })
	if path, err := exec.LookPath("pg_basebackup"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	for _, dir := range dirs {
		_, backup := os.Stat(filepath.Join(dir, "pg_basebackup"))
		if _, server := os.Stat(filepath.Join(dir, "postgres")); backup == nil && server == nil {
			return dir, nil
		}
	}
	return "", errors.New("no PostgreSQL programs are in /usr/lib/postgresql or on PATH; install them (Debian: apt-get install postgresql)")
}

// majorOf returns the version in the path of one of Debian's folders.
func majorOf(dir string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	if err != nil {
		return 0
	}
	return n
}

// postgresCommand returns a command of PostgreSQL that runs as an account that
// PostgreSQL accepts: not as root.
func postgresCommand(ctx context.Context, program string, args ...string) (*exec.Cmd, error) {
	dir, err := postgresPrograms()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, program), args...)
	cmd.Dir, cmd.Env = "/", append(cmd.Environ(), "LC_ALL=C")
	return cmd, asPostgres(cmd)
}

// asPostgres lets a command run as an account that PostgreSQL accepts.
func asPostgres(cmd *exec.Cmd) error {
	uid, gid, err := postgresAccount()
	if err == nil && os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	}
	return err
}

// postgresAccount returns the account of PostgreSQL's processes: this one's, or postgres
// if that is root.
func postgresAccount() (uid, gid uint32, err error) {
	if os.Geteuid() != 0 {
		return uint32(os.Geteuid()), uint32(os.Getegid()), nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, errors.New("PostgreSQL does not run as root, and there is no user postgres for it")
	}
	uid64, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid64, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(uid64), uint32(gid64), errors.Join(uidErr, gidErr)
}

// runPostgres runs a program of PostgreSQL to its end.
func runPostgres(ctx context.Context, program string, args ...string) error {
	cmd, err := postgresCommand(ctx, program, args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}

// giveToPostgres makes PostgreSQL's account the owner of a folder.
func giveToPostgres(dir string) error {
	uid, gid, err := postgresAccount()
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	return os.Chown(dir, int(uid), int(gid))
}

// newCluster makes a cluster in a folder, which may exist and be empty.
func newCluster(ctx context.Context, dir, name string) (*Cluster, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := giveToPostgres(dir); err != nil {
		return nil, err
	}
	if err := runPostgres(ctx, "initdb", "-D", dir, "-U", superuser, "-A", "trust", "-E", "UTF8",
		"--no-locale", "--no-sync", "--no-instructions", "--wal-segsize=1"); err != nil {
		return nil, err
	}
	return clusterIn(dir, name)
}

// clusterIn returns the cluster whose data lies in a folder.
func clusterIn(dir, name string) (*Cluster, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(port)
	return &Cluster{dir: dir, name: name, port: n}, err
}

// Address returns host and port.
func (c *Cluster) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)) }

// URL returns the connection string.
func (c *Cluster) URL() string { return databaseURL(c.Address()) }

// databaseURL is the connection string for one or several addresses.
func databaseURL(addresses ...string) string {
	return "postgres://" + superuser + "@" + strings.Join(addresses, ",") + "/postgres?sslmode=disable"
}

// Start starts the server and waits until it answers. What is left of a killed run is
// waited for.
func (c *Cluster) Start() error {
	var last error
	err := eventually("PostgreSQL starts", patience, func() bool {
		last = c.startOnce()
		return last == nil
	})
	return errors.Join(err, last)
}

// startOnce starts the server; its error says why it ended before it answered.
func (c *Cluster) startOnce() error {
	cmd, err := postgresCommand(context.Background(), "postgres", "-D", c.dir, "-p", strconv.Itoa(c.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "cluster_name="+c.name,
		"-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=80", "-c", "jit=off",
		"-c", "min_wal_size=2MB", "-c", "max_wal_size=8MB", "-c", "log_min_messages=warning")
	if err != nil {
		return err
	}
	if c.process, err = startProcess(cmd); err != nil {
		return err
	}
	err = eventually("PostgreSQL answers", patience, func() bool {
		return c.process.HasExited() || c.Exec("SELECT 1") == nil
	})
	if c.process.HasExited() {
		return fmt.Errorf("PostgreSQL ended: %s", c.process.Output())
	}
	return err
}

// Exec runs a statement.
func (c *Cluster) Exec(sql string) error {
	_, err := c.query(sql)
	return err
}

// query runs a statement and returns the first column of its first row as text.
func (c *Cluster) query(sql string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.URL())
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }() // what matters has been answered
	results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 || len(results[0].Rows) == 0 {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}

// Kill kills the server's first process, and waits until the others have noticed.
func (c *Cluster) Kill() error {
	members := family(c.process.Pid())
	if err := c.process.Kill(); err != nil {
		return err
	}
	c.Resume(members...)
	return eventually("PostgreSQL's processes are gone", patience, func() bool {
		return !slices.ContainsFunc(members, func(pid int) bool { return syscall.Kill(pid, 0) == nil })
	})
}

// KillAll kills every process of the server at the same moment, as the loss of its host
// does.
func (c *Cluster) KillAll() error {
	signalFamily(c.process.Pid(), syscall.SIGKILL)
	_, err := c.process.Wait(patience)
	return err
}

// Stop ends the server, without waiting for its clients.
func (c *Cluster) Stop() error {
	if c.process == nil || c.process.HasExited() {
		return nil
	}
	c.Resume()
	if err := c.process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	_, err := c.process.Wait(patience)
	return err
}

// Pause stops every process of the server; connections stay open and nothing answers.
func (c *Cluster) Pause() { signalFamily(c.process.Pid(), syscall.SIGSTOP) }

// Resume lets a paused server go on; more names processes that are no descendants of
// the server any more.
func (c *Cluster) Resume(more ...int) {
	signalFamily(c.process.Pid(), syscall.SIGCONT)
	for _, pid := range more {
		_ = syscall.Kill(pid, syscall.SIGCONT) // it may have ended
	}
}
