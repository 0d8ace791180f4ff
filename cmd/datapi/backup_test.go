package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/store"
)

// runProgram runs the program to its end and returns its status and both outputs.
func runProgram(t *testing.T, stdin []byte, args ...string) (status int, out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if failed := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(failed)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// wantRun runs the program and fails unless it ends with a status and says something on standard output, or on standard
// error where the status is not 0.
func wantRun(t *testing.T, status int, says string, args ...string) {
	t.Helper()
	got, out, err := runProgram(t, nil, args...)
	said := out
	if status != exitDone {
		said = err
	}
	if got != status || !strings.Contains(said, says) {
		t.Errorf("datapi %s: status %d, said %q and %q; want %d and %q", strings.Join(args, " "), got, out, err, status, says)
	}
	if status == exitRefused && strings.Count(err, "\n") != 1 {
		t.Errorf("datapi %s said more than a line: %q", strings.Join(args, " "), err)
	}
}

// connectedPair makes two endpoints of a service that are connected with each other, and returns their ids.
func connectedPair(t *testing.T, p *process) (caller, callee string) {
	t.Helper()
	make := func(ia, name string) (ep, requests string) {
		pz := p.must(t, "POST", "/pzs", object{"ia": ia})["id"]
		evd := p.must(t, "POST", "/evds", object{"ia": ia, "qlen": 64, "streams": []string{"DTO", "CONNECTION"}})["id"]
		requests = p.must(t, "POST", "/evds", object{"ia": ia, "qlen": 64, "streams": []string{"CR"}})["id"].(string)
		made := p.must(t, "POST", "/endpoints", object{"ia": ia, "name": name, "pz": pz, "recv_evd": evd, "request_evd": evd, "connect_evd": evd})
		return made["id"].(string), requests
	}
	caller, _ = make("soft0@alpha", "caller")
	callee, requests := make("soft1@alpha", "callee")
	p.must(t, "POST", "/psps", object{"ia": "soft1@alpha", "conn_qual": 4711, "evd": requests, "ep_creator": "CONSUMER"})
	address := p.must(t, "GET", "/ias/soft1@alpha", nil)["ia_attributes"].(map[string]any)["ia_address"]
	p.must(t, "POST", "/endpoints/"+caller+"/connect", object{"remote_ia_address": address, "remote_port_qual": 4711})
	var waiting []any
	eventually(t, "the request is there", func() bool {
		waiting = p.must(t, "GET", "/crs", nil)["items"].([]any)
		return len(waiting) > 0
	})
	p.must(t, "POST", "/crs/"+waiting[0].(map[string]any)["id"].(string)+"/accept", object{"endpoint": callee})
	for _, ep := range []string{caller, callee} {
		eventually(t, "the endpoints are connected", func() bool { return p.must(t, "GET", "/endpoints/"+ep, nil)["state"] == "CONNECTED" })
	}
	return caller, callee
}

// changesOf returns all changes of a service, oldest first.
func changesOf(t *testing.T, p *process) (all []object) {
	t.Helper()
	for cursor := ""; ; {
		page := p.must(t, "GET", "/changes?order=asc&limit=1000"+cursor, nil)
		for _, item := range page["items"].([]any) {
			all = append(all, item.(map[string]any))
		}
		if page["next_cursor"] == nil {
			return all
		}
		cursor = "&cursor=" + page["next_cursor"].(string)
	}
}

// Promises 3, 4, 5 and 12
func TestABackupOfARunningServiceStartsElsewhere(t *testing.T) {
	dir, other := stateDir(t), stateDir(t)
	file := filepath.Join(t.TempDir(), "datapi.backup")
	p := serveIn(t, dir)
	caller, callee := connectedPair(t, p)
	const key = "9d8f2d6e"
	first, made := p.withKey(t, key)
	wantRun(t, exitDone, "the log up to change", "backup", "--data-dir="+dir, file)
	want := changesOf(t, p)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v: %v", info.Mode(), err)
	}
	p.must(t, "PATCH", "/endpoints/"+caller, object{"labels": object{"after": "the backup"}})
	wantRun(t, exitRefused, "is in use by another datapi", "restore", "--data-dir="+dir, "--replace", file)

	wantRun(t, exitDone, "start the service now", "restore", "--data-dir="+other, file)
	q := serveIn(t, other)
	got := changesOf(t, q)
	if d := cmp.Diff(want, got[:min(len(want), len(got))]); d != "" {
		t.Errorf("the log differs (-before +restored):\n%s", d)
	}
	var restored []string
	for i, c := range got {
		if c["id"] != float64(i+1) {
			t.Fatalf("change %v is the %dth", c["id"], i+1)
		}
		if i >= len(want) && c["cause"] == "restore" && c["actor"] == "engine" && c["reason"] != nil {
			restored = append(restored, c["object"].(map[string]any)["id"].(string))
		}
	}
	for _, ep := range []string{caller, callee} {
		if now := q.must(t, "GET", "/endpoints/"+ep, nil); now["state"] != "UNCONNECTED" || !slices.Contains(restored, ep) {
			t.Errorf("endpoint %s is %v; a change restore is on %v", ep, now["state"], restored)
		}
		then := q.must(t, "GET", "/endpoints/"+ep+"?as_of="+jsonNumber(want[len(want)-1]["id"]), nil)
		if then["state"] != "CONNECTED" {
			t.Errorf("as of the backup endpoint %s is %v", ep, then["state"])
		}
	}
	// Clients that knew more than the backup must notice it.
	if status, problem, _ := q.call("GET", "/changes/stream?after="+jsonNumber(want[len(want)-1]["id"]), nil); status != http.StatusGone || problem["type"] != "/problems/log-rewound" {
		t.Errorf("a stream from a position of before the restore is answered %d %v", status, problem)
	}
	if status, again := q.withKey(t, key); first != http.StatusCreated || status != first || again["id"] != made["id"] {
		t.Errorf("a retry after the restore is answered %d %v, the first was %d %v", status, again["id"], first, made["id"])
	}
}

