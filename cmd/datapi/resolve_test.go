package main

import (
	"strings"
	"testing"
)

const otherID = "01936f5e-0000-7000-8000-000000000002"

// A word of a filter that nobody has is an error, and no empty list that looks like an answer.
func TestANameInAFilterIsResolvedOrRefused(t *testing.T) {
	const none, found = `{"items":[]}`, `{"items":[{"id":"` + anID + `"}]}`
	url := answers{
		"GET /api/v1/pzs?fields=id&limit=1&name=zone":                  found,
		"GET /api/v1/pzs?fields=id&limit=1&name=nozone":                none,
		"GET /api/v1/pzs?fields=id&limit=1&name=both":                  found,
		"GET /api/v1/endpoints?fields=id&limit=1&name=both":            found,
		"GET /api/v1/endpoints?pz=" + anID:                             `{"items":[{"id":"` + otherID + `","name":"ost-7"}]}`,
		"GET /api/v1/ias?fields=id&limit=1000":                         `{"items":[{"id":"soft0@alpha"},{"id":"soft1@alpha"},{"id":"soft1@beta"}]}`,
		"GET /api/v1/ias/soft0@alpha":                                  `{"id":"soft0@alpha"}`,
		"GET /api/v1/endpoints?ia=soft0%40alpha":                       `{"items":[{"id":"` + otherID + `","name":"ost-8"}]}`,
		"GET /api/v1/changes?fields=id&limit=1&node=retired":           `{"items":[{"id":7}]}`,
		"GET /api/v1/changes?fields=id&limit=1&node=never":             none,
		"GET /api/v1/changes?node=retired":                             `{"items":[{"id":7}]}`,
		"GET /api/v1/changes?object=" + anID + "&type=endpoint":        `{"items":[{"id":8}]}`,
		"GET /api/v1/changes?object=" + otherID:                        `{"items":[{"id":9}]}`,
		"GET /api/v1/endpoints?fields=id&limit=1&name=nowhere":         none,
		"GET /api/v1/endpoints?name=ost-%2A":                           none,
		"GET /api/v1/endpoints?fields=id&limit=1&name=soft0":           none,
		"GET /api/v1/changes?object=soft0%40alpha":                     `{"items":[{"id":10}]}`,
		"GET /api/v1/nodes/alpha":                                      `{"id":"` + anID + `","name":"alpha"}`,
		"GET /api/v1/changes?object=" + anID + "&type=node":            `{"items":[{"id":11}]}`,
		"GET /api/v1/endpoints?label=app%3Dlustre&state=CONNECTED":     none,
		"GET /api/v1/changes?fields=id&ia=gone%40beta&limit=1":         `{"items":[{"id":12}]}`,
		"GET /api/v1/changes?ia=gone%40beta":                           `{"items":[{"id":12}]}`,
		"GET /api/v1/endpoints?node=alpha":                             `{"items":[{"id":"1","name":"ost-9"}]}`,
		"GET /api/v1/evds?fields=id&limit=1&name=both":                 none,
		"GET /api/v1/srqs?fields=id&limit=1&name=both":                 none,
		"GET /api/v1/lmrs?fields=id&limit=1&name=both":                 none,
		"GET /api/v1/rmrs?fields=id&limit=1&name=both":                 none,
		"GET /api/v1/psps?fields=id&limit=1&name=both":                 none,
		"GET /api/v1/rsps?fields=id&limit=1&name=both":                 none,
		"GET /api/v1/changes?object=" + anID + "&type=pz&type=psp":     none,
		"GET /api/v1/changes?object=" + otherID + "&object=" + otherID: none,
	}.serve(t)
	cases := []struct {
		line   string
		status int
		says   string
	}{
		{"ep list --pz zone -o name", exitDone, "ost-7"},
		{"ep list --pz nozone", exitRefused, `none of the protection zones has the name "nozone"`},
		{"ep list --ia soft0 -o name", exitDone, "ost-8"},
		{"ep list --ia soft1", exitRefused, "several nodes have the IA"},
		{"ep list --ia soft9", exitRefused, `the name "soft9"`},
		{"ep list --ia soft9@alpha", exitRefused, `the name "soft9@alpha"`},
		{"ep list --node alpha -o name", exitDone, "ost-9"},
		{"ep list --node beta", exitRefused, `none of the nodes has the name "beta"`},
		{"ep list --name ost-* -o name", exitDone, ""},
		{"ep list --pz a/b", exitUsage, "neither an id nor a name"},
		{"change list --object both --type endpoint -o name", exitDone, "8"},
		{"change list --object both", exitRefused, "say which with --type: pz, endpoint"},
		{"change list --object nowhere --type endpoint", exitRefused, `nothing that lives has the name "nowhere"`},
		{"change list --object alpha --type node -o name", exitDone, "11"},
		{"change list --object " + otherID + " -o name", exitDone, "9"},
		{"change list --node retired -o name", exitDone, "7"},
		{"change list --node never", exitRefused, `none of the nodes has the name "never"`},
		{"change list --ia gone@beta -o name", exitDone, "12"},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			status, out, said := command(t, "", append(strings.Fields(c.line), "--url", url)...)
			text := out
			if c.status != exitDone {
				text = said
			}
			if status != c.status || !strings.Contains(text, c.says) || (c.status == exitRefused && strings.Count(said, "\n") != 1) {
				t.Errorf("status %d, printed %q, said %q; want %d and %q", status, out, said, c.status, c.says)
			}
		})
	}
}
