package main

import (
	"strings"
	"testing"
)

func TestSeveralNamesAreDoneOneAfterTheOtherAndEachRefusalIsSaidOnce(t *testing.T) {
	url := answers{
		"GET /api/v1/endpoints?fields=id&limit=1&name=a":    `{"items":[{"id":"` + anID + `"}]}`,
		"GET /api/v1/endpoints?fields=id&limit=1&name=gone": `{"items":[]}`,
		"GET /api/v1/endpoints?fields=id&limit=1&name=b":    `{"items":[{"id":"` + otherID + `"}]}`,
		"DELETE /api/v1/endpoints/" + anID:                  "",
		"GET /api/v1/endpoints/" + anID + "/status":         `{"state":"CONNECTED"}`,
		"GET /api/v1/endpoints/" + otherID + "/status":      `{"state":"RESERVED"}`,
		"GET /api/v1/endpoints/" + anID:                     `{"id":"` + anID + `","name":"a","state":"CONNECTED"}`,
		"GET /api/v1/endpoints/" + otherID:                  `{"id":"` + otherID + `","name":"b","state":"RESERVED"}`,
	}.serve(t)
	cases := []struct {
		line      string
		status    int
		out, said string
	}{
		{
			"ep free gone a b", exitRefused, "ep a freed\n",
			"datapi: none of the endpoints has the name \"gone\", and it is no id\ndatapi: b: there is no /api/v1/endpoints/" + otherID + "\n",
		},
		{"ep free a *", exitUsage, "", "datapi: \"*\" is neither an id nor a name of endpoints\nSee 'datapi ep free --help'.\n"},
		{"ep free a", exitDone, "ep a freed\n", ""},
		{"ep free a --dry-run", exitRefused, "", "datapi: there is no /api/v1/endpoints/" + anID + "\n"},
		{"ep show a b -o name", exitDone, "a\nb\n", ""},
		{"ep show a b -o yaml", exitDone, "id: " + anID + "\nname: a\nstate: CONNECTED\n---\nid: " + otherID + "\nname: b\nstate: RESERVED\n", ""},
		{"ep status a b", exitDone, "ep     a\nstate  CONNECTED\n\nep     b\nstate  RESERVED\n", ""},
		{"ep status a", exitDone, "state  CONNECTED\n", ""},
		{"ep show a b", exitDone, "id     " + anID + "\nname   a\nstate  CONNECTED\n\nid     " + otherID + "\nname   b\nstate  RESERVED\n", ""},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			status, out, said := command(t, "", append(strings.Fields(c.line), "--url", url)...)
			if status != c.status || out != c.out || said != c.said {
				t.Errorf("status %d, printed %q, said %q; want %d, %q, %q", status, out, said, c.status, c.out, c.said)
			}
		})
	}
}

func TestASilentServiceEndsACommandForSeveralNames(t *testing.T) {
	status, _, said := command(t, "", "ep", "free", anID, otherID, "--url", "http://127.0.0.1:1")
	if status != exitUnreachable || strings.Count(said, "\n") != 1 {
		t.Errorf("status %d, said %q; want %d and one line", status, said, exitUnreachable)
	}
}
