package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// defaultDataDir returns the data directory of a service that was started without --data-dir: the one that systemd
// gives it, that of root, or that of the user.
func defaultDataDir() (string, error) {
	// systemd separates several directories by colons; the first is the service's own.
	if dir, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":"); dir != "" {
		return dir, nil
	}
	if os.Geteuid() == 0 {
		return "/var/lib/datapi", nil
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "datapi"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for the data is known (%w); name one with --data-dir", err)
	}
	return filepath.Join(home, ".local", "state", "datapi"), nil
}
