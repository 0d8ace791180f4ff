package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tour of the README is run as it stands there, against a fresh service, and once more after it has freed what it
// made.
func TestReadmeTourRunsTwice(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), "\n## Five minutes with curl\n")
	tour, _, ends := strings.Cut(rest, "\n## ")
	if !found || !ends {
		t.Fatal("the README has no section `Five minutes with curl`")
	}
	var script strings.Builder
	for i, part := range strings.Split(tour, "```") {
		if block, ok := strings.CutPrefix(part, "sh\n"); ok && i%2 == 1 {
			script.WriteString(block)
		}
	}
	dir := stateDir(t)
	p := serveIn(t, dir, "--open=false")
	const address = "http://127.0.0.1:8480"
	if !strings.Contains(script.String(), address) {
		t.Fatalf("the tour does not speak to %s", address)
	}
	const token = "~/.local/state/datapi/admin-token"
	if !strings.Contains(script.String(), token) {
		t.Fatalf("the tour does not read %s", token)
	}
	there := strings.NewReplacer(address, p.base, token, filepath.Join(dir, tokenName)).Replace(script.String())
	out, err := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-xc", there+there).CombinedOutput()
	if err != nil {
		t.Fatalf("the tour fails (%v):\n%s", err, out)
	}
	// Each run shows two refusals; a third would be something that the tour cannot make or free.
	if refusals := regexp.MustCompile(`(?m)^[45]\d\d DAT_`).FindAllString(string(out), -1); len(refusals) != 4 {
		t.Errorf("two runs of the tour show %d refusals, not 4:\n%s", len(refusals), out)
	}
	// The soft event of an endpoint without an SRQ bears that name too (B8).
	for _, seen := range []string{"DAT_INVALID_STATE", "CONNECTED", "DISCONNECTED", "UNCONNECTED", "DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT"} {
		if !strings.Contains(string(out), seen) {
			t.Errorf("the tour never shows %s:\n%s", seen, out)
		}
	}
}
