package store

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// programs are the paths of the PostgreSQL programs that a cluster is run with.
type programs struct {
	initdb, postgres string
	// major is their major version, as in the file PG_VERSION of a cluster.
	major string
}

// debianPrograms are the directories of the versions that Debian has installed.
const debianPrograms = "/usr/lib/postgresql/*/bin"

// findPrograms returns the programs on PATH, else those of the highest version in
// Debian's directories; if there is a cluster, those of its version.
func findPrograms(clusterVersion string) (programs, error) {
	var found []programs
	if path, err := exec.LookPath("postgres"); err == nil {
		found = appendPrograms(found, filepath.Dir(path))
	}
	dirs, err := filepath.Glob(debianPrograms)
	if err != nil {
		return programs{}, err
	}
	slices.SortFunc(dirs, func(a, b string) int { return versionIn(b) - versionIn(a) })
	for _, dir := range dirs {
		found = appendPrograms(found, dir)
	}
	if len(found) == 0 {
		return programs{}, errors.New("no PostgreSQL programs (initdb, postgres) are on PATH or in /usr/lib/postgresql; install them (Debian: apt-get install postgresql) or name a database with --database-url")
	}
	if clusterVersion == "" {
		return found[0], nil
	}
	for _, p := range found {
		if p.major == clusterVersion {
			return p, nil
		}
	}
	return programs{}, fmt.Errorf("the data is of PostgreSQL %s, but only the programs of %s are here; install PostgreSQL %s, or move the data over with pg_upgrade",
		clusterVersion, found[0].major, clusterVersion)
}

// appendPrograms adds a directory's programs if both are there and say their version.
func appendPrograms(found []programs, dir string) []programs {
	p := programs{initdb: filepath.Join(dir, "initdb"), postgres: filepath.Join(dir, "postgres")}
	if _, err := exec.LookPath(p.initdb); err != nil {
		return found
	}
	out, err := exec.Command(p.postgres, "--version").Output()
	if err != nil {
		return found
	}
	if m := majorVersion.FindSubmatch(out); m != nil {
		p.major = string(m[1])
		found = append(found, p)
	}
	return found
}

// majorVersion matches the major version in what postgres --version prints.
var majorVersion = regexp.MustCompile(`(?:\s|^)(\d+)(?:\.|[a-z]|\s)`)

// versionIn returns the version in the path of one of Debian's directories.
func versionIn(dir string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	if err != nil {
		return 0 // no version: last
	}
	return n
}
