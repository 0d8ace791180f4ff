package main

import (
	"strings"
	"testing"
)

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
