//go:build rxe

package guest

import (
	"os"
	"strings"
	"testing"
)

// silenceRequest and silent are files of the folder that both guests share: while the
// first is there, nothing that the other guest sends leaves it; the second says so.
const (
	silenceRequest = "/host/silence2"
	silent         = "/host/silent2"
)

// TestAPeerThatFallsSilentIsFoundByTheProbe: the other host vanishes without a word, and the
// endpoint with a probe is BROKEN. What the other host has of the connection stays there.
func TestAPeerThatFallsSilentIsFoundByTheProbe(t *testing.T) {
	a, b := newEndpoint(here(t)), newEndpoint(there(t))
	a.do("PATCH", a.path(""), object{"probe": object{"interval_s": 1, "fail_after": 5}})
	connect(a, b)
	if c := a.check("half_open"); c["status"] != "PASS" || !strings.Contains(c["detail"].(string), "the other ends of 1 more cannot be seen from here") {
		t.Errorf("with a peer of another host the check says %v", c)
	}
	first := a.get(a.path("/status"))["last_proof_of_life"]
	until(t, "the living peer answers", func() bool {
		now := a.get(a.path("/status"))["last_proof_of_life"]
		return now != nil && now != first
	})
	if err := os.WriteFile(silenceRequest, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "the other host is silent", func() bool { _, err := os.Stat(silent); return err == nil })
	a.event(a.conn, "DAT_CONNECTION_EVENT_BROKEN")
	a.reach(a.id, "DISCONNECTED")
	a.free()
}
