package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// What one call is about is never taken from the environment: DATAPI_NODE is there where a service was started.
func TestOnlyWhereAndAsWhomIsTakenFromTheEnvironment(t *testing.T) {
	fromEnvironment := []string{"url", "token-file", "ca-file", "data-dir", "output"}
	for _, c := range commands(newRoot(streams{})) {
		if c.Flags().Lookup("url") == nil {
			continue
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Annotations[envKey] != nil && !slices.Contains(fromEnvironment, f.Name) {
				t.Errorf("%s --%s is taken from %v", c.CommandPath(), f.Name, f.Annotations[envKey])
			}
		})
	}
}

func TestHelpListsTheFlagsOfEveryCallBelowThoseOfTheCommand(t *testing.T) {
	cases := []struct {
		line       string
		own, every []string
	}{
		{"ep connect", []string{"--remote-port-qual number", "--timeout-us number|infinite", "--qos word", "--wait seconds"}, []string{"--url", "--reason", "--output"}},
		{"ep list", []string{"--state words", "UNCONNECTED, ", "--pz name|id", "--limit number", "--total ", "--watch"}, []string{"--url", "--no-headers"}},
		{"batch", []string{"--atomic"}, []string{"--dry-run"}},
	}
	for _, c := range cases {
		_, out, _ := command(t, "", append(strings.Fields(c.line), "--help")...)
		_, flags, _ := strings.Cut(out, "\nFlags:\n")
		own, every, found := strings.Cut(flags, "\nFlags of every call:\n")
		if !found {
			t.Fatalf("%s has no flags of every call:\n%s", c.line, out)
		}
		for _, flag := range c.own {
			if !strings.Contains(own, flag) {
				t.Errorf("%s does not list %s as its own:\n%s", c.line, flag, own)
			}
		}
		for _, flag := range c.every {
			if !strings.Contains(every, flag) || strings.Contains(own, flag+" ") {
				t.Errorf("%s does not list %s as one of every call:\n%s", c.line, flag, flags)
			}
		}
	}
	if _, out, _ := command(t, "", "backup", "--help"); strings.Contains(out, "every call") || !strings.Contains(out, "\nFlags:\n") {
		t.Errorf("backup, which makes no call:\n%s", out)
	}
}
