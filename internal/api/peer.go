package api

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/store"
)

const (
	// peerDial bounds the connection to another node, without and with TLS.
	peerDial = 3 * time.Second
	// peerIdle is how long a connection to another node is kept without a call. The other end keeps it longer.
	peerIdle = 30 * time.Second
	// peerConnections is how many connections to one node are kept.
	peerConnections = 16
)

// errOtherCertificate is the refusal of a server that is not the node that it should be.
var errOtherCertificate = errors.New("it serves with another certificate than the node's")

// peers are the connections to other nodes. Its methods may be called from several goroutines.
type peers struct {
	// own are the certificates that this node shows where another asks for one.
	own []tls.Certificate

	mu  sync.Mutex
	all map[string]*peer
}

// peer is another node as calls are passed on to it.
type peer struct {
	address     string
	fingerprint []byte
	http        *http.Client
}

// client returns the client for a node. One that has another address or certificate than before gets a new one.
func (p *peers) client(n *store.Node) *http.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.all[n.Name]
	if known != nil && known.address == n.Address && bytes.Equal(known.fingerprint, n.Fingerprint) {
		return known.http
	}
	if known != nil {
		known.http.CloseIdleConnections()
	}
	made := &peer{address: n.Address, fingerprint: n.Fingerprint, http: &http.Client{
		Transport:     p.transport(n.Fingerprint),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if p.all == nil {
		p.all = map[string]*peer{}
	}
	p.all[n.Name] = made
	return made.http
}

// transport returns a transport that takes the certificate with the fingerprint alone, whoever has signed it: the node
// itself has written it into the database.
func (p *peers) transport(fingerprint []byte) *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: peerDial}).DialContext,
		TLSHandshakeTimeout: peerDial,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12, Certificates: p.own,
			InsecureSkipVerify: true, //nolint:gosec // VerifyConnection compares the certificate itself
			VerifyConnection: func(s tls.ConnectionState) error {
				sum := sha256.Sum256(s.PeerCertificates[0].Raw)
				if !bytes.Equal(sum[:], fingerprint) {
					return errOtherCertificate
				}
				return nil
			},
		},
		DisableCompression: true, MaxIdleConnsPerHost: peerConnections, IdleConnTimeout: peerIdle,
	}
}

// close ends the connections that no call uses.
func (p *peers) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, known := range p.all {
		known.http.CloseIdleConnections()
	}
}