// withKey creates a protection zone with an Idempotency-Key.
func (p *process) withKey(t *testing.T, key string) (status int, answer object) {
	t.Helper()
	rq, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.base+"/api/v1/pzs", strings.NewReader(`{"ia":"soft0@alpha","name":"once"}`))
	if err != nil {
		t.Fatal(err)
	}
	rq.Header.Set("Content-Type", "application/json")
	rq.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(rq)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// jsonNumber returns a decoded number as JSON has it.
func jsonNumber(v any) string {
	text, _ := json.Marshal(v) // a number always has one
	return string(text)
}

func TestABackupOfAStoppedServiceGoesIntoAGivenDatabase(t *testing.T) {
	dir, db := stateDir(t), database(t, stateDir(t))
	p := serveIn(t, dir)
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "moved"})["id"].(string)
	if status := p.end(t, syscall.SIGTERM); status != exitDone {
		t.Fatalf("exit status %d after SIGTERM", status)
	}
	status, data, said := runProgram(t, nil, "backup", "--data-dir="+dir, "-")
	if status != exitDone || !strings.Contains(said, "living objects of alpha") {
		t.Fatalf("status %d: %s", status, said)
	}
	if status, out, said := runProgram(t, []byte(data), "restore", "--database-url="+db.URL(), "-"); status != exitDone || said != "" {
		t.Fatalf("status %d: %s%s", status, out, said)
	}
	q := serveIn(t, stateDir(t), "--database-url="+db.URL())
	if now := q.must(t, "GET", "/endpoints/"+ep, nil); now["name"] != "moved" || now["version"] != 1.0 {
		t.Errorf("the endpoint is %v", now)
	}
	file := filepath.Join(t.TempDir(), "given.backup")
	wantRun(t, exitDone, "living objects of alpha", "backup", "--database-url="+db.URL(), file)
	wantRun(t, exitRefused, "a service uses the database (node alpha)", "restore", "--database-url="+db.URL(), "--replace", file)
	q.end(t, syscall.SIGTERM)
	wantRun(t, exitRefused, "would be lost", "restore", "--database-url="+db.URL(), file)
	wantRun(t, exitDone, "given up: ", "restore", "--database-url="+db.URL(), "--replace", file)
}

