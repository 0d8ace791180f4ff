package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// exampleScene is a service with the objects that the examples of the help speak of, and a database for those that need
// one of their own.
type exampleScene struct {
	*process
	dir         string
	environment []string
	making      []object // operations of a batch
}

// newExampleScene starts a service as the node alpha, on a database that a node beta has used and left.
func newExampleScene(t *testing.T) *exampleScene {
	t.Helper()
	db := database(t, stateDir(t))
	gone := serveIn(t, stateDir(t), "--node=beta", "--engine=auto", "--soft-ias=0", "--database-url="+db.URL())
	if status := gone.end(t, syscall.SIGTERM); status != exitDone {
		t.Fatalf("the node beta ended with status %d", status)
	}
	const token = "a-token-of-more-than-16"
	s := &exampleScene{process: serveIn(t, stateDir(t), "--database-url="+db.URL(), "--admin-token="+token), dir: t.TempDir()}
	s.token = token
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "datapi")); err != nil {
		t.Fatal(err)
	}
	s.environment = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "DATAPI_URL="+s.base, "DATAPI_TOKEN="+token, "DATABASE_URL="+db.URL(), "DATAPI_LISTEN="+strings.TrimPrefix(s.base, "http://"))
	return s
}

// clear frees what lives. That of an adapter's own EVD is refused, and the peer of a request may be gone.
func (s *exampleScene) clear(t *testing.T) {
	t.Helper()
	for path, name := range map[string]string{"/tokens": "id", "/users": "name"} {
		for _, item := range s.must(t, "GET", path, nil)["items"].([]any) {
			s.must(t, "DELETE", path+"/"+item.(map[string]any)[name].(string), nil)
		}
	}
	var operations []object
	for _, path := range []string{"/crs", "/rsps", "/psps", "/endpoints", "/rmrs", "/lmrs", "/srqs", "/evds", "/pzs"} {
		for _, item := range s.must(t, "GET", path+"?limit=1000", nil)["items"].([]any) {
			one := path + "/" + item.(map[string]any)["id"].(string)
			if path == "/crs" {
				operations = append(operations, object{"method": "POST", "path": one + "/reject", "body": object{}})
			} else {
				operations = append(operations, object{"method": "DELETE", "path": one})
			}
		}
	}
	if operations != nil {
		s.must(t, "POST", "/batch", object{"operations": operations})
	}
}

// set frees what lives and makes the scene: an endpoint of each kind that the examples act on.
func (s *exampleScene) set(t *testing.T) {
	t.Helper()
	s.clear(t)
	s.must(t, "POST", "/tokens", object{"name": "backup-job", "role": "viewer"})
	s.must(t, "POST", "/users", object{"name": "kim", "role": "operator"})
	s.must(t, "POST", "/session", object{"token": s.token})
	id := func(method, path string, body object) string {
		t.Helper()
		s.making = append(s.making, object{"method": method, "path": path, "body": body})
		return fmt.Sprintf("$%d.id", len(s.making)-1)
	}
	var zone, queue, requests [2]string
	for i, ia := range []string{"soft0@alpha", "soft1@alpha"} {
		n := string(rune('0' + i))
		zone[i] = id("POST", "/pzs", object{"ia": ia, "name": "zone-" + n})
		queue[i] = id("POST", "/evds", object{"ia": ia, "name": "queue-" + n, "qlen": 64, "streams": []string{"DTO", "CONNECTION", "RMR_BIND"}})
		requests[i] = id("POST", "/evds", object{"ia": ia, "name": "requests-" + n, "qlen": 64, "streams": []string{"CR"}})
	}
	endpoint := func(name string, i int) string {
		return id("POST", "/endpoints", object{
			"ia": "soft" + string(rune('0'+i)) + "@alpha", "name": name, "labels": object{"app": "lustre"},
			"pz": zone[i], "recv_evd": queue[i], "request_evd": queue[i], "connect_evd": queue[i],
		})
	}
	memory := []string{"LOCAL_READ", "LOCAL_WRITE", "REMOTE_READ", "REMOTE_WRITE"}
	for name, i := range map[string]int{"buffer": 0, "spare-buffer": 0, "target": 1} {
		id("POST", "/lmrs", object{"ia": "soft" + string(rune('0'+i)) + "@alpha", "pz": zone[i], "name": name, "length": 4096, "privileges": memory})
	}
	id("POST", "/pzs", object{"ia": "soft0@alpha", "name": "spare-zone"})
	id("POST", "/evds", object{"ia": "soft0@alpha", "name": "spare-queue", "qlen": 8, "streams": []string{"DTO"}})
	id("POST", "/evds", object{"ia": "soft0@alpha", "name": "soft-events", "qlen": 8, "streams": []string{"SOFTWARE"}})
	id("POST", "/srqs", object{"ia": "soft0@alpha", "pz": zone[0], "name": "pool", "max_recv_dtos": 32, "max_recv_iov": 4})
	id("POST", "/rmrs", object{"ia": "soft0@alpha", "pz": zone[0], "name": "window"})
	mds := id("POST", "/psps", object{"ia": "soft1@alpha", "name": "mds", "conn_qual": 4711, "evd": requests[1], "ep_creator": "CONSUMER"})
	id("POST", "/psps", object{"ia": "soft1@alpha", "name": "mds-2", "conn_qual": 4712, "evd": requests[1], "ep_creator": "CONSUMER"})
	id("POST", "/rsps", object{"ia": "soft1@alpha", "name": "rebuild", "conn_qual": 5000, "endpoint": endpoint("reserved", 1), "evd": requests[1]})
	endpoint("ost-7", 0)
	endpoint("ost-8", 1)
	client, server, refused, waiting := endpoint("client", 0), endpoint("server", 1), endpoint("ost-9", 0), endpoint("waiting", 0)
	s.make(t, &mds, &client, &server, &refused, &waiting)

	there := s.must(t, "GET", "/ias/soft1@alpha?ia_attributes=ia_address", nil)["ia_attributes"].(map[string]any)["ia_address"]
	connect := func(ep string, qual int) {
		t.Helper()
		s.must(t, "POST", "/endpoints/"+ep+"/connect", object{"remote_ia_address": there, "remote_port_qual": qual})
	}
	state := func(ep string) any { return s.must(t, "GET", "/endpoints/"+ep+"/status", nil)["state"] }
	request := func() (cr string) {
		t.Helper()
		eventually(t, "the connection is asked for", func() bool {
			items := s.must(t, "GET", "/crs?psp="+mds, nil)["items"].([]any)
			if len(items) > 0 {
				cr = items[0].(map[string]any)["id"].(string)
			}
			return cr != ""
		})
		return cr
	}
	s.must(t, "POST", "/endpoints/"+server+"/recvs", object{"count": 8, "size": 4096})
	connect(client, 4711)
	s.must(t, "POST", "/crs/"+request()+"/accept", object{"endpoint": server})
	eventually(t, "two endpoints are connected", func() bool { return state(client) == "CONNECTED" && state(server) == "CONNECTED" })
	connect(refused, 9)
	eventually(t, "an endpoint is refused", func() bool { return state(refused) == "DISCONNECTED" })
	connect(waiting, 4711)
	request()
}

