package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/store"
)

// stopBound is within what a service that was told to stop has ended, whatever its database and its clients do.
const stopBound = 30 * time.Second

// signalCluster sends a signal to every process of a PostgreSQL.
func signalCluster(t *testing.T, cluster string, signal syscall.Signal) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if cwd, err := os.Readlink(link); err != nil || cwd != cluster {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, signal) // it may have ended
	}
}

// freeze stops every process of a PostgreSQL until the test ends, as a disk that hangs does.
func freeze(t *testing.T, cluster string) {
	t.Helper()
	signalCluster(t, cluster, syscall.SIGSTOP)
	t.Cleanup(func() { signalCluster(t, cluster, syscall.SIGCONT) })
}

// execute executes statements in a database, each by itself.
func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// request sends a request over a connection of its own, and returns that.
func (p *process) request(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprint(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Promise 9: SIGTERM ends the service within 30 s, with exit status 0, also where the database or the clients do nothing.
func TestStopEndsInTimeWhateverTheDatabaseAndTheClientsDo(t *testing.T) {
	cases := []struct {
		name string
		// private means that the service has a PostgreSQL of its own.
		private bool
		hold    func(t *testing.T, p *process, db *store.Postgres, dir string)
	}{
		{"the private PostgreSQL is frozen", true, func(t *testing.T, _ *process, _ *store.Postgres, dir string) {
			freeze(t, filepath.Join(dir, "postgres"))
		}},
		{"the private PostgreSQL is frozen and a write waits", true, func(t *testing.T, p *process, _ *store.Postgres, dir string) {
			freeze(t, filepath.Join(dir, "postgres"))
			p.request(t, "POST /api/v1/endpoints HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"ia\":\"soft0@alpha\"}")
		}},
		{"the database is frozen", false, func(t *testing.T, _ *process, db *store.Postgres, _ string) { freeze(t, db.Dir()) }},
		{"the database is away", false, func(t *testing.T, p *process, db *store.Postgres, _ string) {
			stopDatabase(t, db)
			eventually(t, "the service has noticed", func() bool { return strings.HasPrefix(p.checkOf(t, "writes"), "failed") })
		}},
		{"a COMMIT waits for a standby", false, func(t *testing.T, p *process, db *store.Postgres, _ string) {
			execute(t, db.URL(), `ALTER SYSTEM SET synchronous_standby_names = 'nowhere'`, `SELECT pg_reload_conf()`)
			go func() { // the server reads its settings a moment later
				for p.canWrite() {
				}
			}()
			conn, err := pgx.Connect(t.Context(), db.URL())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
			eventually(t, "the COMMIT waits", func() bool {
				var n int
				err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'datapi alpha'`).Scan(&n)
				return err == nil && n > 0
			})
		}},
		{"clients hold streams and never read", true, func(t *testing.T, p *process, _ *store.Postgres, _ string) {
			for range 3 {
				p.request(t, "GET /api/v1/changes/stream?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
			}
			held := p.request(t, "GET /api/v1/changes/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
			if line, err := bufio.NewReader(held).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
				t.Fatalf("the stream answers %q, %v", line, err)
			}
			for range 8 { // answers that fill the sockets' buffers
				slow := p.request(t, "")
				go func() {
					for range 2000 {
						if _, err := fmt.Fprint(slow, "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
							return
						}
					}
				}()
			}
			p.request(t, "POST /api/v1/endpoints HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
			waiting := p.must(t, "POST", "/evds", object{"ia": "soft0@alpha", "qlen": 8, "streams": []string{"DTO"}})["id"].(string)
			p.request(t, "POST /api/v1/evds/"+waiting+"/dequeue HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=60\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"max\":1}")
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := stateDir(t)
			var db *store.Postgres
			var args []string
			if !c.private {
				db = database(t, stateDir(t))
				args = append(args, "--database-url="+db.URL())
			}
			p := serveIn(t, dir, args...)
			p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha"})
			c.hold(t, p, db, dir)
			began := time.Now()
			if status := p.end(t, syscall.SIGTERM); status != exitDone {
				t.Errorf("exit status %d", status)
			}
			if took := time.Since(began); took > stopBound {
				t.Errorf("the stop took %s", took)
			} else {
				t.Logf("the stop took %s", took)
			}
			if c.private && postmaster(dir) != 0 {
				t.Error("PostgreSQL still runs")
			}
		})
	}
}

// A second signal ends the service at once, and what was acknowledged is there.
func TestSecondSignalEndsTheServiceAtOnce(t *testing.T) {
	dir := stateDir(t)
	p := serveIn(t, dir)
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "there"})
	waiting := p.must(t, "POST", "/evds", object{"ia": "soft0@alpha", "qlen": 8, "streams": []string{"DTO"}})["id"].(string)
	p.request(t, "POST /api/v1/evds/"+waiting+"/dequeue HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=60\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"max\":1}")
	freeze(t, filepath.Join(dir, "postgres"))
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the stop has begun", func() bool { return strings.Contains(p.said(), `"stopping"`) })
	began := time.Now()
	eventually(t, "a second signal has ended it", func() bool {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // one that follows the first too fast counts as the same
		select {
		case <-p.exited:
			return true
		default:
			return false
		}
	})
	if took := time.Since(began); took > 2*time.Second || p.waitFor(t) != exitRefused {
		t.Errorf("it took %s and ended with %d", took, p.waitFor(t))
	}
	signalCluster(t, filepath.Join(dir, "postgres"), syscall.SIGCONT)
	again := serveIn(t, dir)
	if now := again.must(t, "GET", "/endpoints/"+ep["id"].(string), nil); now["name"] != "there" {
		t.Errorf("what was acknowledged is %v", now)
	}
}

// A start that hangs, here in a migration, is stopped in time too.
func TestStopEndsAStartThatHangs(t *testing.T) {
	t.Parallel()
	db := database(t, stateDir(t))
	execute(t, db.URL(),
		`CREATE FUNCTION hold() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(3600); END'`,
		`CREATE EVENT TRIGGER hold ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hold()`)
	p, _ := begin(t, "serve", "--listen=127.0.0.1:0", "--node=alpha", "--engine=soft", "--data-dir="+stateDir(t), "--database-url="+db.URL())
	go func() {
		_ = p.cmd.Wait() // the state has the outcome
		close(p.exited)
	}()
	conn, err := pgx.Connect(t.Context(), db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	eventually(t, "the start hangs", func() bool {
		var n int
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`).Scan(&n)
		return err == nil && n > 0
	})
	began := time.Now()
	p.end(t, syscall.SIGTERM)
	if took := time.Since(began); took > stopBound {
		t.Errorf("the stop took %s", took)
	}
}
