//go:build !verbs

package verbs

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// Provider stands in for the verbs engine in a program that was built without it.
type Provider struct{}

// New gives the provider that finds nothing.
//
// Implements: nothing; the program has no C part.
func New() *Provider { return &Provider{} }

var _ rdma.Provider = (*Provider)(nil)

// Name implements rdma.Provider.
func (*Provider) Name() string { return "verbs" }

// Open answers DAT_PROVIDER_NOT_FOUND.
func (*Provider) Open(context.Context) ([]rdma.IA, error) {
	return nil, &dat.Error{
		Return: dat.RetProviderNotFound,
		Detail: "This program was built without the verbs engine; build it with the tag verbs, or use --engine soft.",
	}
}

// Arrivals is a closed channel.
func (*Provider) Arrivals() <-chan rdma.IA {
	none := make(chan rdma.IA)
	close(none)
	return none
}

// Close does nothing.
func (*Provider) Close() error { return nil }