func TestBackupAndRestoreSayInOneLineWhatTheyCannotDo(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no backup"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRun(t, exitUsage, "accepts 1 arg", "backup")
	wantRun(t, exitUsage, "accepts 1 arg", "restore")
	wantRun(t, exitUsage, "give one", "backup", "--database-url=postgres://a/b", "--data-dir="+dir, text)
	wantRun(t, exitRefused, "there is no private PostgreSQL in", "backup", "--data-dir="+filepath.Join(dir, "none"), text)
	wantRun(t, exitRefused, "no backup of datapi", "restore", "--data-dir="+filepath.Join(dir, "none"), text)
	wantRun(t, exitRefused, "no such file", "restore", "--data-dir="+filepath.Join(dir, "none"), filepath.Join(dir, "missing"))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	for _, file := range []struct{ name, text string }{{name, "first"}, {link, "second"}} {
		if _, err := writeWhole(file.name, writing(file.text, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := writeWhole(name, writing("half", os.ErrDeadlineExceeded)); err == nil {
		t.Error("a failure was not returned")
	}
	data, err := os.ReadFile(name)
	if err != nil || string(data) != "second" {
		t.Errorf("the file has %q, %v", data, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for _, device := range []string{"/dev/null", dir} {
		if _, err := writeWhole(device, writing("text", nil)); err == nil {
			t.Errorf("%s was replaced by a file", device)
		}
	}
}

// writing returns a function that writes a text and then fails.
func writing(text string, failure error) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		return failure
	}
}

// The examples of the help are carried out, with files and a database that are there.
func TestTheExamplesOfBackupAndRestoreRun(t *testing.T) {
	dir, db, files := stateDir(t), database(t, stateDir(t)), t.TempDir()
	serveIn(t, dir).end(t, syscall.SIGTERM)
	serveIn(t, stateDir(t), "--database-url="+db.URL()).end(t, syscall.SIGTERM)
	script := "cd " + files + "\nexport DATAPI_DATA_DIR=" + dir + "\nssh() { sh -c \"$2\"; }\n"
	script += newBackup().Example + "\nexport DATAPI_DATA_DIR=" + stateDir(t) + "\n" + newRestore().Example
	for from, to := range map[string]string{
		"/var/backups/datapi.backup": "private.backup", "postgres://datapi@db/datapi": "'" + db.URL() + "'", "  datapi ": "  " + program + " ",
	} {
		if !strings.Contains(script, from) {
			t.Errorf("no example has %s", from)
		}
		script = strings.ReplaceAll(script, from, to)
	}
	if out, err := exec.CommandContext(t.Context(), "bash", "-euxo", "pipefail", "-c", script).CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Promise 12
func TestMigrateDownSaysFirstWhatItDeletes(t *testing.T) {
	db := database(t, stateDir(t))
	p := serveIn(t, stateDir(t), "--database-url="+db.URL())
	p.withKey(t, "a-key")
	p.end(t, syscall.SIGTERM)
	_, newest, err := store.MigrateVersion(t.Context(), db.URL())
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"migrate", "--database-url=" + db.URL(), "down", strconv.FormatUint(uint64(newest), 10)}
	for _, dry := range []bool{true, false} {
		args := all
		if dry {
			args = append(args, "--dry-run")
		}
		status, out, said := runProgram(t, nil, args...)
		if dry {
			said = out
		}
		if status != exitDone || !strings.Contains(said, "the table kept with 1 rows") || !strings.Contains(said, "the table objects with ") {
			t.Errorf("%v: status %d, %q", args, status, said)
		}
	}
	if _, out, _ := runProgram(t, nil, "migrate", "--database-url="+db.URL(), "down", "1"); out != "" {
		t.Errorf("below nothing: %q", out)
	}
}
