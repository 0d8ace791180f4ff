package internal_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rule is one rule of docs/rules.
type rule struct {
	id, file   string
	text       string
	background bool // it says itself why nothing cites it
}

// citation is a place that names a rule.
type citation struct {
	at     string
	isTest bool
	// counts: a range over a whole page points at the page and cites none of its rules.
	counts bool
}

const rulesFolder = "../docs/rules"

var (
	ruleHeading = regexp.MustCompile(`^### ([A-Z])([1-9][0-9]?)(a?)$`)
	ruleTitle   = regexp.MustCompile(`^\*\*[^*]+\*\*`)
	// cited is a rule's number, or a range of them, that stands alone: "T3", "(D38)", "T8–T11".
	cited = regexp.MustCompile(`(^|[^0-9A-Za-z_%./#-])([A-Z])([1-9][0-9]?)(a?)(?:–([A-Z])([1-9][0-9]?))?($|[^0-9A-Za-z_%.]|\.($|[^0-9]))`)
	// testName is the name of a test; its rules follow Test, And, To or an underscore.
	testName    = regexp.MustCompile(`\bfunc (Test|Fuzz)(\w+)\(`)
	citedByName = regexp.MustCompile(`(^|And|To|_)([A-Z])([1-9][0-9]?)`)
	// drawing is what looks like a rule in the path of a picture.
	drawing = regexp.MustCompile(`\bd="[^"]*"`)
)

// rules reads docs/rules: each rule has a heading that is its number alone, a first sentence in bold, and a source.
func rules(t *testing.T) map[string]rule {
	t.Helper()
	files, err := filepath.Glob(rulesFolder + "/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages of rules: %v", err)
	}
	all := map[string]rule{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		letter, last := "", 0
		for _, part := range strings.Split(string(data), "\n### ")[1:] {
			heading, text, _ := strings.Cut(part, "\n")
			m := ruleHeading.FindStringSubmatch("### " + heading)
			if m == nil {
				t.Errorf("%s: the heading %q is no number of a rule", file, heading)
				continue
			}
			if letter == "" {
				letter = m[1]
			}
			n := number(t, m[2])
			if m[1] != letter || n != last+1 && (m[3] == "" || n != last) {
				t.Errorf("%s: %s does not follow %s%d", file, heading, letter, last)
			}
			last = n
			text, _, _ = strings.Cut(text, "\n## ")
			r := rule{id: heading, file: file, text: strings.TrimSpace(text), background: strings.Contains(text, "\nBackground: ")}
			if !ruleTitle.MatchString(r.text) || !strings.Contains(r.text, "\nSource: ") {
				t.Errorf("%s: %s needs a first sentence in bold and a source", file, heading)
			}
			if _, twice := all[r.id]; twice {
				t.Errorf("%s is defined twice", r.id)
			}
			all[r.id] = r
		}
	}
	return all
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// lastOf returns the greatest number of each letter.
func lastOf(t *testing.T, all map[string]rule) map[string]int {
	t.Helper()
	last := map[string]int{}
	for id := range all {
		last[id[:1]] = max(last[id[:1]], number(t, strings.TrimSuffix(id[1:], "a")))
	}
	return last
}

// searched are the kinds of file in which citations are looked for.
var searched = []string{".go", ".ts", ".tsx", ".mjs", ".sql", ".md", ".txt"}

