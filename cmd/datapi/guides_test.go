package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// The program hands the guides out that lie in docs, without a credential.
func TestServeHandsTheGuidesOut(t *testing.T) {
	p := serveIn(t, stateDir(t), "--admin-token", "a token of the test's own")
	for at, says := range map[string]string{"/docs/": "Architecture", "/docs/rules/transitions": `id="t20"`, "/docs/journeys/patch.svg": "<svg"} {
		answer, err := http.Get(p.base + at)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), says) {
			t.Errorf("%s: %d %v, does not say %s", at, answer.StatusCode, err, says)
		}
	}
}
