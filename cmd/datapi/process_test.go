package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/store"
)

// patience is how long a test waits for anything before it fails.
const patience = time.Minute

// program is the binary that TestMain built.
var program string

func TestMain(m *testing.M) {
	os.Exit(withProgram(m))
}

// withProgram builds the program, runs the tests and removes it.
func withProgram(m *testing.M) int {
	dir, err := os.MkdirTemp("", "datapi-program-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder
	program = filepath.Join(dir, "datapi")
	build := exec.Command("go", "build", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// stateDir is a data directory that the account of PostgreSQL can reach; that of t.TempDir is closed to others.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "datapi-state-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// A PostgreSQL whose service was killed ends by itself, and writes until then.
		eventually(t, "the data are removed", func() bool { return os.RemoveAll(dir) == nil })
	})
	return dir
}

// process is a running program.
type process struct {
	// token is sent with each call, "" for none.
	token  string
	cmd    *exec.Cmd
	base   string // address of the page
	exited chan struct{}
	mu     sync.Mutex
	log    bytes.Buffer
}

// Write takes the program's log.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// begin starts the program; what it prints goes to the returned reader.
func begin(t *testing.T, args ...string) (*process, io.Reader) {
	t.Helper()
	p := &process{cmd: exec.Command(program, args...), exited: make(chan struct{})}
	p.cmd.Stderr = p
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		p.waitFor(t)
		if t.Failed() {
			t.Logf("the program said:\n%s", p.said())
		}
	})
	return p, out
}

// serveIn starts a service on a data directory and waits until it is ready. Without an admin token it asks nobody who they
// are.
func serveIn(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	open := !slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "--admin-token") || strings.HasPrefix(arg, "--open")
	})
	p, out := begin(t, append([]string{"serve", "--listen=127.0.0.1:0", "--node=alpha", "--engine=soft", "--data-dir=" + dir, fmt.Sprint("--open=", open)}, args...)...)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, value, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if name == "page" {
			p.base = strings.TrimSuffix(strings.TrimSpace(value), "/")
		}
		if name == "stop" {
			break
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = p.cmd.Wait() // the state has the outcome
		close(p.exited)
	}()
	if p.base == "" {
		p.waitFor(t)
		t.Fatalf("the service did not start:\n%s", p.said())
	}
	return p
}

// waitFor waits for the end of the program and gives its exit status, -1 after a signal.
func (p *process) waitFor(t *testing.T) int {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		t.Errorf("the program did not end within %s:\n%s", patience, p.said())
		<-p.exited
	}
	return p.cmd.ProcessState.ExitCode()
}

// end sends a signal and gives the exit status.
func (p *process) end(t *testing.T, signal syscall.Signal) int {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	return p.waitFor(t)
}

// object is a decoded answer.
type object map[string]any

// call makes one call of the API; a status of 0 is no answer.
func (p *process) call(method, path string, body any) (int, object, http.Header) {
	data, err := json.Marshal(body)
	if err != nil {
		panic(err) // the tests' own bodies are JSON
	}
	rq, err := http.NewRequest(method, p.base+"/api/v1"+path, bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	if body != nil {
		rq.Header.Set("Content-Type", "application/json")
	} else {
		rq.Body, rq.ContentLength = nil, 0
	}
	if p.token != "" {
		rq.Header.Set("Authorization", "Bearer "+p.token)
	}
	response, err := (&http.Client{Timeout: patience}).Do(rq)
	if err != nil {
		return 0, nil, nil
	}
	defer response.Body.Close()
	answer := object{}
	if data, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, nil
	}
	if len(data) > 0 && json.Unmarshal(data, &answer) != nil {
		return 0, nil, nil
	}
	return response.StatusCode, answer, response.Header
}

// must makes a call that has to succeed.
func (p *process) must(t *testing.T, method, path string, body any) object {
	t.Helper()
	status, answer, _ := p.call(method, path, body)
	if status < 200 || status > 299 {
		t.Fatalf("%s %s: %d %v", method, path, status, answer["detail"])
	}
	return answer
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("after %s still not: %s", patience, what)
		case <-look.C:
		}
	}
}

// database starts a PostgreSQL for the test alone.
func database(t *testing.T, dir string) *store.Postgres {
	t.Helper()
	db, err := store.StartPostgres(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopDatabase(t, db) })
	return db
}

// stopDatabase ends it; a second time does nothing.
func stopDatabase(t *testing.T, db *store.Postgres) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := db.Stop(ctx); err != nil {
		t.Errorf("stop PostgreSQL: %v", err)
	}
}
