package api

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v4"
)

// exposed is what /metrics has of one metric.
type exposed struct {
	kind   string
	labels []string
}

// busyRig returns a service on which something of every kind has happened that is counted.
func busyRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.pair()
	r.do("GET", "/endpoints/nobody", nil, loose)
	r.do("GET", "/nodes", nil).is(200)
	eventually(t, "the node has measured its clock", func() bool {
		return strings.Contains(r.raw("GET", "/metrics").Body.String(), "\ndatapi_clock_offset_seconds ")
	})
	return r
}

// metricsOf returns the metrics of a service by name, without those of Go and of the process.
func metricsOf(t *testing.T, r *rig) map[string]exposed {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(r.raw("GET", "/metrics").Body)
	must(t, err)
	all := map[string]exposed{}
	for name, f := range families {
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue
		}
		labels := map[string]bool{}
		for _, m := range f.Metric {
			for _, l := range m.Label {
				labels[l.GetName()] = true
			}
		}
		all[name] = exposed{strings.ToLower(f.GetType().String()), slices.Sorted(maps.Keys(labels))}
	}
	return all
}

var (
	catalogueRow  = regexp.MustCompile("(?m)^\\| `(datapi_\\w+)` \\| (\\w+) \\|([^|]*)\\| [^|]+ \\|$")
	catalogueWord = regexp.MustCompile("`([^`]+)`")
)

// The page, the alerts and the dashboard are held against one running service.
func TestWhatIsToldOfMetricsIsWhatAServiceExposes(t *testing.T) {
	r := busyRig(t)
	if text := r.raw("GET", "/metrics").Body.String(); !strings.Contains(text, `datapi_changes_total{outcome="DAT_SUCCESS",type="pz"} 2`) {
		t.Error("the two protection zones of the endpoints are not counted as changes")
	}
	running := metricsOf(t, r)
	for name, check := range map[string]func(*testing.T, map[string]exposed){
		"the catalogue is what is exposed": checkCatalogue, "names follow Prometheus' rules": checkMetricNames,
		"alerts use what is there and say what to do": checkAlerts, "the dashboard uses what is there": checkDashboard,
	} {
		t.Run(name, func(t *testing.T) { check(t, running) })
	}
}

// checkCatalogue compares in both directions: what runs is listed with its type and labels, and what is listed runs.
func checkCatalogue(t *testing.T, running map[string]exposed) {
	page, err := os.ReadFile("../../docs/monitor.md")
	must(t, err)
	listed := map[string]exposed{}
	for _, m := range catalogueRow.FindAllStringSubmatch(string(page), -1) {
		labels := []string{}
		for _, l := range catalogueWord.FindAllStringSubmatch(m[3], -1) {
			labels = append(labels, l[1])
		}
		slices.Sort(labels)
		listed[m[1]] = exposed{m[2], labels}
	}
	for name, is := range running {
		if told, ok := listed[name]; !ok || told.kind != is.kind || !slices.Equal(told.labels, is.labels) {
			t.Errorf("%s is a %s with the labels %v; docs/monitor.md says %v", name, is.kind, is.labels, told)
		}
	}
	for name := range listed {
		if _, ok := running[name]; !ok {
			t.Errorf("docs/monitor.md lists %s, which no service has", name)
		}
	}
	if len(running) < 30 {
		t.Errorf("only %d metrics", len(running))
	}
}

func checkMetricNames(t *testing.T, running map[string]exposed) {
	for name, is := range running {
		if (is.kind == "counter") != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is a %s", name, is.kind)
		}
		for _, unit := range []string{"_ms", "_us", "_milliseconds", "_minutes", "_kb", "_mb", "_percent"} {
			if strings.HasSuffix(strings.TrimSuffix(name, "_total"), unit) {
				t.Errorf("%s is in no base unit", name)
			}
		}
	}
}

var (
	exprString   = regexp.MustCompile(`"[^"]*"`)
	exprRange    = regexp.MustCompile(`\[[^\]]*\]`)
	exprSelector = regexp.MustCompile(`([a-zA-Z_:][\w:]*)\{([^}]*)\}`)
	exprGroup    = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	exprMatcher  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	exprWord     = regexp.MustCompile(`([a-zA-Z_:][\w:]*)(\s*\()?`)
	exprKeywords = []string{"and", "or", "unless", "bool", "offset", "sum", "count", "max", "min", "avg"}
)

