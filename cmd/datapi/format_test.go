package main

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAnswersComeInTheFormatThatIsAskedFor(t *testing.T) {
	const zone = `{"id":"1","name":"zone","ia":"soft0@a","labels":{"app":"lustre","tier":"ost"},"version":2,"big":9007199254740993,
		"word":"true","many":"a\nb","none":null,"list":[],"created_at":"then"}`
	cases := []struct {
		line, body, out string
	}{
		{"pz show ID -o wide", zone, "ID  NAME  IA       VERSION  CREATED_AT  UPDATED_AT  LABELS\n1   zone  soft0@a  2        then        -           app=lustre,tier=ost\n"},
		{"pz show ID -o wide --no-headers", zone, "1  zone  soft0@a  2  then  -  app=lustre,tier=ost\n"},
		{"pz show ID -o name", zone, "zone\n"},
		{"pz show ID -o yaml", zone, "id: \"1\"\nname: zone\nia: soft0@a\nlabels:\n  app: lustre\n  tier: ost\nversion: 2\nbig: 9007199254740993\n" +
			"word: \"true\"\nmany: |-\n  a\n  b\nnone: null\nlist: []\ncreated_at: then\n"},
		{"pz list -o name", `{"items":[` + zone + `,{"id":"2","name":null}]}`, "zone\n2\n"},
		{"pz list -o wide --fields name", `{"items":[` + zone + `]}`, "NAME\nzone\n"},
		{"pz create --ia soft0@a --name zone", zone, "pz zone created (version 2, id 1)\n"},
		{"pz create --ia soft0@a", `{"id":"1","name":null,"version":1}`, "pz 1 created (version 1)\n"},
		{"pz create --ia soft0@a --name zone -o name", zone, "zone\n"},
		{"pz create --ia soft0@a --dry-run --name zone", zone, "pz zone created (version 2) (dry run)\n"},
		{"psp create --ia soft0@a --evd ID", `{"id":"1","conn_qual":4711,"version":1}`, "psp 1 created (conn qual 4711, version 1)\n"},
		{"ep post-recv ID --size 8 --count 4", `{"posted":4,"cookies":["a"]}`, "ep ID: 4 posted\n"},
		{"ep post-recv ID --size 8 -o name", `{"posted":4,"cookies":["a"]}`, "ID\n"},
		{"ep reset ID", `{"id":"1","name":"ost-7","state":"UNCONNECTED","version":3}`, "ep ost-7 is UNCONNECTED (version 3)\n"},
		{"ep modify ID --max-recv-dtos 4", `{"id":"1","name":"ost-7","state":"UNCONNECTED","version":3}`, "ep ost-7 modified (UNCONNECTED, version 3)\n"},
		{"ep free ID", "", "ep ID freed\n"},
		{"node retire alpha --reason burnt", "", "node alpha retired\n"},
		{"node retire alpha --reason burnt -o json", "", ""},
		{"retention set --age 30d", `{"age":"30d","set_by":"a"}`, "retention set (age 30d)\n"},
		{"whoami", `{"name":"bob","role":"operator"}`, "name  bob\nrole  operator\n"},
		{"matrix flag_rules", `{"flag_rules":[{"rule":"R1","text":"One flag."}]}`, "RULE  TEXT\nR1    One flag.\n"},
		{"matrix flag_rules -o name", `{"flag_rules":[{"rule":"R1","text":"One flag."}]}`, "R1\n"},
		{"matrix flag_rules -o yaml", `{"flag_rules":[{"rule":"R1","text":"One flag."}]}`, "- rule: R1\n  text: One flag.\n"},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			url, _ := fakeService(t, http.StatusOK, c.body)
			status, out, said := command(t, "", append(strings.Fields(strings.ReplaceAll(c.line, "ID", anID)), "--url", url)...)
			if want := strings.ReplaceAll(c.out, "ID:", anID+":"); status != exitDone || out != want && out != strings.ReplaceAll(c.out, "ID", anID) {
				t.Errorf("status %d, printed\n%s\nsaid %q; want\n%s", status, out, said, want)
			}
		})
	}
}

func TestAnEmptyListSaysSoBesideTheOutput(t *testing.T) {
	url, _ := fakeService(t, http.StatusOK, `{"items":[],"next_cursor":null,"total":0}`)
	status, out, said := command(t, "", "ep", "list", "--total", "--url", url)
	if status != exitDone || out != "" || said != "no endpoints\n0 in all\n" {
		t.Errorf("status %d, printed %q, said %q", status, out, said)
	}
}

func TestARefusalIsSaidOnce(t *testing.T) {
	const problem = `{"title":"The request is not valid","status":422,"detail":"body.qlen: expected integer; body.streams: too few.","errors":[
		{"location":"body.qlen","message":"expected integer"},{"location":"body.streams","message":"too few"},{"location":"body.name","message":"is taken"}]}`
	url, _ := fakeService(t, http.StatusUnprocessableEntity, problem)
	_, _, said := command(t, "", "evd", "create", "--ia", "a@b", "--qlen", "1", "--streams", "DTO", "--url", url)
	if want := "datapi: body.qlen: expected integer; body.streams: too few.\n  body.name: is taken\n"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
}

func TestTimesAreReadAsPeopleWriteThem(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for word, want := range map[string]string{
		"2026-01-31T12:00:00+01:00": "2026-01-31T12:00:00+01:00", "2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31 08:30": "2026-01-31T08:30:00Z",
		"90m": "2026-03-01T10:30:00Z", "-2h": "2026-03-01T10:00:00Z", "1d": "2026-02-28T12:00:00Z", "1042": "1042", "0s": "2026-03-01T12:00:00Z",
	} {
		if got, err := momentOf(word, now); got != want || err != nil {
			t.Errorf("%s is %q, %v; want %q", word, got, err, want)
		}
	}
	for _, word := range []string{"yesterday", "", "-", "2026-13-01", "d"} {
		if got, err := momentOf(word, now); err == nil {
			t.Errorf("%q is %q", word, got)
		}
	}
}
