package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory, so that time can be simulated around them. They have no buffers:
// a write waits until the other side reads.
type pipes struct {
	accepted chan net.Conn
	closed   context.CancelFunc
	open     context.Context
}

func newPipes() *pipes {
	p := &pipes{accepted: make(chan net.Conn)}
	p.open, p.closed = context.WithCancel(context.Background())
	return p
}

// Accept, Close and Addr implement net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.open.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.closed(); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// dial returns the client's end of a new connection.
func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.accepted <- server
	return client
}

// withServer runs f in simulated time beside a server of the handler.
func withServer(t *testing.T, handler func() http.Handler, f func(t *testing.T, dial func() net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := newPipes()
		server := &http.Server{Handler: handler(), ReadHeaderTimeout: time.Second}
		ended := make(chan error)
		go func() { ended <- server.Serve(listener) }()
		f(t, listener.dial)
		must(t, server.Close())
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}

// frontDoor is everything that comes before the Manager and the store.
func frontDoor() http.Handler {
	a := build(Config{AdminToken: adminToken})
	a.metrics = newMetrics(a)
	docs, err := a.documents()
	if err != nil {
		panic(err) // the document is part of the program
	}
	a.docs = docs
	return a.root(Config{})
}

// Promise 14: a body must come as a whole within 30 s, whoever sends it and wherever to.
func TestASlowBodyEndsItsConnection(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		status  int
		trickle bool
	}{
		"with the token":        {"POST /api/v1/pzs HTTP/1.1\r\nAuthorization: Bearer " + adminToken, 408, false},
		"one byte at a time":    {"POST /api/v1/pzs HTTP/1.1\r\nAuthorization: Bearer " + adminToken, 408, true},
		"a batch, in chunks":    {"POST /api/v1/batch HTTP/1.1\r\nAuthorization: Bearer " + adminToken + "\r\nTransfer-Encoding: chunked", 408, false},
		"a body that is unread": {"GET /api/v1/pzs HTTP/1.1\r\nAuthorization: Bearer " + adminToken, 408, false},
		"without a token":       {"POST /api/v1/pzs HTTP/1.1", 401, true},
		"health":                {"GET /livez HTTP/1.1", 200, true},
		"an unknown path":       {"GET /nosuch HTTP/1.1", 404, false},
	} {
		t.Run(name, func(t *testing.T) {
			withServer(t, frontDoor, func(t *testing.T, dial func() net.Conn) {
				start, conn := time.Now(), dial()
				answered := make(chan int)
				go func() {
					in := bufio.NewReader(conn)
					status := 0
					if answer, err := http.ReadResponse(in, nil); err == nil {
						_, _ = io.Copy(io.Discard, answer.Body)
						status = answer.StatusCode
					}
					_, _ = io.Copy(io.Discard, in) // until the service ends the connection
					answered <- status
				}()
				header, first := "\r\nContent-Length: 200000", "{"
				if strings.Contains(c.request, "chunked") {
					header, first = "", "5\r\n{"
				}
				_, err := fmt.Fprintf(conn, "%s\r\nHost: localhost\r\nContent-Type: application/json%s\r\n\r\n%s", c.request, header, first)
				must(t, err)
				for c.trickle && err == nil {
					time.Sleep(time.Second)
					_, err = conn.Write([]byte(" "))
				}
				if status := <-answered; status != c.status {
					t.Errorf("the status is %d, not %d", status, c.status)
				}
				if took := time.Since(start); took > bodyTimeout+2*time.Second {
					t.Errorf("the connection ended after %v", took)
				}
			})
		})
	}
}

