//go:build !verbs

package verbs

import (
	"context"
	"errors"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// Provider takes the place of the verbs engine in a program that was built without the
// build tag verbs.
type Provider struct{}

// New returns the provider that has no adapters.
//
// Implements: nothing of the libraries; the program has no C part.
func New() *Provider { return &Provider{} }

var _ rdma.Provider = (*Provider)(nil)

// Name implements rdma.Provider.
func (*Provider) Name() string { return "verbs" }

// Open implements rdma.Provider: it refuses with DAT_PROVIDER_NOT_FOUND.
func (*Provider) Open(context.Context) ([]rdma.IA, error) {
	return nil, &dat.Error{
		Return: dat.RetProviderNotFound,
		Detail: "This program was built without the verbs engine; build it with the tag verbs, or use --engine soft.",
	}
}

// Arrivals implements rdma.Provider with a closed channel.
func (*Provider) Arrivals() <-chan rdma.IA {
	none := make(chan rdma.IA)
	close(none)
	return none
}

// openLibraries says that there is no engine to open them for.
func openLibraries() error {
	return errors.New("this program was built without the verbs engine")
}

// Close implements rdma.Provider; there is nothing to close.
func (*Provider) Close() error { return nil }
