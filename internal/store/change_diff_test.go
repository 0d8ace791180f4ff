package store

import (
	"slices"
	"testing"
)

func TestDiffNamesWhatDiffers(t *testing.T) {
	cases := map[string]struct {
		before, after string
		fields        []string
		was, is       string
	}{
		"nothing":                        {`{"a":1}`, `{"a":1}`, nil, `{}`, `{}`},
		"bookkeeping":                    {`{"version":1,"updated_at":1}`, `{"version":2,"updated_at":2}`, nil, `{}`, `{}`},
		"a member":                       {`{"a":1,"b":2}`, `{"a":1,"b":3}`, []string{"b"}, `{"b":2}`, `{"b":3}`},
		"an attribute":                   {`{"attributes":{"x":1,"y":2}}`, `{"attributes":{"x":1,"y":3}}`, []string{"attributes.y"}, `{"attributes":{"y":2}}`, `{"attributes":{"y":3}}`},
		"a whole peer":                   {`{"peer":null}`, `{"peer":{"node":"b"}}`, []string{"peer"}, `{"peer":null}`, `{"peer":{"node":"b"}}`},
		"labels as a whole":              {`{"labels":{"x.y":"1"}}`, `{"labels":{}}`, []string{"labels"}, `{"labels":{"x.y":"1"}}`, `{"labels":{}}`},
		"a member that the former lacks": {`{}`, `{"new":1}`, []string{"new"}, `{"new":null}`, `{"new":1}`},
		"a member that the latter lacks": {`{"old":1}`, `{}`, []string{"old"}, `{"old":1}`, `{"old":null}`},
	}
	for name, c := range cases {
		fields, was, is, err := diff([]byte(c.before), []byte(c.after))
		must(t, err)
		if !slices.Equal(fields, c.fields) || string(was) != c.was || string(is) != c.is {
			t.Errorf("%s: %q, %s, %s", name, fields, was, is)
		}
	}
}
