//go:build ha

package faults

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// haNodes is how many services a haWorld has, haMembers how many PostgreSQL servers, and
// watchersEach how many watchers each service.
const (
	haNodes      = 3
	haMembers    = 3
	watchersEach = 2
)

// haWorld is a World whose database is a cluster that Patroni looks after, and which has
// several nodes. World.Service is the first of them.
type haWorld struct {
	*World
	members []*member
	nodes   []*Service
	// synchronous says that commits wait for a standby.
	synchronous bool
}

// newHAWorld starts etcd, the members and the nodes, and waits until all are there.
func newHAWorld(w *World, s patroniSettings) *haWorld {
	w.t.Helper()
	h := &haWorld{World: w, synchronous: s.synchronous}
	w.endLeftOvers()
	etcd := w.startEtcd()
	for n := range haMembers {
		m := w.newMember(fmt.Sprintf("member%d", n), etcd, haNodes)
		h.members = append(h.members, m)
		w.must(m.configure(s))
		w.must(m.start())
		w.t.Cleanup(func() {
			if w.t.Failed() {
				w.t.Logf("the Patroni of %s said:\n%s", m.name, tail(m.log(), 5000))
			}
			if err := m.kill(); err != nil {
				w.t.Errorf("end %s: %v", m.name, err)
			}
		})
	}
	h.awaitMembers()
	first := h.primary()
	if first == nil {
		w.must(errors.New("the primary has gone before the nodes were started"))
	}
	for n := range haNodes {
		var addresses []string
		for _, m := range h.members {
			addresses = append(addresses, m.fromNodes[n].Address())
		}
		// The first node's URL names the primary last, the others' name it first.
		if p := slices.Index(h.members, first); n == 0 {
			addresses = append(append(addresses[:p:p], addresses[p+1:]...), addresses[p])
		} else {
			addresses = append([]string{addresses[p]}, append(addresses[:p:p], addresses[p+1:]...)...)
		}
		s := w.newNode(Build{}, []string{node, "beta", "gamma"}[n], databaseURL(addresses...)+"&target_session_attrs=read-write")
		h.nodes = append(h.nodes, s)
		w.must(s.Start())
	}
	w.Service = h.nodes[0]
	for _, s := range h.nodes {
		w.makeContestedAt(s, 1)
		w.watchAt(s, 0, 0)
		w.watchAt(s, int64(len(w.contested)), 400*time.Millisecond)
	}
	return h
}

// leftOvers ends all processes that have a folder in their command line, and what they have
// started, as soon as its standard input ends; then it removes the folder.
const leftOvers = `cat >/dev/null
while :; do
  found=
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    [ "$pid" != $$ ] && grep -qsF "$FOLDER" "$process/cmdline" || continue
    found=$pid
    kill -9 "$pid" $(cat "$process"/task/*/children 2>/dev/null) 2>/dev/null
  done
  [ -n "$found" ] || break
  sleep 0.1
done
rm -rf "$FOLDER"`

// endLeftOvers sees to it that nothing of the world outlives the harness, however that ends: a
// PostgreSQL that Patroni has started belongs to nobody, and does not end with its starter.
func (w *World) endLeftOvers() {
	w.t.Helper()
	cmd := exec.Command("/bin/sh", "-c", leftOvers)
	cmd.Env = append(cmd.Environ(), "FOLDER="+w.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // an interrupt is for the harness alone
	alive, err := cmd.StdinPipe()
	w.must(err)
	w.must(cmd.Start())
	w.t.Cleanup(func() {
		_ = alive.Close() // an end that is there already is the end that is wanted
		if err := cmd.Wait(); err != nil {
			w.t.Errorf("end what is left: %v", err)
		}
	})
}

// startEtcd starts an etcd and returns its address.
func (w *World) startEtcd() string {
	w.t.Helper()
	address, err := freeAddress()
	w.must(err)
	peers, err := freeAddress()
	w.must(err)
	dir := w.path("etcd")
	w.must(os.MkdirAll(dir, 0o700))
	w.must(giveToPostgres(dir))
	cmd := exec.Command("etcd", "--name=etcd", "--data-dir="+dir, "--enable-v2", "--logger=zap", "--log-level=warn",
		"--listen-client-urls=http://"+address, "--advertise-client-urls=http://"+address,
		"--listen-peer-urls=http://"+peers, "--initial-advertise-peer-urls=http://"+peers, "--initial-cluster=etcd=http://"+peers)
	w.must(asPostgres(cmd))
	etcd, err := startProcess(cmd)
	w.must(err)
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("etcd said:\n%s", tail(etcd.Output(), 2000))
		}
		if err := etcd.Kill(); err != nil {
			w.t.Errorf("end etcd: %v", err)
		}
	})
	w.must(eventually("etcd is healthy", patience, func() bool {
		response, err := http.Get("http://" + address + "/health")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	}))
	return address
}

// primary returns the member that takes writes, nil if none or several do.
func (h *haWorld) primary() *member {
	var found *member
	for _, m := range h.members {
		if m.isPrimary() {
			if found != nil {
				return nil
			}
			found = m
		}
	}
	return found
}

// awaitMembers waits until one member is the primary and all others stream from it; where
// commits wait for a standby, until there is one that they wait for.
func (h *haWorld) awaitMembers() {
	h.t.Helper()
	h.must(eventually("the members have a primary, and the others stream from it", 2*patience, h.areMembersThere))
}

// awaitReturn is awaitMembers after a member was away. One that Patroni does not bring back
// by itself is made anew, as an operator would do.
func (h *haWorld) awaitReturn(m *member) {
	h.t.Helper()
	if eventually("the member is back", patience, h.areMembersThere) != nil {
		h.t.Logf("%s does not come back by itself; its Patroni is told to make it anew", m.name)
		h.must(m.reinitialize())
		h.awaitMembers()
	}
}

// areMembersThere reports whether what awaitMembers waits for is so.
func (h *haWorld) areMembersThere() bool {
	p := h.primary()
	if p == nil {
		return false
	}
	streaming, err := p.ask("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND application_name LIKE 'member%'")
	if err != nil || streaming != fmt.Sprint(haMembers-1) {
		return false
	}
	waited, err := p.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')")
	return err == nil && (waited != "0") == h.synchronous
}