// make makes in one batch what was collected, and puts ids in place of references to it.
func (s *exampleScene) make(t *testing.T, references ...*string) {
	t.Helper()
	results := s.must(t, "POST", "/batch", object{"atomic": true, "operations": s.making})["results"].([]any)
	s.making = nil
	for _, reference := range references {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(*reference, "$"), ".id"))
		if err != nil {
			t.Fatal(err)
		}
		*reference = results[n].(map[string]any)["body"].(map[string]any)["id"].(string)
	}
}

// commands returns a command and all below it.
func commands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		all = append(all, commands(below)...)
	}
	return all
}

// examplesOfFiles are the commands whose examples TestTheExamplesOfBackupAndRestoreRun runs.
var examplesOfFiles = []string{"backup", "restore"}

// Each command's help has an example, and each example does what it says, in a service with the objects that it names.
func TestEveryExampleOfTheHelpRuns(t *testing.T) {
	s := newExampleScene(t)
	all := commands(newRoot(streams{strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}}))
	changed := true
	for _, c := range all {
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		if c.HasSubCommands() || slices.Contains(examplesOfFiles, c.Name()) {
			continue // the example is that of a command below it, or names several
		}
		t.Run(c.CommandPath(), func(t *testing.T) {
			if changed {
				s.set(t)
			}
			s.run(t, c)
			changed = c.Flags().Lookup("reason") != nil // only writes have it
		})
	}
}

// run runs the lines of an example: those that end by themselves as one script, one that goes on until it shows something.
func (s *exampleScene) run(t *testing.T, c *cobra.Command) {
	t.Helper()
	environment := s.environment
	if c.Name() == "serve" {
		without := func(v string) bool { return strings.HasPrefix(v, "DATABASE_URL=") }
		environment = append(slices.DeleteFunc(slices.Clone(environment), without), "DATAPI_DATA_DIR="+stateDir(t), "DATAPI_ENGINE=soft")
	}
	lines := strings.Split(strings.ReplaceAll(c.Example, "\n  ", "\n"), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	endless := strings.HasSuffix(last, " --watch") || c.Name() == "serve"
	if endless {
		lines = lines[:len(lines)-1]
	}
	script := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.Join(lines, "\n"))
	script.Dir, script.Env = s.dir, environment
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("the example\n%s\nfails (%v):\n%s", c.Example, err, out)
	}
	if !endless {
		return
	}
	on := exec.CommandContext(t.Context(), "bash", "-c", "exec "+last)
	on.Dir, on.Env = s.dir, environment
	out, err := on.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := on.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Errorf("%s shows nothing", last)
	}
	if err := on.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if err := on.Wait(); err != nil {
		t.Errorf("%s: %v after an interrupt", last, err)
	}
}
