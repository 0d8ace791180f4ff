package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Build says which variant of the program to build.
type Build struct {
	// Faultpoints compiles the named points in, at which a test lets something fail.
	Faultpoints bool
	// Overlay replaces source files: path relative to the root of the repository to
	// the new contents.
	Overlay map[string]string
}

// builder builds each variant of the program once.
type builder struct {
	// root is the root of the repository, dir where the programs are put.
	root, dir string

	mu    sync.Mutex
	built map[string]string
}

// program returns the path of the program of a variant.
func (b *builder) program(v Build) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := fmt.Sprint(v)
	if path, ok := b.built[key]; ok {
		return path, nil
	}
	path := filepath.Join(b.dir, fmt.Sprintf("datapi-%d", len(b.built)))
	args := []string{"build", "-o", path}
	if v.Faultpoints {
		args = append(args, "-tags", "faultpoints")
	}
	if len(v.Overlay) > 0 {
		overlay, err := b.writeOverlay(path+"-overlay", v.Overlay)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, "./cmd/datapi")...)
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	b.built[key] = path
	return path, nil
}

// writeOverlay writes the file that `go build -overlay` reads, and returns its path.
func (b *builder) writeOverlay(dir string, files map[string]string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, contents := range files {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(path, []byte(contents), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(b.root, filepath.FromSlash(name))] = path
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o644)
}
