// Package rdma is the contract of an engine: what a provider, its adapters and
// its objects can do, and what they report. It starts nothing.
//
// provider.go has Provider, ia.go an adapter and the objects that it creates,
// ep.go endpoints with what is posted to them and the requests to connect to
// them, report.go what an engine reports. soft and verbs implement it, rdmatest
// is the suite that both pass.
package rdma

import "context"

// A Provider is one engine: it opens interface adapters.
//
// A provider acts and never judges: the Manager has tested state, values and
// handles before it calls. A provider keeps no endpoint state, counts no
// watermark, queues no events and never calls back; what happens to its objects
// comes out of IA.Reports. All errors are *dat.Error. What it cannot do it
// declares in its attributes and refuses with DAT_MODEL_NOT_SUPPORTED.
type Provider interface {
	// Name returns "soft" or "verbs".
	Name() string
	// Open finds the adapters that are there now. It is called once.
	Open(ctx context.Context) ([]IA, error)
	// Arrivals delivers the adapters that appear later, each name once; one whose
	// device returns is reported by its own Reports (ReportDeviceBack). Close
	// closes the channel.
	Arrivals() <-chan IA
	// Close closes every adapter and unblocks every call. It is idempotent.
	Close() error
}