// citations returns every place in the repository that names a rule, by rule.
func citations(t *testing.T, last map[string]int) map[string][]citation {
	t.Helper()
	all := map[string][]citation{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil // a file that went while the tree was read
			}
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "node_modules" || name == "dist" || name == "bin" || strings.HasPrefix(name, ".") && file != "..") {
			return filepath.SkipDir
		}
		if d.IsDir() || !slices.Contains(searched, filepath.Ext(name)) || name == "rules_test.go" {
			return nil // this test's own examples are no citations
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(data), "\n") {
			at := fmt.Sprintf("%s:%d", strings.TrimPrefix(filepath.ToSlash(file), "../"), n+1)
			for _, c := range citedIn(t, line, last) {
				c.at, c.isTest = at, isTestFile(file)
				c.counts = c.counts && !isPage(file)
				all[c.id] = append(all[c.id], c.citation)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isTestFile reports whether a file is a test; the conformance suite is one.
func isTestFile(file string) bool {
	file = filepath.ToSlash(file)
	return strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/rdmatest/") || strings.Contains(file, ".test.ts") ||
		strings.Contains(file, "/web/journeys/")
}

// isPage reports whether a file is a guide or a golden print: the rules that it names must exist, but it cites none.
func isPage(file string) bool {
	return filepath.Ext(file) == ".md" || filepath.Ext(file) == ".txt"
}

type named struct {
	id string
	citation
}

// citedIn returns the rules that a line names.
func citedIn(t *testing.T, line string, last map[string]int) []named {
	t.Helper()
	var all []named
	if m := testName.FindStringSubmatch(line); m != nil {
		all = append(all, citedByTest(t, m[2], last)...)
	}
	line = drawing.ReplaceAllString(line, "")
	for line != "" {
		at := cited.FindStringSubmatchIndex(line)
		if at == nil {
			break
		}
		group := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return line[at[2*i]:at[2*i+1]]
		}
		letter, from, suffix, to := group(2), number(t, group(3)), group(4), 0
		if group(6) != "" {
			to = number(t, group(6))
		}
		line = line[at[2*7]:] // what ends one citation may begin the next
		if last[letter] == 0 {
			continue
		}
		if to == 0 {
			all = append(all, named{letter + strconv.Itoa(from) + suffix, citation{counts: true}})
			continue
		}
		whole := from == 1 && to == last[letter]
		for n := from; n <= to; n++ {
			all = append(all, named{letter + strconv.Itoa(n), citation{counts: !whole}})
		}
	}
	return all
}

// citedByTest returns the rules in the name of a test.
func citedByTest(t *testing.T, name string, last map[string]int) []named {
	t.Helper()
	var all []named
	previous := 0
	for _, m := range citedByName.FindAllStringSubmatch(name, -1) {
		n := number(t, m[3])
		if last[m[2]] == 0 {
			continue
		}
		from := n
		if m[1] == "To" && previous > 0 {
			from = previous + 1
		}
		for i := from; i <= n; i++ {
			all = append(all, named{m[2] + strconv.Itoa(i), citation{counts: true}})
		}
		previous = n
	}
	return all
}

func TestEveryRuleThatIsCitedIsWritten(t *testing.T) {
	written := rules(t)
	for id, places := range citations(t, lastOf(t, written)) {
		if _, ok := written[id]; !ok {
			t.Errorf("%s is in no page of docs/rules; it is cited in %s", id, places[0].at)
		}
	}
}

func TestEveryRuleIsCitedByCodeAndByATest(t *testing.T) {
	written := rules(t)
	places := citations(t, lastOf(t, written))
	for _, id := range slices.Sorted(maps.Keys(written)) {
		inCode := slices.ContainsFunc(places[id], func(c citation) bool { return c.counts && !c.isTest })
		inTest := slices.ContainsFunc(places[id], func(c citation) bool { return c.counts && c.isTest })
		r := written[id]
		switch {
		case r.background && inCode && inTest:
			t.Errorf("%s: %s is cited by code and by a test; it needs no Background any more", r.file, id)
		case r.background:
		case !inCode:
			t.Errorf("%s: no table and no code cites %s", r.file, id)
		case !inTest:
			t.Errorf("%s: no test cites %s", r.file, id)
		}
	}
}

func TestCitationsAreToldFromWhatOnlyLooksLikeThem(t *testing.T) {
	last := map[string]int{"T": 50, "D": 44, "R": 12, "M": 12, "W": 24}
	for line, want := range map[string]string{
		`// the peer vanished (T46, T15).`:                         "T46 T15",
		`// a request came (T8–T11).`:                              "T8 T9 T10 T11",
		`EvHardWatermark: gone(EventBroken, "T37, W7"),`:           "T37 W7",
		`{"D15 R4a", "null EVDs", nil},`:                           "D15 R4a",
		`// see D38.`:                                              "D38",
		`func TestR1ToR3RefuseMixedFlags(t *testing.T) {`:          "R1 R2 R3",
		`func TestD18AndD40AcceptThatFails(t *testing.T) { // T15`: "D18 D40 T15",
		`func TestADeviceGoes_T48_T49(t *testing.T) {`:             "T48 T49",
		`<path d="M8 2.5a5.5" fill="none" />`:                      "",
		`request("%F0%9F%92%A9", T1Lines, "RFC7396", M3.5, R2D2)`:  "",
		`The rules T1–T50 are a table.`:                            "",
	} {
		var got []string
		for _, c := range citedIn(t, line, last) {
			if c.counts {
				got = append(got, c.id)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\ncites %v, want %s", line, got, want)
		}
	}
}
