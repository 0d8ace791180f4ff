package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheOverviewNamesEveryFile holds each package's doc.go against its files, so that it can be trusted.
func TestTheOverviewNamesEveryFile(t *testing.T) {
	for _, dir := range []string{".", "document"} {
		overview, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		must(t, err)
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		must(t, err)
		words := strings.FieldsFunc(string(overview), func(r rune) bool { return strings.ContainsRune(" \n\t:;,()", r) })
		named := map[string]bool{"doc.go": true}
		for _, word := range words {
			named[strings.TrimSuffix(word, ".")] = true
		}
		for _, file := range files {
			name := filepath.Base(file)
			if !strings.HasSuffix(name, "_test.go") && !named[name] {
				t.Errorf("%s does not say what lies in %s", filepath.Join(dir, "doc.go"), name)
			}
			delete(named, name)
		}
		for name := range named {
			if strings.HasSuffix(name, ".go") && name != "doc.go" {
				t.Errorf("%s names %s, which does not exist", filepath.Join(dir, "doc.go"), name)
			}
		}
	}
}
