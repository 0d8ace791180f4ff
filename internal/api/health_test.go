package api

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checksOf returns the lines of /readyz?verbose by the name of the check.
func (r *rig) checksOf() (status int, checks map[string]string) {
	r.t.Helper()
	out := r.raw("GET", "/readyz?verbose")
	checks = map[string]string{}
	for _, m := range checkLines.FindAllStringSubmatch(out.Body.String(), -1) {
		checks[m[1]] = m[0]
	}
	return out.Code, checks
}

// checkLines matches a check: its state, its name, and since when it is so.
var checkLines = regexp.MustCompile(`(?m)^\[[-+]\] (\w+)(?: ok)? since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z(?:: .*)?$`)

// readinessRow matches a row of the page's table of checks.
var readinessRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| [^|]+ \\|$")

func TestThePageListsEveryCheckOfReadiness(t *testing.T) {
	page, err := os.ReadFile("../../docs/monitor.md")
	must(t, err)
	_, text, _ := strings.Cut(string(page), "\n## Readiness\n")
	text, _, _ = strings.Cut(text, "\n## ")
	listed := map[string]bool{}
	for _, m := range readinessRow.FindAllStringSubmatch(text, -1) {
		listed[m[1]] = true
	}
	_, checks := newRig(t).checksOf()
	if got, want := slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(checks)); !slices.Equal(got, want) {
		t.Errorf("docs/monitor.md lists %v, /readyz?verbose has %v", got, want)
	}
}

// Promise 9: /readyz?verbose names each check with its state, since when it is so, and why.
func TestReadinessNamesEachCheckSinceWhenAndWhy(t *testing.T) {
	pg := newOwnCluster(t)
	r := newRigOn(t, pg.URL(), "alpha")
	status, good := r.checksOf()
	if status != 200 || len(good) != 6 {
		t.Errorf("%d %v", status, good)
	}
	for name, want := range map[string]string{
		"database": "[+] database ok since ", "log": "[+] log ok since ", "writes": "[+] writes ok since ",
		"events": ": 0 wait for their record", "node": ": alpha, epoch 1", "engine": ": soft0@alpha UP, soft1@alpha UP",
	} {
		if !strings.Contains(good[name], want) {
			t.Errorf("%s: %q, want %q", name, good[name], want)
		}
	}
	pg.stop(t)
	var bad map[string]string
	eventually(t, "an idle service has noticed", func() bool {
		status, bad = r.checksOf()
		return status == 503 && strings.HasPrefix(bad["writes"], "[-]") && strings.HasPrefix(bad["log"], "[-]")
	})
	if line := bad["database"]; !regexp.MustCompile(`^\[-\] database since .*: attempt \d+: its socket is not there$`).MatchString(line) {
		t.Errorf("database: %q", line)
	}
	if line := bad["engine"]; line != good["engine"] {
		t.Errorf("engine: %q", line)
	}
	if out := r.do("POST", "/pzs", `{"ia":"soft0@alpha"}`).is(503); !strings.Contains(out.at("detail").(string), "its socket is not there") {
		t.Errorf("a write is refused with %s", out.body)
	}
	pg.start(t)
	eventually(t, "it is ready again", func() bool { status, _ := r.checksOf(); return status == 200 })
}
