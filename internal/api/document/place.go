package document

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShown is how many bytes of a place or a name a problem shows: a name may be as long as a body.
const maxShown = 200

// place is where a value lies in a body. It is written out only where something is reported: the places of all values
// of a deep body are together far longer than the body.
type place struct {
	parent *place
	// name is that of the member; index, where name is empty, is that of the item.
	name  string
	index int
	// required reports that the member must be there.
	required bool
}

// String returns the place such as "body.labels.a" or "body.operations[3].method", shortened to maxShown bytes.
func (p *place) String() string {
	var parts []string
	for ; p != nil; p = p.parent {
		switch {
		case p.parent == nil:
			parts = append(parts, p.name)
		case p.name == "":
			parts = append(parts, "["+strconv.Itoa(p.index)+"]")
		default:
			parts = append(parts, "."+shortened(p.name))
		}
	}
	slices.Reverse(parts)
	return shortened(strings.Join(parts, ""))
}

// shortened returns s, or where it is longer than maxShown bytes its beginning.
func shortened(s string) string {
	if len(s) <= maxShown {
		return s
	}
	cut := maxShown
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
