package verbs

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
)

// limitFiles are what limitsOf reads.
type limitFiles struct {
	// memlock is RLIMIT_MEMLOCK in bytes.
	memlock uint64
	// status is /proc/self/status, cgroup /proc/self/cgroup.
	status, cgroup string
	// cgroupRoot is where cgroups are mounted.
	cgroupRoot string
}

// systemLimits returns where the limits of this process stand.
func systemLimits() limitFiles {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		limit.Cur = math.MaxUint64
	}
	return limitFiles{
		memlock: limit.Cur, status: "/proc/self/status", cgroup: "/proc/self/cgroup", cgroupRoot: "/sys/fs/cgroup",
	}
}

// limitsOf returns the limits for what this process makes on a device.
func limitsOf(device string, from limitFiles) []dat.ResourceLimit {
	return append([]dat.ResourceLimit{lockedMemory(from)}, cgroupLimits(device, from)...)
}

// lockedMemory returns the limit on locked memory. The kernel counts the memory that
// devices use (VmPin) by itself: what is locked for other reasons takes nothing of it.
// Source: ib_umem_get in the kernel.
func lockedMemory(from limitFiles) dat.ResourceLimit {
	status := statusLines(from.status)
	l := dat.ResourceLimit{
		Name: "locked_memory", Unit: "bytes",
		Remedy: "Raise the limit on locked memory: LimitMEMLOCK=infinity in the systemd unit, ulimit -l in a shell, --ulimit memlock=-1 for a container.",
	}
	if kb, err := strconv.ParseInt(strings.TrimSuffix(status["VmPin"], " kB"), 10, 64); err == nil {
		l.Used = kb << 10
	}
	capabilities, err := strconv.ParseUint(status["CapEff"], 16, 64)
	lifted := err == nil && capabilities>>unix.CAP_IPC_LOCK&1 == 1
	if !lifted && from.memlock < math.MaxInt64 {
		l.Max = new(int64(from.memlock))
	}
	return l
}

// statusLines returns the lines of a status file of /proc by their names.
func statusLines(path string) map[string]string {
	all := map[string]string{}
	f, err := os.Open(path)
	if err != nil {
		return all
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), ":")
		all[name] = strings.TrimSpace(value)
	}
	return all
}

// rdmaWords are the names of what the rdma controller counts.
var rdmaWords = []struct{ word, name, what string }{
	{"hca_handle", "rdma_handles", "open devices"},
	{"hca_object", "rdma_objects", "objects"},
}

// cgroupLimits returns the limits of the rdma controller that a cgroup of this process, or
// one above it, sets for a device: of each kind the one that leaves least.
// Source: Documentation/admin-guide/cgroup-v2.rst.
func cgroupLimits(device string, from limitFiles) []dat.ResourceLimit {
	var all []dat.ResourceLimit
	dirs := cgroupDirs(from)
	for _, w := range rdmaWords {
		var tightest *dat.ResourceLimit
		for _, dir := range dirs {
			most, err := strconv.ParseInt(rdmaValue(filepath.Join(dir, "rdma.max"), device, w.word), 10, 64)
			if err != nil {
				continue // none, or "max"
			}
			used, _ := strconv.ParseInt(rdmaValue(filepath.Join(dir, "rdma.current"), device, w.word), 10, 64)
			if tightest == nil || most-used < *tightest.Max-tightest.Used {
				tightest = &dat.ResourceLimit{
					Name: w.name, Unit: "objects", Used: used, Max: &most,
					Remedy: "Raise " + w.word + " of " + device + " in " + filepath.Join(dir, "rdma.max") + ", the limit of a cgroup on " + w.what + ".",
				}
			}
		}
		if tightest != nil {
			all = append(all, *tightest)
		}
	}
	return all
}

// cgroupDirs returns the directories of the cgroups with the rdma controller that this
// process is in, from the innermost to the root.
func cgroupDirs(from limitFiles) []string {
	var dirs []string
	b, _ := os.ReadFile(from.cgroup)
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 || parts[1] != "" && parts[1] != "rdma" {
			continue
		}
		root := filepath.Join(from.cgroupRoot, parts[1])
		for dir := filepath.Join(root, parts[2]); strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// rdmaValue returns the value of a word in the line of a device: `rxe0 hca_handle=2 hca_object=max`.
func rdmaValue(path, device, word string) string {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != device {
			continue
		}
		for _, w := range words[1:] {
			if name, value, _ := strings.Cut(w, "="); name == word {
				return value
			}
		}
	}
	return ""
}
