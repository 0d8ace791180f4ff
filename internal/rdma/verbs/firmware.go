package verbs

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// parseFirmware reads the version that a device declares as `a.b.c`, with more or fewer
// parts: major is the first, minor the second (D32). A part that is no number is 0.
func parseFirmware(s string) (major, minor uint32) {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '-' || r == ' ' })
	number := func(i int) uint32 {
		if i >= len(parts) {
			return 0
		}
		n, err := strconv.ParseUint(strings.TrimLeft(parts[i], "vV"), 10, 32)
		if err != nil {
			return 0
		}
		return uint32(n)
	}
	return number(0), number(1)
}

// driver returns the name of the kernel's driver of a device (`mlx5_core`), "" for a device
// that is not on a bus.
func (p devicePort) driver(root string) string {
	link, err := os.Readlink(filepath.Join(root, p.device, "device", "driver"))
	if err != nil {
		return ""
	}
	return filepath.Base(link)
}

// rate returns the speed of the port's link as the kernel words it (`100 Gb/sec (4X EDR)`).
func (p devicePort) rate(root string) string {
	return readLine(filepath.Join(root, p.device, "ports", strconv.Itoa(p.port), "rate"))
}
