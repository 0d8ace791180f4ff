package store

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy stands between a store and PostgreSQL, and loses connections at the worst
// moments.
type proxy struct {
	t        testing.TB
	backend  string
	dir      string
	listener net.Listener
	// beforeCommit is how many of a hundred COMMITs never arrive, afterCommit how many
	// arrive while their answer is lost.
	beforeCommit, afterCommit atomic.Int32
	lost                      atomic.Int32
	// commitName is what the store calls its prepared COMMIT.
	commitName atomic.Value
	// refusing turns new connections away; refused counts them.
	refusing atomic.Bool
	refused  atomic.Int32

	mu    sync.Mutex
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

// newProxy starts a proxy for the server of a URL, and returns the URL through it.
func newProxy(t testing.TB, u string) (*proxy, string) {
	t.Helper()
	parsed, err := url.Parse(u)
	must(t, err)
	dir, err := os.MkdirTemp("/tmp", "datapi-proxy-")
	must(t, err)
	p := &proxy{
		t: t, dir: dir, conns: map[net.Conn]bool{},
		backend: filepath.Join(parsed.Query().Get("host"), ".s.PGSQL."+socketPort),
	}
	p.listener, err = net.Listen("unix", filepath.Join(dir, ".s.PGSQL."+socketPort))
	must(t, err)
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		_ = p.listener.Close()
		p.cut()
		p.wg.Wait()
		_ = os.RemoveAll(dir)
	})
	parsed.RawQuery = url.Values{"host": {dir}, "port": {socketPort}}.Encode()
	return p, parsed.String()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.refusing.Load() {
			p.refused.Add(1)
			_ = client.Close()
			continue
		}
		server, err := net.Dial("unix", p.backend)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		p.wg.Go(func() { p.forward(client, server) })
		p.wg.Go(func() { _, _ = io.Copy(client, server); p.drop(client, server) })
	}
}

// commitText ends a message that prepares the statement COMMIT. Its name is before that.
var commitText = []byte("\x00COMMIT\x00")

// takesCommit reports whether a message executes COMMIT, and learns how that is named
// from the message that prepares it.
func (p *proxy) takesCommit(message []byte) bool {
	if i := bytes.Index(message, commitText); i >= 0 {
		name := message[:i]
		p.commitName.Store(string(name[bytes.LastIndexByte(name, 0)+2:])) // the length, then the name
		return false
	}
	name, _ := p.commitName.Load().(string)
	return name != "" && bytes.Contains(message, []byte(name+"\x00"))
}

// forward copies what the store says, and may lose a COMMIT or its answer.
func (p *proxy) forward(client, server net.Conn) {
	defer p.drop(client, server)
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		if p.takesCommit(buf[:n]) {
			switch dice := rand.Int32N(100); {
			case dice < p.beforeCommit.Load():
				p.lost.Add(1)
				return
			case dice < p.beforeCommit.Load()+p.afterCommit.Load():
				p.lost.Add(1)
				_ = client.Close() // so the answer is lost
				_, _ = server.Write(buf[:n])
				return
			}
		}
		if _, err := server.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) drop(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(p.conns, c)
	}
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}
