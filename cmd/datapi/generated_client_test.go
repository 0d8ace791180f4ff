package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runIn runs a program of the test's in a folder and fails with what it said.
func runIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// absolute is a path of the repository, seen from this folder.
func absolute(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

func TestAGoClientOfTheDocumentCompilesAndWorks(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/goclient")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "client"), 0o700); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, "go", "tool", "oapi-codegen", "-config", "codegen.yaml", absolute(t, "../../openapi.yaml"))
	p := serveIn(t, stateDir(t))
	runIn(t, dir, "go", "run", ".", p.base)
}

func TestATypeScriptClientOfTheDocumentCompilesAndWorks(t *testing.T) {
	modules := absolute(t, "../../web/node_modules")
	if _, err := os.Stat(filepath.Join(modules, "openapi-fetch")); err != nil {
		t.Fatalf("the page's packages are not installed (%v); run: make web/node_modules/.installed", err)
	}
	// Below node_modules, so that Node.js finds the packages.
	dir, err := os.MkdirTemp(modules, ".client-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the client: %v", err)
		}
	})
	if err := os.CopyFS(dir, os.DirFS("testdata/tsclient")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := func(name string) string { return filepath.Join(modules, ".bin", name) }
	runIn(t, dir, tool("openapi-typescript"), absolute(t, "../../openapi.yaml"), "-o", "schema.d.ts")
	runIn(t, dir, tool("tsc"), "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "--skipLibCheck", "try.ts")
	p := serveIn(t, stateDir(t))
	runIn(t, dir, "node", "try.js", p.base)
}
