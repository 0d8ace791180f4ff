package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/rdma/soft"
	"github.com/datapi/datapi/internal/rdma/verbs"
)

// deviceFolder is where the kernel lists RDMA devices.
const deviceFolder = "/sys/class/infiniband"

// addProviders opens the providers that the settings ask for. With `auto`, if there are devices and they cannot be
// opened, it logs why and opens soft adapters instead.
func addProviders(ctx context.Context, m *manager.Manager, s *settings, log *slog.Logger) error {
	names := s.providers
	if len(names) == 0 || slices.Contains(names, "verbs") {
		if hidden := verbs.HiddenDevices(); hidden != "" {
			log.Warn(hidden)
		}
	}
	if len(names) == 0 {
		names = []string{"soft"}
		if hasDevices() {
			err := m.AddProvider(ctx, verbs.New())
			if err == nil {
				return nil
			}
			log.Warn("this machine has RDMA devices, and they cannot be opened; soft adapters stand in", "error", err)
		}
	}
	for _, name := range names {
		if err := m.AddProvider(ctx, newProvider(name, s)); err != nil {
			return fmt.Errorf("open the %s engine: %w", name, err)
		}
	}
	return nil
}

// newProvider returns the provider with a name of the table engines.
func newProvider(name string, s *settings) rdma.Provider {
	if name == "verbs" {
		return verbs.New()
	}
	return soft.New(s.softIAs)
}

// hasDevices reports whether the kernel lists an RDMA device.
func hasDevices() bool {
	devices, err := os.ReadDir(deviceFolder)
	return err == nil && len(devices) > 0
}
