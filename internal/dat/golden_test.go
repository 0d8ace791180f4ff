package dat

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

var update = flag.Bool("update", false, "write the golden prints of the tables anew")

// golden compares a print with testdata, to be read beside the man pages.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from the table; look at both, then run with -update\ngot:\n%s", path, got)
	}
}

// table prints columns that line up.
func table(print func(row func(cells ...any))) []byte {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	print(func(cells ...any) {
		fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintln(joined(cells)...), "\n"))
	})
	if err := w.Flush(); err != nil {
		panic(err) // a buffer takes everything
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return []byte(strings.Join(lines, "\n"))
}

func joined(cells []any) []any {
	words := make([]string, len(cells))
	for i, c := range cells {
		words[i] = fmt.Sprint(c)
	}
	return []any{strings.Join(words, "\t")}
}

func TestTransitionTableReadsAsThePagesSay(t *testing.T) {
	golden(t, "transitions.txt", table(func(row func(...any)) {
		for _, s := range occurring() {
			row(s)
			for in := range numInputs {
				v := Judge(s, in)
				next, event := "", ""
				if v.Kind == Move {
					next, event = v.Next.String(), v.Event.String()
				}
				row("", in.Word(), in, v.Kind, next, event, v.Rule)
			}
		}
	}))
}

func TestStateTableNamesEverySubtype(t *testing.T) {
	golden(t, "states.txt", table(func(row func(...any)) {
		row("state", "occurs", "judged as", "subtype of DAT_INVALID_STATE")
		for s := range EPState(numStates) {
			row(s, s.Occurs(), siblings[s], stateSubtypes[s])
		}
	}))
}

func TestModifyMatrixReadsAsThePageSays(t *testing.T) {
	golden(t, "modify.txt", table(func(row func(...any)) {
		row("parameter", "page", "UNCONN", "RESERVED", "PASSIVE", "ACTIVE", "TENTATIVE", "CONN", "DISC_PENDING", "DISCONN", "COMPL_PENDING", "values")
		for p := range numParams {
			cells := []any{p, params[p].page}
			for _, s := range occurring() {
				mark := "-"
				if p.ModifiableIn(s) {
					mark = "Y"
				}
				cells = append(cells, mark)
			}
			row(append(cells, describeValues(p))...)
		}
	}))
}

func describeValues(p Param) string {
	switch row := params[p]; row.kind {
	case ValueCount, ValueSize:
		return "0 to " + row.limitName
	case ValueChoice:
		return strings.Join(row.choices, " ")
	case ValueNamed:
		return strings.Join(sortedNames(row.known(newFacts())), " ")
	default:
		return strings.ToLower(row.kind.String())
	}
}

func sortedNames(m map[string]NamedAttr) []string {
	var names []string
	for name, a := range m {
		names = append(names, fmt.Sprintf("%s:%d-%d", name, a.Min, a.Max))
	}
	slices.Sort(names)
	return names
}

func TestOperationsFollowStateAndReadiness(t *testing.T) {
	golden(t, "operations.txt", table(func(row func(...any)) {
		for _, s := range occurring() {
			ready, withoutPZ, withSRQ := newEndpoint(s), newEndpoint(s), newEndpoint(s)
			withoutPZ.PZ, withSRQ.SRQ = HandleNull, "srq1"
			row(s, "with a pz", strings.Join(Operations(ready), " "))
			row("", "with a null pz", strings.Join(Operations(withoutPZ), " "))
			row("", "with an srq", strings.Join(Operations(withSRQ), " "))
		}
	}))
}

func TestFlagAndWatermarkRulesAreWritten(t *testing.T) {
	golden(t, "rules.txt", table(func(row func(...any)) {
		doc := Matrix()
		for _, r := range append(doc.FlagRules, doc.WatermarkRules...) {
			row(r.Rule, r.Text)
		}
	}))
}

func TestPostLimitsAreWritten(t *testing.T) {
	golden(t, "posts.txt", table(func(row func(...any)) {
		row("operation", "DTOs", "segments", "bytes", "flags")
		for in, p := range postings {
			if p.dtos != nil {
				row(Input(in), p.dtosName, p.iovName, p.sizeName, p.flags)
			}
		}
	}))
}

func TestMatrixIsStableJSON(t *testing.T) {
	got, err := json.MarshalIndent(Matrix(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "matrix.json", append(got, '\n'))
	again, _ := json.MarshalIndent(Matrix(), "", " ")
	if !bytes.Equal(got, again) {
		t.Error("two prints of the matrix differ")
	}
	for _, list := range []string{"states", "choices", "names", "parameters", "transitions", "flag_rules", "watermark_rules"} {
		if bytes.Contains(got, []byte(`"`+list+`": null`)) {
			t.Errorf("an empty list of %s is null", list)
		}
	}
}
