//go:build upgrade

package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// versionBefore names the file whose line is the commit of the version before this one.
const versionBefore = "testdata/version-before"

// buildBefore builds the version before this one, from the history of the repository, and
// returns its program's path and its commit.
func buildBefore(t *testing.T) (program, commit string) {
	t.Helper()
	line, err := os.ReadFile(versionBefore)
	if err != nil {
		t.Fatal(err)
	}
	commit = strings.TrimSpace(string(line))
	dir := t.TempDir()
	archive := filepath.Join(dir, "before.tar")
	if out, err := exec.Command("git", "-C", programs.root, "archive", "--output="+archive, commit).CombinedOutput(); err != nil {
		t.Fatalf("the version before this one is commit %s by internal/faults/%s, and this repository does not have it; get the whole history (git fetch --unshallow), or run this in a clone that has it: %v\n%s",
			commit, versionBefore, err, out)
	}
	source := filepath.Join(dir, "source")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("tar", "--extract", "--file="+archive, "--directory="+source).CombinedOutput(); err != nil {
		t.Fatalf("unpack commit %s: %v\n%s", commit, err, out)
	}
	before := &builder{root: source, dir: dir, built: map[string]string{}}
	if program, err = before.program(Build{}); err != nil {
		t.Fatal(err)
	}
	return program, commit
}
