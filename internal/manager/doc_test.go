package manager

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheMapInThePackageCommentNamesEveryFile(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	unnamed := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		unnamed[f] = f != "doc.go" && !strings.HasSuffix(f, "_test.go")
	}
	for _, name := range regexp.MustCompile(`[a-z_*]+\.go\b`).FindAllString(string(doc), -1) {
		matches, err := filepath.Glob(name)
		if err != nil || len(matches) == 0 {
			t.Errorf("the map names %s, which is not there", name)
		}
		for _, f := range matches {
			unnamed[f] = false
		}
	}
	for f, missing := range unnamed {
		if missing {
			t.Errorf("the map does not name %s", f)
		}
	}
}
