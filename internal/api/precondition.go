package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// joinMatch makes several If-Match headers the one list that they stand for, and
// refuses an empty one: a condition is never ignored.
func joinMatch(header http.Header) *Problem {
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

const (
	matchHeader = "If-Match"
	mustMatch   = `must be an ETag as the service gave it, such as "3", a list of them separated by commas, or *`
)

// refuseMatch refuses a condition on what does not exist yet: `*` is the list
// itself and holds, a version never does.
func (w Write) refuseMatch() error {
	match, err := w.match()
	if err != nil || match == nil {
		return err
	}
	return match(0)
}

// match is If-Match as a test of a version, nil where there is none. Weak tags
// and tags that are no version of ours never match.
func (w Write) match() (func(int64) error, error) {
	if w.IfMatch == "" {
		return nil, nil
	}
	tags, any, ok := entityTags(w.IfMatch)
	if !ok {
		return nil, wrongHeader(matchHeader, mustMatch)
	}
	return func(version int64) error {
		if any || slices.Contains(tags, strconv.FormatInt(version, 10)) {
			return nil
		}
		p := problemOfKind(kindVersionMismatch, "The object has version "+strconv.FormatInt(version, 10)+
			", which If-Match does not name. Read it again and decide anew, or send If-Match with that version.")
		p.CurrentVersion = &version
		return p
	}, nil
}

// entityTags reads a list of entity tags (RFC 9110, 8.8.3): the opaque part of
// the strong ones, or any for *.
func entityTags(header string) (strong []string, any, ok bool) {
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

// notModified tells whether the client's copy is still right: header is its
// If-None-Match, which compares weakly.
func notModified(header, etag string) bool {
	if header == "" || etag == "" {
		return false
	}
	if strings.TrimSpace(header) == "*" {
		return true
	}
	for one := range strings.SplitSeq(header, ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == etag {
			return true
		}
	}
	return false
}
