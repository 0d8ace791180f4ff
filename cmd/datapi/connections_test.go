package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// testServer is a server with bounded connections that answers every path; /accept/<name> is a request of a principal,
// /wait one that is answered when release is closed.
type testServer struct {
	*boundedServer
	address string
	release chan struct{}
}

func startTestServer(t *testing.T, config *tls.Config, change func(*connections)) *testServer {
	t.Helper()
	s := &testServer{release: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("/accept/{name}", func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
			c.Accept(r.PathValue("name"))
		}
	})
	mux.HandleFunc("/wait", func(http.ResponseWriter, *http.Request) { <-s.release })
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	s.boundedServer = newServer(mux, config, slog.New(slog.DiscardHandler))
	change(s.connections)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = listener.Addr().String()
	ended := make(chan error)
	go func() { ended <- s.serve(listener) }()
	t.Cleanup(func() {
		_ = s.Close() // the connections of the test are cut
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return s
}

// testClient is one connection of a client.
type testClient struct {
	net.Conn
	in *bufio.Reader
}

func (s *testServer) dial(t *testing.T) *testClient {
	t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &testClient{c, bufio.NewReader(c)}
}

// get sends a request and returns the status of the answer; 0 where there is none.
func (c *testClient) get(path string) int {
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path); err != nil {
		return 0
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// isOpen reports whether the service has not closed the connection. It waits until the service has had time to.
func (c *testClient) isOpen(t *testing.T) bool {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	_, err := c.in.Peek(1)
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// counted returns how many connections the server has.
func (s *testServer) counted() int {
	s.connections.mu.Lock()
	defer s.connections.mu.Unlock()
	return s.connections.total
}

// Promise 14: connections without an accepted request are bounded per address. The one that was silent longest is closed,
// never the new one, and never one with accepted requests.
func TestOneAddressHasABoundedNumberOfStrangers(t *testing.T) {
	s := startTestServer(t, nil, func(*connections) {})
	accepted := s.dial(t)
	if status := accepted.get("/accept/admin"); status != 200 {
		t.Fatal(status)
	}
	waiting := s.dial(t)
	answered := make(chan int)
	go func() { answered <- waiting.get("/wait") }()
	eventually(t, "the request is being answered", func() bool { return s.answering() == 1 })
	var silent []*testClient
	for range 300 {
		c := s.dial(t)
		silent = append(silent, c)
		normal := s.dial(t)
		if status := normal.get("/"); status != 200 {
			t.Fatalf("a new connection beside %d silent ones: %d", len(silent), status)
		}
		_ = normal.Close() // it was answered
	}
	eventually(t, "only as many strangers as may be are left", func() bool { return s.counted() <= maxStrangers+1 })
	if silent[0].isOpen(t) || !silent[len(silent)-1].isOpen(t) {
		t.Error("another one than the longest silent was closed")
	}
	if status := accepted.get("/"); status != 200 {
		t.Errorf("a connection with an accepted request: %d", status)
	}
	close(s.release)
	if status := <-answered; status != 200 {
		t.Errorf("a request that was being answered: %d", status)
	}
}

// answering returns how many connections have a request that is being answered.
func (s *testServer) answering() (n int) {
	s.connections.mu.Lock()
	defer s.connections.mu.Unlock()
	for _, members := range s.connections.groups {
		for c := range members {
			if c.answering.Load() > 0 {
				n++
			}
		}
	}
	return n
}

func TestAllConnectionsTogetherLeaveDescriptors(t *testing.T) {
	s := startTestServer(t, nil, func(cs *connections) { cs.max = 20 })
	few := s.dial(t)
	if status := few.get("/accept/few"); status != 200 {
		t.Fatal(status)
	}
	for i := range 100 {
		if status := s.dial(t).get("/accept/many"); status != 200 {
			t.Fatalf("connection %d: %d", i, status)
		}
	}
	if n := s.counted(); n > 20 {
		t.Errorf("there are %d connections", n)
	}
	if status := few.get("/"); status != 200 {
		t.Errorf("the principal with few connections paid for the one with many: %d", status)
	}
}

func TestConnectionsUnderTLSAreCounted(t *testing.T) {
	config, err := serverTLS(&settings{serveOptions: serveOptions{tlsSelfSigned: true, dataDir: t.TempDir(), listen: "127.0.0.1:0"}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s := startTestServer(t, config, func(*connections) {})
	for range maxStrangers + 10 {
		s.dial(t)
	}
	for _, protocols := range []func(*http.Protocols){func(p *http.Protocols) { p.SetHTTP1(true) }, func(p *http.Protocols) { p.SetHTTP2(true) }} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, Protocols: new(http.Protocols)}
		protocols(transport.Protocols)
		answer, err := (&http.Client{Transport: transport}).Get("https://" + s.address + "/accept/admin")
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("%v, %v", answer, err)
		}
		_ = answer.Body.Close() // it is empty
	}
	s.connections.mu.Lock()
	defer s.connections.mu.Unlock()
	if n := len(s.connections.groups[connectionGroup{principal: "admin"}]); n != 2 {
		t.Errorf("%d connections have accepted requests", n)
	}
}

// memoryListener has connections in memory, so that time can be simulated around them.
type memoryListener chan net.Conn

// Accept, Close and Addr implement net.Listener.
func (l memoryListener) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (l memoryListener) Close() error   { close(l); return nil }
func (l memoryListener) Addr() net.Addr { return &net.TCPAddr{} }

// Promise 14: headers are read within 10 s, and silence between requests lasts 2 minutes at most.
func TestSlowHeadersAndSilenceEndTheConnection(t *testing.T) {
	for name, c := range map[string]struct {
		sent   []string // each after the answer to the one before
		within time.Duration
		says   string
	}{
		"silence":                        {nil, headerTimeout, ""},
		"half a header":                  {[]string{"GET / HT"}, headerTimeout, "HTTP/1.1 408 Request Timeout"},
		"a header that never ends":       {[]string{"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: "}, headerTimeout, "HTTP/1.1 408 Request Timeout"},
		"silence after a request":        {[]string{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"}, idleTimeout, ""},
		"half a header after a request":  {[]string{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\n"}, headerTimeout, ""},
		"a header that has a lot to say": {[]string{"GET / HTTP/1.1\r\nX-A: " + strings.Repeat("a", 2*maxHeader) + "\r\n\r\n"}, time.Second, "HTTP/1.1 431"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener := memoryListener(make(chan net.Conn))
				s := newServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), nil, slog.New(slog.DiscardHandler))
				go func() { _ = s.serve(listener) }()
				client, server := net.Pipe()
				listener <- server
				in, start := bufio.NewReader(client), time.Now()
				for i, part := range c.sent {
					go func() { _, _ = client.Write([]byte(part)) }()
					if i+1 < len(c.sent) || c.within == idleTimeout {
						if answer, err := http.ReadResponse(in, nil); err != nil || answer.StatusCode != 200 {
							t.Fatalf("%v %v", answer, err)
						}
					}
				}
				rest, _ := io.ReadAll(in)
				if took := time.Since(start); took > c.within+time.Second || !strings.HasPrefix(string(rest), c.says) || c.says == "" && len(rest) > 0 {
					t.Errorf("after %v the connection ended with %q", took, rest)
				}
				_ = client.Close()
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
