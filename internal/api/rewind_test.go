package api

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Promises 1 and 5: an older backup that is put back under a running service ends the streams with 410, and every
// object can be changed without a restart.
func TestAnOlderBackupUnderARunningServiceEndsTheStreams(t *testing.T) {
	r := newRig(t)
	dump, name := filepath.Join(t.TempDir(), "dump"), r.url[strings.LastIndex(r.url, "/")+1:]
	name, _, _ = strings.Cut(name, "?")
	run := func(program string, args ...string) {
		t.Helper()
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
	}
	changed, freed := r.endpoint(ia0), r.endpoint(ia0)
	r.do("PATCH", "/endpoints/"+changed, `{"name":"before"}`).is(200)
	run("pg_dump", "-Fc", "-f", dump, "-d", r.url)
	_, lines, end := r.stream("")
	defer end()
	r.do("PATCH", "/endpoints/"+changed, `{"name":"after"}`).is(200)
	r.do("DELETE", "/endpoints/"+freed, nil).is(204)
	made := r.endpoint(ia1)
	seen := ids(t, lines, 3)
	must(t, administer(t.Context(), "DROP DATABASE "+name+" WITH (FORCE)"))
	must(t, administer(t.Context(), "CREATE DATABASE "+name))
	run("pg_restore", "-d", r.url, dump)

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range lines { // until the stream ends
		}
	}()
	<-ended
	for _, position := range []option{with("Last-Event-ID", seen[2]), with("Last-Event-ID", "1")} {
		response, _, end := r.stream("", position)
		if response.StatusCode != 410 {
			t.Errorf("the stream from there: %d", response.StatusCode)
		}
		end()
	}
	for id, version := range map[string]float64{changed: 5, made: 3} {
		eventually(t, "a write is taken", func() bool { return r.do("PATCH", "/endpoints/"+id, `{"labels":{"a":"b"}}`).status == 200 })
		if got := r.do("GET", "/endpoints/"+id, nil).is(200); got.at("version") != version {
			t.Errorf("afterwards %s", got.body)
		}
	}
	if got := r.do("GET", "/endpoints/"+changed, nil); got.at("name") != "after" {
		t.Errorf("what was acknowledged is lost: %s", got.body)
	}
	r.do("GET", "/endpoints/"+freed, nil).refused(404)
	if items := r.do("GET", "/endpoints", nil).is(200).at("items").([]any); len(items) != 2 {
		t.Errorf("%d endpoints are listed", len(items))
	}
	if items := r.do("GET", "/changes?cause=reconcile&type=endpoint", nil).is(200).at("items").([]any); len(items) != 3 {
		t.Errorf("%d changes of cause reconcile", len(items))
	}
	_, again, end2 := r.stream("?after=0")
	defer end2()
	first := ids(t, again, 1)[0]
	if generation, id, ok := strings.Cut(first, "."); !ok || generation == "0" || id != "1" {
		t.Errorf("the first id is %s", first)
	}
	_, after, end3 := r.stream("?after=" + first)
	defer end3()
	if second := ids(t, after, 1)[0]; !strings.HasSuffix(second, ".2") {
		t.Errorf("after %s comes %s", first, second)
	}
}
