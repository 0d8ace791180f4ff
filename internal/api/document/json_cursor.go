package document

import (
	"encoding/json"
	"slices"
	"strings"
)

// jsonCursor reads a text that is known to be JSON, value after value. json.Decoder takes a hundred times the memory and
// the time for a text of many small values.
type jsonCursor struct {
	text string
	at   int
}

// next passes over space, and over the commas and colons between values, and returns the first byte of what follows.
func (c *jsonCursor) next() byte {
	for strings.IndexByte(" \t\r\n,:", c.text[c.at]) >= 0 {
		c.at++
	}
	return c.text[c.at]
}

// enter passes over an opening bracket.
func (c *jsonCursor) enter() { c.at++ }

// closes reports whether the present array or object ends here, and then passes over its bracket.
func (c *jsonCursor) closes() bool {
	if b := c.next(); b != ']' && b != '}' {
		return false
	}
	c.at++
	return true
}

// string returns the string that begins here.
func (c *jsonCursor) string() string {
	start, escaped := c.at, false
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			escaped = true
			c.at++
		}
	}
	c.at++
	if !escaped {
		return c.text[start+1 : c.at-1]
	}
	var s string
	if err := json.Unmarshal([]byte(c.text[start:c.at]), &s); err != nil {
		panic(err) // it is JSON
	}
	return s
}

// word returns the number, or true, false or null, that begins here.
func (c *jsonCursor) word() string {
	start := c.at
	for c.at < len(c.text) && strings.IndexByte(" \t\r\n,:]}", c.text[c.at]) < 0 {
		c.at++
	}
	return c.text[start:c.at]
}

// nameSet is the names of an object's members. Most objects have few.
type nameSet struct {
	few  []string
	many map[string]struct{}
}

// maxFew is how many names are looked through one by one.
const maxFew = 8

// add adds a name and reports whether it was there.
func (s *nameSet) add(name string) (twice bool) {
	if s.many == nil && len(s.few) < maxFew {
		twice = slices.Contains(s.few, name)
		s.few = append(s.few, name)
		return twice
	}
	if s.many == nil {
		s.many = map[string]struct{}{}
		for _, known := range s.few {
			s.many[known] = struct{}{}
		}
	}
	_, twice = s.many[name]
	s.many[name] = struct{}{}
	return twice
}
