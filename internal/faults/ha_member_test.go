//go:build ha

package faults

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// member is one of the servers that Patroni looks after: a Patroni, the PostgreSQL that it
// starts, and the proxies through which all others reach the two.
type member struct {
	name, dir string
	// postgres and rest are the addresses on which PostgreSQL and Patroni's REST API listen.
	postgres, rest string
	// toPostgres and toREST are what the other members use, toEtcd is what this one's Patroni uses.
	toPostgres, toREST, toEtcd *Proxy
	// fromNodes are what the nodes use, in their order.
	fromNodes []*Proxy
	// stalled says that the other members get nothing of what PostgreSQL sends.
	stalled bool

	process *Process
	// past is what former processes of this member's Patroni have printed.
	past string
}

// newMember makes a member and its proxies for a number of nodes, and starts nothing else.
func (w *World) newMember(name, etcd string, nodes int) *member {
	w.t.Helper()
	m := &member{name: name, dir: w.path(name)}
	for _, address := range []*string{&m.postgres, &m.rest} {
		var err error
		*address, err = freeAddress()
		w.must(err)
	}
	m.toPostgres, m.toREST = w.startProxy(name, m.postgres), w.startProxy(name+"-rest", m.rest)
	m.toEtcd = w.startProxy(name+"-etcd", etcd)
	for n := range nodes {
		m.fromNodes = append(m.fromNodes, w.startProxy(fmt.Sprintf("%s-node%d", name, n), m.postgres))
	}
	w.must(os.MkdirAll(m.dir, 0o700))
	w.must(giveToPostgres(m.dir))
	return m
}

// patroniSettings are what all members agree on, in Patroni's words.
type patroniSettings struct {
	ttl, loopWait, retryTimeout int
	// synchronous is synchronous_mode and synchronous_mode_strict.
	synchronous bool
}

// configure writes the member's configuration, which is JSON: YAML has it in it.
func (m *member) configure(s patroniSettings) error {
	programs, err := postgresPrograms()
	if err != nil {
		return err
	}
	account := func(name string) object { return object{"username": name, "password": name} }
	config := object{
		"scope": "datapi", "name": m.name,
		"restapi": object{"listen": m.rest, "connect_address": m.toREST.Address()},
		// The second API of etcd: with the third, a Patroni before 3.0.3 may take back a leader's
		// key that another member has by then. As a proxy it is not asked for its own address.
		"etcd": object{"proxy": "http://" + m.toEtcd.Address()},
		"bootstrap": object{
			"dcs": object{
				"ttl": s.ttl, "loop_wait": s.loopWait, "retry_timeout": s.retryTimeout,
				"maximum_lag_on_failover": 64 << 20,
				"synchronous_mode":        s.synchronous, "synchronous_mode_strict": s.synchronous,
				"postgresql": object{"use_pg_rewind": true, "use_slots": true, "parameters": object{
					"max_connections": 100, "shared_buffers": "16MB", "fsync": "off", "jit": "off", "wal_keep_size": "64MB",
				}},
			},
			"initdb": []any{object{"encoding": "UTF8"}, object{"locale": "C"}, object{"wal-segsize": "1"}},
		},
		"postgresql": object{
			"listen": m.postgres, "connect_address": m.toPostgres.Address(), "bin_dir": programs,
			"data_dir": m.data(), "pgpass": filepath.Join(m.dir, "pgpass"),
			"authentication": object{"superuser": account(superuser), "replication": account("replicator"), "rewind": account("rewinder")},
			"pg_hba":         []string{"local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"},
			"parameters":     object{"unix_socket_directories": m.dir},
			"remove_data_directory_on_diverged_timelines": true,
		},
	}
	return os.WriteFile(m.config(), encode(config), 0o644)
}

func (m *member) data() string   { return filepath.Join(m.dir, "data") }
func (m *member) config() string { return m.dir + ".json" }

