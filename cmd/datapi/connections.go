package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"syscall"

	"github.com/datapi/datapi/internal/api"
)

const (
	// maxStrangers is how many connections without an accepted request one address may have: a browser opens six, a
	// program with a pool some dozens.
	maxStrangers = 64
	// maxPerPrincipal is how many connections one principal may have; where nobody is asked who they are all are one.
	maxPerPrincipal = 4096
	// keptDescriptors is how many file descriptors are left to the database, the engine and files.
	keptDescriptors = 256
)

// connections bounds how many connections a server has. Where there are too many of a kind, the one that was silent
// longest is closed, and never a new one: a client that sends a request as soon as it is connected is always answered.
type connections struct {
	// max bounds them all, so that descriptors are left.
	max int
	// plain reports that what is written to a connection reaches the client as it is, without TLS.
	plain bool

	mu     sync.Mutex
	total  int
	groups map[connectionGroup]map[*connection]struct{}
}

// connectionGroup is whose connections are counted together: a principal's, or those of an address from which no request
// has been accepted.
type connectionGroup struct{ principal, address string }

// limit returns how many connections a group may have.
func (g connectionGroup) limit() int {
	if g.principal != "" {
		return maxPerPrincipal
	}
	return maxStrangers
}

func newConnections(plain bool) *connections {
	return &connections{max: maxConnections(), plain: plain, groups: map[connectionGroup]map[*connection]struct{}{}}
}

// maxConnections returns how many connections the process has descriptors for. The Go runtime has raised its limit as
// far as the system lets it.
func maxConnections() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 1<<20 {
		return 1 << 20
	}
	return max(int(limit.Cur)-keptDescriptors, maxStrangers)
}

// listener counts the connections of a listener.
func (cs *connections) listener(l net.Listener) net.Listener { return countedListener{l, cs} }

type countedListener struct {
	net.Listener
	connections *connections
}

// Accept returns the next connection, which may cost another one that is silent.
func (l countedListener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: raw, all: l.connections, group: connectionGroup{address: api.AddressOf(raw.RemoteAddr().String())}}
	c.moved()
	l.connections.add(c)
	return c, nil
}

// add counts a connection, and closes others where there are then too many.
func (cs *connections) add(c *connection) {
	cs.mu.Lock()
	cs.total++
	cs.join(c, c.group)
	closing := cs.excess(c)
	cs.mu.Unlock()
	for _, old := range closing {
		_ = old.Conn.Close() // its server finds it closed
	}
}

// move counts a connection in another group.
func (cs *connections) move(c *connection, to connectionGroup) {
	cs.mu.Lock()
	var closing []*connection
	if members := cs.groups[c.group]; c.group != to && members != nil {
		if _, counted := members[c]; counted {
			cs.leave(c)
			cs.join(c, to)
			closing = cs.excess(c)
		}
	}
	cs.mu.Unlock()
	for _, old := range closing {
		_ = old.Conn.Close() // its server finds it closed
	}
}

// remove forgets a connection that was closed.
func (cs *connections) remove(c *connection) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if _, counted := cs.groups[c.group][c]; counted {
		cs.leave(c)
		cs.total--
	}
}

// join and leave change a group. cs.mu is held.
func (cs *connections) join(c *connection, to connectionGroup) {
	if cs.groups[to] == nil {
		cs.groups[to] = map[*connection]struct{}{}
	}
	cs.groups[to][c] = struct{}{}
	c.group = to
}

func (cs *connections) leave(c *connection) {
	delete(cs.groups[c.group], c)
	if len(cs.groups[c.group]) == 0 {
		delete(cs.groups, c.group)
	}
}

// excess forgets the connections that are too many beside a new one in its group, and too many in all, and returns them.
// Of all, the largest group has to give one. cs.mu is held.
func (cs *connections) excess(c *connection) (closing []*connection) {
	drop := func(g connectionGroup) {
		if old := silentLongest(cs.groups[g], c); old != nil {
			cs.leave(old)
			cs.total--
			closing = append(closing, old)
		}
	}
	if len(cs.groups[c.group]) > c.group.limit() {
		drop(c.group)
	}
	if cs.total > cs.max {
		largest := c.group
		for g, members := range cs.groups {
			if len(members) > len(cs.groups[largest]) {
				largest = g
			}
		}
		drop(largest)
	}
	return closing
}

// silentLongest returns the connection that was silent longest, if there is another than the one that must stay. One
// whose request is being answered is silent because of the service, and comes last.
func silentLongest(members map[*connection]struct{}, stays *connection) *connection {
	var found *connection
	for c := range members {
		if c != stays && (found == nil || c.before(found)) {
			found = c
		}
	}
	return found
}

// handler notes which connections have a request that is being answered.
func (cs *connections) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
			c.requests.Store(true)
			c.answering.Add(1)
			defer c.answering.Add(-1)
		}
		next.ServeHTTP(w, r)
	})
}

type connectionKey struct{}

// context gives the requests of a connection the connection (http.Server.ConnContext).
func (cs *connections) context(ctx context.Context, c net.Conn) context.Context {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	counted, ok := c.(*connection)
	if !ok {
		return ctx
	}
	return api.WithConnection(context.WithValue(ctx, connectionKey{}, counted), counted)
}
