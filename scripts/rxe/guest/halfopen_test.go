//go:build rxe

package guest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// peerProgram is the program whose child task is to be the other end of a connection.
const peerProgram = "/host/verbs.test"

// orphanRetries is how often TCP sends again what a process left behind that has ended.
const orphanRetries = "/proc/sys/net/ipv4/tcp_orphan_retries"

// peer is the other end of a connection in a process that is not the service's.
type peer struct {
	*testing.T
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	qual    int
}

// newPeer starts the process; it listens when newPeer returns.
func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{T: t, process: exec.CommandContext(t.Context(), peerProgram)}
	p.process.Env = append(os.Environ(), "DATAPI_TEST_CHILD=accept")
	p.process.Stderr = os.Stderr
	var err error
	if p.in, err = p.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.process.Process.Kill(); _ = p.process.Wait() })
	if p.qual, err = strconv.Atoi(p.line()); err != nil {
		t.Fatal(err)
	}
	return p
}

// line returns the next line that the process prints.
func (p *peer) line() string {
	p.Helper()
	if !p.out.Scan() {
		p.Fatal("the peer ended")
	}
	return p.out.Text()
}

// loses lets the process lose its end without a word to the other: over rxe it destroys its queue pair
// alone. siw tells the other even when the process is killed, so there it is killed while what it sends to
// the address gets lost.
func (p *peer) loses(address string) {
	p.Helper()
	if !strings.HasPrefix(device(p.T), "siw") {
		if _, err := io.WriteString(p.in, "lose\n"); err != nil {
			p.Fatal(err)
		}
		if got := p.line(); got != "lost" {
			p.Fatalf("the peer says %q", got)
		}
		return
	}
	was, err := os.ReadFile(orphanRetries)
	if err != nil {
		p.Fatal(err)
	}
	retry := func(text []byte) {
		if err := os.WriteFile(orphanRetries, text, 0); err != nil {
			p.Error(err)
		}
	}
	retry([]byte("1"))
	defer retry(was)
	route := []string{"local", address, "dev", netdev(p.T), "table", "local", "proto", "kernel", "scope", "host", "src", address}
	tool(p.T, "ip", append([]string{"route", "delete"}, route...)...) // now it is one of the link's other addresses
	defer tool(p.T, "ip", append([]string{"route", "add"}, route...)...)
	if err := p.process.Process.Kill(); err != nil {
		p.Fatal(err)
	}
	_ = p.process.Wait()
	until(p.T, "TCP has given up what the process left", func() bool {
		return tool(p.T, "ss", "-Htan", "sport", "=", ":"+strconv.Itoa(p.qual)) == ""
	})
}

// TestAConnectionWhoseOtherEndAnotherProgramLostIsHalfOpen: the check finds the other end in another process,
// and says so when it is lost there; the endpoint has not heard of it and can be used again after a reset.
func TestAConnectionWhoseOtherEndAnotherProgramLostIsHalfOpen(t *testing.T) {
	h := here(t)
	e, p := newEndpoint(h), newPeer(t)
	e.post(e.path("/connect"), object{"remote_ia_address": h.address(), "remote_port_qual": p.qual})
	e.reach(e.id, "CONNECTED")
	if got := p.line(); got != "connected" {
		t.Fatalf("the peer says %q", got)
	}
	if c := e.check("half_open"); c["status"] != "PASS" || c["detail"] != "1 connections have both ends." {
		t.Errorf("with both ends the check says %v", c)
	}
	p.loses(h.address())
	c := e.check("half_open")
	if c["status"] != "WARN" || c["detail"] != "1 connections have lost their other end: "+e.id+". 0 connections have both ends." ||
		!strings.Contains(c["remedy"].(string), "Disconnect and reset") {
		t.Errorf("with one end the check says %v", c)
	}
	if state := e.get(e.path(""))["state"]; state != "CONNECTED" {
		t.Errorf("the endpoint is %v", state)
	}
	e.post(e.path("/disconnect"), object{})
	e.reach(e.id, "DISCONNECTED")
	e.post(e.path("/reset"), object{})
	if c := e.check("half_open"); c["status"] != "PASS" || c["detail"] != "0 connections have both ends." {
		t.Errorf("without a connection the check says %v", c)
	}
	e.free()
}
