package verbs

import (
	"os"
	"path/filepath"
	"strconv"
)

// noCounters are files among the hardware counters that count nothing: lifespan says how
// long the kernel keeps what it read of them.
var noCounters = map[string]bool{"lifespan": true}

// counters returns the counters of the port and the hardware counters of the device and the
// port, by the kernel's names; where two have the same name, the port's. A file without a
// number is left out: some devices say there that they do not count it.
func (p devicePort) counters(root string) map[string]uint64 {
	device := filepath.Join(root, p.device)
	port := filepath.Join(device, "ports", strconv.Itoa(p.port))
	all := map[string]uint64{}
	for _, dir := range []string{
		filepath.Join(device, "hw_counters"), filepath.Join(port, "hw_counters"), filepath.Join(port, "counters"),
	} {
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			n, err := strconv.ParseUint(readLine(filepath.Join(dir, f.Name())), 10, 64)
			if err == nil && !noCounters[f.Name()] {
				all[f.Name()] = n
			}
		}
	}
	return all
}
