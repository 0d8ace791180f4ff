package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/datapi/datapi/internal/api/document"
)

const (
	matchHeader = "If-Match"
	mustMatch   = `must be an ETag as the service gave it, such as "3", a list of them separated by commas, or *`
)

// joinIfMatch joins several If-Match headers to the one list that they stand for, and refuses an empty one: a
// condition is never ignored.
func joinIfMatch(header http.Header) *document.Problem {
	given := header.Values(matchHeader)
	if len(given) == 0 {
		return nil
	}
	all := strings.Join(given, ", ")
	if strings.TrimSpace(all) == "" {
		return wrongHeader(matchHeader, mustMatch)
	}
	header.Set(matchHeader, all)
	return nil
}

// refuseVersion refuses an If-Match that names a version of what does not exist yet; * holds.
func (w Write) refuseVersion() error {
	match, err := w.match()
	if err != nil || match == nil {
		return err
	}
	return match(0)
}

// match returns If-Match as a test of an object's version, nil if there is no such header. The test returns a problem
// (412) for a version that the header does not name. Weak tags, and tags that are no version, never match.
func (w Write) match() (func(version int64) error, error) {
	if w.IfMatch == "" {
		return nil, nil
	}
	tags, star, ok := entityTags(w.IfMatch)
	if !ok {
		return nil, wrongHeader(matchHeader, mustMatch)
	}
	return func(version int64) error {
		if star || slices.Contains(tags, strconv.FormatInt(version, 10)) {
			return nil
		}
		p := document.NewProblem(document.KindVersionMismatch, "The object has version "+strconv.FormatInt(version, 10)+
			", which If-Match does not name. Read it again and decide anew, or send If-Match with that version.")
		p.CurrentVersion = &version
		return p
	}, nil
}

// entityTags parses a list of entity tags (RFC 9110, 8.8.3). It returns the opaque part of the strong ones; star
// reports that the list is *, ok that it is well formed.
func entityTags(header string) (strong []string, star, ok bool) {
	rest := strings.TrimSpace(header)
	if rest == "*" {
		return nil, true, true
	}
	found := false
	for rest != "" {
		if rest[0] == ',' || rest[0] == ' ' || rest[0] == '\t' {
			rest = rest[1:]
			continue
		}
		tag, weak := strings.CutPrefix(rest, "W/")
		if !strings.HasPrefix(tag, `"`) {
			return nil, false, false
		}
		opaque, after, closed := strings.Cut(tag[1:], `"`)
		after = strings.TrimLeft(after, " \t")
		if !closed || (after != "" && after[0] != ',') {
			return nil, false, false
		}
		if !weak {
			strong = append(strong, opaque)
		}
		rest, found = after, true
	}
	return strong, false, found
}

// notModified reports whether the client's copy is still right: ifNoneMatch is the header of this name, whose tags
// are compared weakly (RFC 9110, 13.1.2).
func notModified(ifNoneMatch, etag string) bool {
	if ifNoneMatch == "" || etag == "" {
		return false
	}
	if strings.TrimSpace(ifNoneMatch) == "*" {
		return true
	}
	for one := range strings.SplitSeq(ifNoneMatch, ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == etag {
			return true
		}
	}
	return false
}
