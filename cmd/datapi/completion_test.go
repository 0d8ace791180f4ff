package main

import (
	"slices"
	"strings"
	"testing"
)

// completed returns the words that a shell would show for a command line, whose last word is begun, and cobra's directive.
func completed(t *testing.T, line ...string) (words []string, directive string) {
	t.Helper()
	status, out, said := command(t, "", append([]string{"__completeNoDesc"}, line...)...)
	if status != exitDone {
		t.Fatalf("%q: status %d, said %q", line, status, said)
	}
	words = strings.Split(strings.TrimSpace(out), "\n")
	return words[:len(words)-1], words[len(words)-1]
}

// noFiles is the directive not to complete the names of files, and files that of what has nothing better.
const noFiles, files = ":4", ":0"

func TestCompletionKnowsWhatLives(t *testing.T) {
	url := answers{
		"GET /api/v1/endpoints?limit=500":                    `{"items":[{"id":"` + anID + `","name":"ost-7","state":"CONNECTED"},{"id":"` + otherID + `","name":null}]}`,
		"GET /api/v1/endpoints?limit=500&name=os%2A":         `{"items":[{"id":"` + anID + `","name":"ost-7"}]}`,
		"GET /api/v1/endpoints?limit=500&name=0193%2A":       `{"items":[]}`,
		"GET /api/v1/endpoints?limit=500&name=ost-7%2A":      `{"items":[{"id":"` + anID + `","name":"ost-7"}]}`,
		"GET /api/v1/endpoints?fields=id&limit=1&name=ost-7": `{"items":[{"id":"` + anID + `"}]}`,
		"GET /api/v1/endpoints/" + anID + "/history":         `{"items":[{"id":9,"version":2,"cause":"dat_ep_modify"},{"id":8,"version":1,"cause":"dat_ep_create"}]}`,
		"GET /api/v1/ias?limit=500":                          `{"items":[{"id":"soft0@alpha","state":"UP","ia_attributes":{"ia_address":"10.77.0.1"}}]}`,
		"GET /api/v1/nodes":                                  `{"items":[{"id":"` + otherID + `","name":"alpha","state":"UP"}]}`,
		"GET /api/v1/psps?limit=500":                         `{"items":[{"id":"1","name":"mds","conn_qual":4711,"ia":"soft1@alpha"}]}`,
		"GET /api/v1/pzs?limit=500":                          `{"items":[{"id":"1","name":"zone"}]}`,
		"GET /api/v1/evds?limit=500&name=q%2A":               `{"items":[{"id":"1","name":"queue","streams":["DTO"]}]}`,
	}.serve(t)
	t.Setenv("DATAPI_URL", url)
	cases := []struct {
		line string // the last word is what is begun, ~ nothing
		want string
	}{
		{"ep show ~", "ost-7 " + otherID},
		{"ep show os", "ost-7"},
		{"ep show 0193", anID + " " + otherID},
		{"ep free ost-7 ~", otherID},
		{"ep version ost-7 ~", "2 1"},
		{"ep connect ost-7 ~", ""},
		{"ep modify ost-7 --pz ~", "zone"},
		{"ep create --recv-evd q", "queue"},
		{"ep create --ia ~", "soft0@alpha"},
		{"ep list --ia s", "soft0@alpha"},
		{"ep list --name os", "ost-7"},
		{"ia show ~", "soft0@alpha"},
		{"node retire ~", "alpha"},
		{"ep list --node ~", "alpha"},
		{"ep connect ost-7 --remote-ia-address ~", "10.77.0.1"},
		{"ep connect ost-7 --remote-port-qual ~", "4711"},
		{"ep list --state conn", "connected connected_single_path connected_multi_path"},
		{"ep list --state CONNECTED_", "CONNECTED_SINGLE_PATH CONNECTED_MULTI_PATH"},
		{"ep list --fields id,na", "id,name"},
		{"pz list --sort ~", "created_at -created_at name -name updated_at -updated_at"},
		{"evd create --streams DTO,CON", "DTO,CONNECTION"},
		{"ia show soft0 --ia-attributes max_eps,max_pz", "max_eps,max_pzs"},
		{"evd modify queue --waitable ~", "true false"},
		{"ep modify ost-7 --qos p", "premium"},
		{"ep disconnect ost-7 --close G", "GRACEFUL"},
		{"change list --cause dat_ep_m", "dat_ep_modify"},
		{"change list --outcome DAT_A", "DAT_ABORT"},
		{"change list --type en", "endpoint"},
		{"ep list --output ~", "table wide name json yaml"},
		{"ep modify ost-7 --labels ~", ""},
		{"ep create --name ~", ""},
		{"ep show ost-7 --url ~", ""},
		{"matrix ~", "events flag_rules groups inputs operations parameters states streams transitions watermark_rules"},
		{"serve --engine ~", "auto verbs soft verbs,soft"},
		{"pz fr", "free"},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			words := strings.Fields(c.line)
			if last := len(words) - 1; words[last] == "~" {
				words[last] = ""
			}
			got, directive := completed(t, words...)
			if c.want != strings.Join(got, " ") || directive != noFiles {
				t.Errorf("completed to %q with %s, want %q with %s", got, directive, c.want, noFiles)
			}
		})
	}
}

func TestCompletionOfAFileIsTheShells(t *testing.T) {
	for _, line := range [][]string{{"batch", ""}, {"lmr", "write", "x", "--file", ""}, {"ep", "list", "--token-file", ""}, {"backup", ""}, {"serve", "--data-dir", ""}} {
		if words, directive := completed(t, line...); len(words) > 0 || directive != files {
			t.Errorf("%q completes to %q with %s", line, words, directive)
		}
	}
}

func TestCompletionOfASilentServiceIsNothing(t *testing.T) {
	t.Setenv("DATAPI_URL", "http://127.0.0.1:1")
	if words, directive := completed(t, "ep", "show", ""); len(words) > 0 || directive != noFiles {
		t.Errorf("completed to %q with %s", words, directive)
	}
}

// The scripts of the shells ask the program itself, so that what it completes is completed in each.
func TestEveryShellsScriptAsksTheProgram(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		status, out, said := command(t, "", "completion", shell)
		if status != exitDone || !strings.Contains(out, "__complete") {
			t.Errorf("%s: status %d, said %q, and %d bytes that ask for nothing", shell, status, said, len(out))
		}
	}
}

func TestEveryFlagOfTheClientIsCompletedByWordsOrFiles(t *testing.T) {
	for _, c := range commands(newRoot(streams{})) {
		if c.Flags().Lookup("url") == nil || c.Name() == "batch" {
			continue
		}
		if c.ValidArgsFunction == nil {
			t.Errorf("the arguments of %s are completed by the names of files", c.CommandPath())
		}
		if !slices.Contains(c.Aliases, "ls") && c.Name() == "list" {
			t.Errorf("%s has no other name ls", c.CommandPath())
		}
	}
}
