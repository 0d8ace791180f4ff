package store

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheDocumentationNamesEveryFile(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	must(t, err)
	files, err := filepath.Glob("*.go")
	must(t, err)
	named := map[string]bool{"doc.go": true}
	for _, pattern := range regexp.MustCompile(`[a-z_*]+\.go\b`).FindAllString(string(text), -1) {
		found, err := filepath.Glob(pattern)
		must(t, err)
		if len(found) == 0 {
			t.Errorf("there is no file %s", pattern)
		}
		for _, f := range found {
			named[f] = true
		}
	}
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") && !named[f] {
			t.Errorf("%s is not named in doc.go", f)
		}
	}
}
