package faults

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// programs builds the variants of the program that the tests run.
var programs *builder

func TestMain(m *testing.M) {
	os.Exit(withPrograms(m))
}

// withPrograms runs the tests and removes the programs that they built.
func withPrograms(m *testing.M) int {
	dir, err := os.MkdirTemp("", "datapi-programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder
	root, err := filepath.Abs("../..")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// A scenario waits more than it works: more of them run at a time than there are processors.
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	programs = &builder{root: root, dir: dir, built: map[string]string{}}
	return m.Run()
}
