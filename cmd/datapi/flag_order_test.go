package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestFlagsOfEveryCallMayStandBeforeTheCommand(t *testing.T) {
	for line, want := range map[string]string{
		"--url U ep list":               "ep list --url U",
		"--url=U -o json ep list a":     "ep list a --url=U -o json",
		"ep -o json list --state up":    "ep list --state up -o json",
		"ep --no-headers list":          "ep list --no-headers",
		"ep list --url U":               "ep list --url U",
		"--help":                        "--help",
		"serve --listen x":              "serve --listen x",
		"__complete ep list --url U":    "__complete ep list --url U",
		"--url U":                       "--url U",
		"--url U pz free -- -strange":   "pz free --url U -- -strange",
		"-- ep list":                    "-- ep list",
		"pz free a --url U -- -strange": "pz free a --url U -- -strange",
		"":                              "",
	} {
		if got := strings.Join(flagsLast(strings.Fields(line)), " "); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
	url, requests := fakeService(t, http.StatusOK, `{"items":[{"id":"1"}]}`)
	status, out, said := command(t, "", "--url", url, "pz", "-o", "name", "list")
	if status != exitDone || out != "1\n" || len(*requests) != 1 {
		t.Errorf("status %d, printed %q, said %q", status, out, said)
	}
}
