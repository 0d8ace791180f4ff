package main

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// farewellTimeout is how long the answer to a header that came too slowly may take.
const farewellTimeout = time.Second

// connection is a connection of a server.
type connection struct {
	net.Conn
	all *connections
	// group is guarded by the lock of all.
	group connectionGroup
	// lastMove is when a byte came or was taken last, in nanoseconds; answering counts the requests that are being
	// answered; requests reports that there was one.
	lastMove  atomic.Int64
	answering atomic.Int32
	requests  atomic.Bool
	// headerBegun and headerLate report that a part of the first header came, and not the rest in time.
	headerBegun, headerLate atomic.Bool
}

func (c *connection) moved() { c.lastMove.Store(time.Now().UnixNano()) }

// before reports whether the connection is to be closed rather than another one.
func (c *connection) before(other *connection) bool {
	if mine, its := c.answering.Load() > 0, other.answering.Load() > 0; mine != its {
		return its
	}
	return c.lastMove.Load() < other.lastMove.Load()
}

// Accept implements api.Connection.
func (c *connection) Accept(principal string) { c.all.move(c, connectionGroup{principal: principal}) }

// Read notes that the client is not silent.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.moved()
		c.headerBegun.Store(true)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && !c.requests.Load() {
		c.headerLate.Store(true)
	}
	return n, err
}

// Write notes that the client takes what is sent. What net/http says of a header that came too slowly, which it takes for
// a wrong one, is not sent: Close says what it was.
func (c *connection) Write(p []byte) (int, error) {
	if c.wasLate() {
		return len(p), nil
	}
	n, err := c.Conn.Write(p)
	if n > 0 {
		c.moved()
	}
	return n, err
}

// wasLate reports whether the first header did not come in time, and that can be said.
func (c *connection) wasLate() bool {
	return c.all.plain && c.headerBegun.Load() && c.headerLate.Load() && !c.requests.Load()
}

// lateHeader is the answer to a header that came too slowly.
const lateHeader = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// Close closes the connection, with the answer that can still be sent.
func (c *connection) Close() error {
	c.all.remove(c)
	if c.wasLate() {
		if c.Conn.SetWriteDeadline(time.Now().Add(farewellTimeout)) == nil {
			_, _ = c.Conn.Write([]byte(lateHeader)) // the client may be gone
		}
	}
	return c.Conn.Close()
}
