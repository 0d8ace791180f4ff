package store

import (
	"strconv"
	"strings"
)

// Position is a place in the log of changes: after a change of a generation. The zero
// Position is the beginning of any generation.
type Position struct {
	// Generation is 0 as long as the log never went back.
	Generation int64
	// ID is that of the change, 0 for the beginning.
	ID int64
}

// String returns the position as clients see it: the id, after the generation and a dot
// if the log ever went back.
func (p Position) String() string {
	id := strconv.FormatInt(p.ID, 10)
	if p.Generation == 0 {
		return id
	}
	return strconv.FormatInt(p.Generation, 10) + "." + id
}

// ParsePosition reads what String returns, and reports whether it could.
func ParsePosition(s string) (p Position, ok bool) {
	generation, id, both := strings.Cut(s, ".")
	if !both {
		generation, id = "0", s
	}
	g, errG := strconv.ParseUint(generation, 10, 63)
	n, errN := strconv.ParseUint(id, 10, 63)
	return Position{Generation: int64(g), ID: int64(n)}, errG == nil && errN == nil && (g > 0 || !both)
}