// Promise 14: an answer must be taken within 60 s.
func TestAnAnswerThatIsNotTakenEndsItsConnection(t *testing.T) {
	withServer(t, frontDoor, func(t *testing.T, dial func() net.Conn) {
		conn := dial()
		_, err := conn.Write([]byte("GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		must(t, err)
		time.Sleep(answerTimeout + time.Second)
		if got, _ := io.ReadAll(conn); len(got) > 0 {
			t.Errorf("%d bytes came although nobody took them for long", len(got))
		}
	})
}

// A call that waits for its outcome is neither a slow body nor a slow answer.
func TestAnAnswerMayBeWaitedForLongerThanTheDeadlines(t *testing.T) {
	slow := func() http.Handler {
		a := build(Config{})
		return withRequestInfo(a.boundExchange(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
			select {
			case <-r.Context().Done():
				t.Error("the request was given up")
			case <-time.After(2 * answerTimeout):
			}
			_, _ = io.WriteString(w, "done")
		})))
	}
	withServer(t, slow, func(t *testing.T, dial func() net.Conn) {
		conn := dial()
		in := bufio.NewReader(conn)
		for range 2 { // the deadlines of a request are not those of the connection's next one
			_, err := conn.Write([]byte("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"))
			must(t, err)
			answer, err := http.ReadResponse(in, nil)
			must(t, err)
			if body, err := io.ReadAll(answer.Body); string(body) != "done" {
				t.Errorf("%q, %v", body, err)
			}
			time.Sleep(answerTimeout + time.Second)
		}
	})
}

// withHTTP2 runs f in simulated time with a client that speaks HTTP/2 to a server of the handler; dials counts its
// connections.
func withHTTP2(t *testing.T, handler func() http.Handler, f func(t *testing.T, client *http.Client, dials *int)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := newPipes()
		server := httptest.NewUnstartedServer(handler())
		must(t, server.Listener.Close())
		server.Listener, server.EnableHTTP2 = listener, true
		server.StartTLS()
		client := server.Client()
		transport, ok := client.Transport.(*http.Transport)
		if !ok {
			t.Fatal("the client has another transport")
		}
		dials := 0
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			dials++
			return listener.dial(), nil
		}
		f(t, client, &dials)
		transport.CloseIdleConnections()
		server.Close()
	})
}

// Under HTTP/2 a slow request does not end its connection, which others share.
func TestASlowBodyUnderHTTP2EndsItsRequestOnly(t *testing.T) {
	withHTTP2(t, frontDoor, func(t *testing.T, client *http.Client, dials *int) {
		slow, body := io.Pipe()
		request, err := http.NewRequest("POST", "https://example.com/api/v1/pzs", slow)
		must(t, err)
		request.Header.Set("Authorization", "Bearer "+adminToken)
		go func() { _, _ = body.Write([]byte("{")) }()
		start := time.Now()
		answer, err := client.Do(request)
		must(t, err)
		if answer.StatusCode != 408 || answer.Proto != "HTTP/2.0" || time.Since(start) > bodyTimeout+time.Second {
			t.Errorf("%s: %d after %v", answer.Proto, answer.StatusCode, time.Since(start))
		}
		must(t, answer.Body.Close())
		if answer, err = client.Get("https://example.com/livez"); err != nil || answer.StatusCode != 200 {
			t.Errorf("another request: %v, %v", answer, err)
		}
		must(t, answer.Body.Close())
		if *dials != 1 {
			t.Errorf("%d connections were made", *dials)
		}
	})
}

// The deadline of a stream's write does not end the silence after it.
func TestAStreamMayBeSilentForLongerThanAWriteMayTake(t *testing.T) {
	const parts = 5
	stream := func() http.Handler {
		a := build(Config{})
		return withRequestInfo(a.boundExchange(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			out := sseWriter{w: w, control: http.NewResponseController(w), timeout: sendTimeout}
			for range parts {
				if err := out.send([]byte("part\n")); err != nil {
					t.Error(err)
				}
				time.Sleep(answerTimeout)
			}
		})))
	}
	withHTTP2(t, stream, func(t *testing.T, client *http.Client, _ *int) {
		answer, err := client.Get("https://example.com/")
		must(t, err)
		if got, err := io.ReadAll(answer.Body); string(got) != strings.Repeat("part\n", parts) {
			t.Errorf("%q, %v", got, err)
		}
	})
}
