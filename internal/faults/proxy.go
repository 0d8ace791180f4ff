package faults

import (
	"context"
	"encoding/json"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Proxy stands between two processes, and cuts, slows or half closes their connections.
type Proxy struct {
	proxy *toxiproxy.Proxy
}

// Direction is a way through a proxy.
type Direction string

// The directions of a proxy.
const (
	// ToServer is what the client sends.
	ToServer Direction = "upstream"
	// ToClient is what the server answers.
	ToClient Direction = "downstream"
)

// newProxy starts a proxy for a server.
func newProxy(name, server string) (*Proxy, error) {
	zerolog.SetGlobalLevel(zerolog.Disabled) // the toxics write every step to standard output
	host := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := toxiproxy.NewProxy(host, name, "127.0.0.1:0", server)
	if err := p.Start(); err != nil {
		return nil, err
	}
	return &Proxy{proxy: p}, nil
}

// Address returns where the proxy listens; it stays the same.
func (p *Proxy) Address() string { return p.proxy.Listen }

// Cut closes all connections and refuses new ones until Mend.
func (p *Proxy) Cut() { p.proxy.Stop() }

// CutConnections closes the connections that there are; new ones are taken.
func (p *Proxy) CutConnections() error {
	p.proxy.Stop()
	return p.restart()
}

// restart listens where the proxy listened before. A connection that goes out from
// somewhere on this machine may have been given its port meanwhile, for as long as it lasts.
func (p *Proxy) restart() error {
	var err error
	if eventually("the proxy listens again", patience, func() bool { err = p.proxy.Start(); return err == nil }) != nil {
		return err
	}
	return nil
}

// Toxic is something that happens to the bytes of a direction.
type Toxic struct {
	// Type is one of toxiproxy's: latency, bandwidth, timeout, reset_peer, slow_close,
	// slicer, limit_data.
	Type       string         `json:"type"`
	Direction  Direction      `json:"stream"`
	Attributes map[string]int `json:"attributes"`
}

// The toxics that the scenarios choose from.
var (
	// AnswersLost lets calls arrive and nothing come back, for good: half a connection.
	AnswersLost = Toxic{Type: "timeout", Direction: ToClient, Attributes: map[string]int{"timeout": 0}}
	// CallsLost lets nothing arrive.
	CallsLost = Toxic{Type: "timeout", Direction: ToServer, Attributes: map[string]int{"timeout": 0}}
	// SlowAnswers delays what the server answers by 200 ± 150 ms.
	SlowAnswers = Toxic{Type: "latency", Direction: ToClient, Attributes: map[string]int{"latency": 200, "jitter": 150}}
	// NarrowCalls lets 20 kB a second through to the server.
	NarrowCalls = Toxic{Type: "bandwidth", Direction: ToServer, Attributes: map[string]int{"rate": 20}}
	// ResetAnswers resets connections 50 ms after the first answer.
	ResetAnswers = Toxic{Type: "reset_peer", Direction: ToClient, Attributes: map[string]int{"timeout": 50}}
	// HalfClosed keeps the client's side open for a second after the server has closed.
	HalfClosed = Toxic{Type: "slow_close", Direction: ToClient, Attributes: map[string]int{"delay": 1000}}
	// CutInTheMiddle closes a connection after 3,000 bytes of answers, in the middle of one.
	CutInTheMiddle = Toxic{Type: "limit_data", Direction: ToClient, Attributes: map[string]int{"bytes": 3000}}
)

// Poison lets a toxic work on all connections until Mend.
func (p *Proxy) Poison(t Toxic) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	_, err = p.proxy.Toxics.AddToxicJson(strings.NewReader(string(data)))
	return err
}

// Mend takes all toxics away and lets new connections pass. The connections that were
// poisoned are closed.
func (p *Proxy) Mend(ctx context.Context) error {
	p.proxy.Stop()
	p.proxy.Toxics.ResetToxics(ctx)
	return p.restart()
}

// Close ends the proxy.
func (p *Proxy) Close() { p.proxy.Stop() }