// checkExpression holds the metrics and labels of an expression against those of a service. What is left of an
// expression without strings, ranges, groups and selectors is functions, each before a parenthesis, operators and the
// names of metrics.
func checkExpression(t *testing.T, where, expression string, running map[string]exposed) {
	t.Helper()
	rest := exprString.ReplaceAllString(expression, `""`)
	if strings.Count(rest, "(") != strings.Count(rest, ")") || strings.Count(rest, "{") != strings.Count(rest, "}") {
		t.Errorf("%s: %s is not closed", where, expression)
	}
	known := func(name string) (exposed, bool) {
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			base, ok := strings.CutSuffix(name, suffix)
			if is, there := running[base]; ok && there && (suffix == "" || is.kind == "histogram") {
				return is, true
			}
		}
		own := name == "up" || strings.HasPrefix(name, "process_") || strings.HasPrefix(name, "go_")
		return exposed{}, own
	}
	var labels []string
	for _, m := range exprSelector.FindAllStringSubmatch(rest, -1) {
		is, _ := known(m[1])
		for _, l := range exprMatcher.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(append(is.labels, "job", "instance", "le"), l[1]) {
				t.Errorf("%s: %s has no label %s", where, m[1], l[1])
			}
		}
	}
	rest = exprSelector.ReplaceAllString(rest, "$1")
	for _, m := range exprGroup.FindAllStringSubmatch(rest, -1) {
		labels = append(labels, strings.FieldsFunc(m[1], func(c rune) bool { return c == ',' || c == ' ' })...)
	}
	rest = exprRange.ReplaceAllString(exprGroup.ReplaceAllString(rest, ""), "")
	found := 0
	all := []string{"job", "instance", "le"}
	for _, m := range exprWord.FindAllStringSubmatch(rest, -1) {
		if m[2] != "" || slices.Contains(exprKeywords, m[1]) {
			continue
		}
		is, ok := known(m[1])
		if !ok {
			t.Errorf("%s: no service has the metric %s of %s", where, m[1], expression)
		}
		all = append(all, is.labels...)
		found++
	}
	for _, l := range labels {
		if !slices.Contains(all, l) {
			t.Errorf("%s: no metric of %s has the label %s", where, expression, l)
		}
	}
	if found == 0 {
		t.Errorf("%s: %s names no metric", where, expression)
	}
}

// rules is a file of alert rules.
type rules struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr         string
			Labels, Annotations map[string]string
		}
	}
}

const rulesFile = "../../deploy/prometheus/datapi.rules.yml"

func checkAlerts(t *testing.T, running map[string]exposed) {
	page := guideRig(t).raw("GET", "/docs/monitor").Body.String()
	data, err := os.ReadFile(rulesFile)
	must(t, err)
	var file rules
	must(t, yaml.Unmarshal(data, &file))
	alerts := 0
	for _, g := range file.Groups {
		for _, rule := range g.Rules {
			alerts++
			checkExpression(t, rule.Alert, rule.Expr, running)
			if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
				t.Errorf("%s lacks a severity, a summary or a description", rule.Alert)
			}
			id := strings.ToLower(rule.Alert)
			if rule.Annotations["runbook_url"] != "/docs/monitor#"+id || !strings.Contains(page, `<h3 id="`+id+`">`) {
				t.Errorf("%s leads to %q, which is not its heading", rule.Alert, rule.Annotations["runbook_url"])
			}
		}
	}
	if told := strings.Count(page, `<h3 id="datapi`); alerts < 15 || told != alerts {
		t.Errorf("there are %d alerts, and docs/monitor.md tells of %d", alerts, told)
	}
	if promtool, err := exec.LookPath("promtool"); err == nil {
		if out, err := exec.Command(promtool, "check", "rules", rulesFile).CombinedOutput(); err != nil {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	}
}

func checkDashboard(t *testing.T, running map[string]exposed) {
	data, err := os.ReadFile("../../deploy/grafana/datapi.json")
	must(t, err)
	var dashboard struct {
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	must(t, json.Unmarshal(data, &dashboard))
	shown, ids := 0, map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.Title == "" || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("the panel %q has id %d and place %v", p.Title, p.ID, p.GridPos)
		}
		ids[p.ID] = true
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %q shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			checkExpression(t, p.Title, target.Expr, running)
			shown++
		}
	}
	if shown < 20 {
		t.Errorf("only %d expressions", shown)
	}
}

// A client that sends what is refused is counted by the kind of the refusal, and by what was wrong with its credential.
func TestRefusalsAndWrongCredentialsAreCounted(t *testing.T) {
	r := newRig(t, func(c *Config) { c.AdminToken = "0123456789abcdef" })
	admin := with("Authorization", "Bearer 0123456789abcdef")
	r.do("GET", "/pzs", nil, loose, with("Authorization", "Bearer wrong")).is(401)
	r.do("POST", "/session", members{"name": "nobody", "password": "guessed"}, loose).is(401)
	r.do("POST", "/session", members{"link": "guessed"}, loose)
	r.do("GET", "/pzs/nobody", nil, loose, admin)
	shown := r.raw("GET", "/metrics", admin).Body.String()
	for _, line := range []string{
		`datapi_wrong_credentials_total{credential="token"} 1`, `datapi_wrong_credentials_total{credential="password"} 1`,
		`datapi_wrong_credentials_total{credential="link"} 1`, `datapi_refusals_total{kind="unauthorized"} 2`,
		`datapi_refusals_total{kind="invalid-handle"} 1`, `datapi_refusals_total{kind="rate-limited"} 0`,
	} {
		if !strings.Contains(shown, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}
