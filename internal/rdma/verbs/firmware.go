package verbs

import (
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
