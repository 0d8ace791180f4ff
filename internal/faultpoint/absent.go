//go:build !faultpoints

package faultpoint

// Hit passes a point. it returns an error where the point is armed to fail; without
// the build tag it returns nil.
func Hit(string) error { return nil }

// Handle takes a command of the control socket; without the build tag it does nothing.
func Handle(string, func(argument string) string) {}
