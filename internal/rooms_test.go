package internal_test

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// room is a row of a table of packages: names, what they hold, what they may import.
var (
	room       = regexp.MustCompile("(?m)^\\| (\\[?`[^|]+) \\| [^|]+ \\| ([^|]+) \\|$")
	quotedName = regexp.MustCompile("`([^`]+)`")
)

// The tables of packages that people read say what the layout says.
func TestTheTablesOfRoomsAreTheLayout(t *testing.T) {
	for _, page := range []string{"../CONTRIBUTING.md", "../docs/architecture.md"} {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		told := map[string][]string{}
		for _, m := range room.FindAllStringSubmatch(string(data), -1) {
			for _, name := range quotedName.FindAllStringSubmatch(m[1], -1) {
				told[name[1]] = importsTold(m[2])
			}
		}
		for dir, row := range layout {
			want := slices.Sorted(slices.Values(row.code))
			if dir == "cmd/datapi" {
				want = []string{"all"}
			}
			if got, there := told[dir]; dir != "internal" && (!there || !slices.Equal(got, want)) {
				t.Errorf("%s: %s may import %v, the layout says %v", page, dir, got, want)
			}
		}
	}
}

// importsTold returns the packages of a cell; those in internal are written without it.
func importsTold(cell string) []string {
	if cell == "all" {
		return []string{cell}
	}
	var all []string
	for _, m := range quotedName.FindAllStringSubmatch(cell, -1) {
		if _, top := layout[m[1]]; top {
			all = append(all, m[1])
		} else {
			all = append(all, "internal/"+m[1])
		}
	}
	slices.Sort(all)
	return all
}