// start starts the member's Patroni, which starts its PostgreSQL.
func (m *member) start() error {
	cmd := exec.Command("patroni", m.config())
	cmd.Dir, cmd.Env = "/", append(cmd.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC", "HOME="+m.dir)
	if err := asPostgres(cmd); err != nil {
		return err
	}
	m.past = m.log()
	var err error
	m.process, err = startProcess(cmd)
	return err
}

// log returns what the member's Patroni has printed.
func (m *member) log() string {
	if m.process == nil {
		return m.past
	}
	return m.past + m.process.Output()
}

// processes returns the ids of all that the member consists of. PostgreSQL is no child of
// Patroni; its data directory says which process it is.
func (m *member) processes() []int {
	var all []int
	if !m.process.HasExited() {
		all = family(m.process.Pid())
	}
	file, err := os.ReadFile(filepath.Join(m.data(), "postmaster.pid"))
	if err != nil {
		return all
	}
	first, _, _ := strings.Cut(string(file), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return all
	}
	if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.Contains(string(line), m.data()) {
		all = append(all, family(pid)...)
	}
	return all
}

// signal sends a signal to everything that the member consists of.
func (m *member) signal(s syscall.Signal) {
	for _, pid := range m.processes() {
		_ = syscall.Kill(pid, s) // it may have ended
	}
}

// kill ends Patroni and PostgreSQL immediately, as the loss of their host does.
func (m *member) kill() error {
	m.signal(syscall.SIGKILL)
	if _, err := m.process.Wait(patience); err != nil {
		return err
	}
	return eventually(m.name+" has ended", patience, func() bool { return len(m.processes()) == 0 })
}

// stall lets nothing that the member's PostgreSQL sends reach the other members any more.
func (m *member) stall() error {
	m.stalled = true
	return m.toPostgres.Poison(AnswersLost)
}

// isolate keeps the member's PostgreSQL and Patroni from etcd, from the other members and from
// all nodes but the first: nothing of what is sent arrives, in either direction.
func (m *member) isolate() error {
	for _, p := range m.proxiesFromOthers() {
		for _, toxic := range []Toxic{CallsLost, AnswersLost} {
			if m.stalled && p == m.toPostgres && toxic.Direction == ToClient {
				continue // it is lost already
			}
			if err := p.Poison(toxic); err != nil {
				return err
			}
		}
	}
	return nil
}

// rejoin ends isolate and stall.
func (m *member) rejoin(ctx context.Context) error {
	m.stalled = false
	for _, p := range m.proxiesFromOthers() {
		if err := p.Mend(ctx); err != nil {
			return err
		}
	}
	return nil
}

// proxiesFromOthers returns the proxies that are between the member and etcd, the other members
// and all nodes but the first.
func (m *member) proxiesFromOthers() []*Proxy {
	return append([]*Proxy{m.toEtcd, m.toREST, m.toPostgres}, m.fromNodes[1:]...)
}

// ask runs a query on the member's PostgreSQL, past all proxies, and returns the first column
// of its first row.
func (m *member) ask(sql string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL(m.postgres))
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }() // what matters has been answered
	var answer string
	err = conn.QueryRow(ctx, "SELECT ("+sql+")::text").Scan(&answer)
	return answer, err
}

// isPrimary reports whether the member's PostgreSQL takes writes.
func (m *member) isPrimary() bool {
	recovering, err := m.ask("SELECT pg_is_in_recovery()")
	return err == nil && recovering == "false"
}

// reinitialize lets the member's Patroni make it anew from the primary.
func (m *member) reinitialize() error {
	response, err := http.Post("http://"+m.rest+"/reinitialize", "application/json", strings.NewReader(`{"force": true}`))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the Patroni of %s does not make it anew: %s", m.name, response.Status)
	}
	return nil
}

// promoted returns when the member's Patroni last said that it became the leader.
func (m *member) promoted() (time.Time, error) {
	lines := strings.Split(m.log(), "\n")
	for n := len(lines) - 1; n >= 0; n-- {
		if strings.Contains(lines[n], "promoted self to leader") && len(lines[n]) > 23 {
			return time.Parse("2006-01-02 15:04:05,000", lines[n][:23])
		}
	}
	return time.Time{}, fmt.Errorf("the log of %s does not say that it was promoted", m.name)
}
