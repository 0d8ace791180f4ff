package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Promise 7: what somebody else has prepared as a data directory is refused in one line, and nothing that its links lead
// to is opened, given away or overwritten.
func TestPreparedDataDirectoryIsRefused(t *testing.T) {
	precious := filepath.Join(stateDir(t), "precious")
	folder := stateDir(t)
	if err := os.WriteFile(precious, []byte("precious\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ link, target string }{{"run", folder}, {"lock", precious}, {"postgres", folder}, {"tls", folder}}
	for _, c := range cases {
		dir := stateDir(t)
		if err := os.Symlink(c.target, filepath.Join(dir, c.link)); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 { // as somebody else would have it; only root can give it away
			if err := os.Lchown(dir, 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
		said := refusedServe(t, "--data-dir="+dir, "--tls-self-signed")
		if !strings.Contains(said, dir) || !strings.Contains(said, "--data-dir") {
			t.Errorf("%s: said %q", c.link, said)
		}
		if os.Geteuid() == 0 { // and the link alone, in a directory of one's own
			if err := os.Lchown(dir, 0, 0); err != nil {
				t.Fatal(err)
			}
			if said := refusedServe(t, "--data-dir="+dir, "--tls-self-signed"); !strings.Contains(said, "is a symbolic link (to "+c.target+")") {
				t.Errorf("%s: said %q", c.link, said)
			}
		}
	}
	if b, err := os.ReadFile(precious); err != nil || string(b) != "precious\n" {
		t.Errorf("the file has become %q, %v", b, err)
	}
	for path, mode := range map[string]os.FileMode{precious: 0o640, folder: 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has become %v, %v", path, info.Mode(), err)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}
