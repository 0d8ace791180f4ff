package main

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// How long a client may take. The API bounds what comes after the header: a body and an answer.
const (
	// headerTimeout is for a header, from its first byte on, and for what comes before it on a new connection: the client's
	// part of TLS, and silence.
	headerTimeout = 10 * time.Second
	// idleTimeout is the longest silence between two requests.
	idleTimeout = 2 * time.Minute
	// pingAfter is the silence after which a connection of HTTP/2 with open streams is tested; pingTimeout is how long its
	// client may take to answer, and to take bytes that are sent.
	pingAfter, pingTimeout = 30 * time.Second, time.Minute
)

// How much of the service's memory a client may use before its request is known.
const (
	// maxHeader is in bytes. The longest request of the API names 200 objects and has less than a sixth of it.
	maxHeader = 64 << 10
	// maxStreams is how many requests a connection of HTTP/2 may have at once; streamBuffer and connectionBuffer are how
	// many bytes of bodies it may send that are not yet asked for.
	maxStreams                     = 100
	streamBuffer, connectionBuffer = 128 << 10, 512 << 10
)

// newServer returns a server whose clients cannot hold a connection without using it. config is nil for HTTP without
// TLS.
func newServer(handler http.Handler, config *tls.Config, log *slog.Logger) *boundedServer {
	cs := newConnections(config == nil)
	return &boundedServer{connections: cs, Server: http.Server{
		Handler: cs.handler(handler), TLSConfig: config, ConnContext: cs.context,
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerStream: streamBuffer, MaxReceiveBufferPerConnection: connectionBuffer,
			SendPingTimeout: pingAfter, PingTimeout: pingTimeout, WriteByteTimeout: pingTimeout,
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
}

// boundedServer is a server with a bounded number of connections.
type boundedServer struct {
	http.Server
	connections *connections
}

// serve answers on a listener until the server is shut down.
func (s *boundedServer) serve(listener net.Listener) error {
	counted := s.connections.listener(listener)
	if s.TLSConfig != nil {
		return s.ServeTLS(counted, "", "")
	}
	return s.Serve(counted)
}
