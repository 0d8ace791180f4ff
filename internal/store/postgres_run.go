package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// settings are those of a database that shares its machine with the service:
// small, and as durable as PostgreSQL is by default. No TCP.
var settings = []string{
	"listen_addresses=", "port=" + socketPort, "unix_socket_permissions=0700",
	"fsync=on", "synchronous_commit=on", "full_page_writes=on",
	"shared_buffers=64MB", "work_mem=8MB", "max_connections=60",
	"min_wal_size=80MB", "max_wal_size=512MB", "checkpoint_timeout=5min",
	"autovacuum_naptime=20s", "jit=off", "timezone=UTC", "log_timezone=UTC",
	"logging_collector=off", "log_min_messages=warning", "cluster_name=datapi",
}

// supervise runs PostgreSQL and runs it again when it dies, until Stop. The first
// outcome goes to ready.
//
// The thread is locked for as long as there is a child: the kernel sends the
// parent-death signal when the thread that started the child ends.
func (p *Postgres) supervise(ctx context.Context, ready chan<- error) {
	runtime.LockOSThread()
	defer close(p.done)
	defer p.place.close()
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var wait backoff
	announced := false
	announce := func(ended <-chan struct{}) error {
		err := p.answers(ctx, ended)
		if announced = !errors.Is(err, errEnded); announced {
			ready <- err
		}
		return err
	}
	again := func(ended <-chan struct{}) error { return p.answers(life, ended) }
	for quick := 0; ; {
		started, answering, most := time.Now(), again, quickEndsMost
		if !announced {
			answering, most = announce, firstEndsMost
		}
		err := p.runOnce(answering)
		if p.isStopping() {
			return
		}
		if time.Since(started) > quickEnd {
			quick = 0
			wait.reset()
		}
		if quick++; quick >= most {
			p.fail(err, ready)
			return
		}
		p.log.Warn("PostgreSQL ended by itself and is started again", "error", err)
		p.waitOrStop(&wait)
		if err := p.place.awaitFormer(life, p.log); err != nil {
			p.log.Warn("the former PostgreSQL is still there", "error", err)
		}
	}
}

func (p *Postgres) fail(err error, ready chan<- error) {
	p.log.Error("PostgreSQL cannot be started", "error", err)
	p.mu.Lock()
	p.failure = err
	p.mu.Unlock()
	select {
	case ready <- err:
	default:
	}
}

// waitOrStop waits before the next start.
func (p *Postgres) waitOrStop(wait *backoff) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-p.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	wait.sleep(ctx)
}

// errNoStart says that PostgreSQL ended before it ever answered.
var errNoStart = errors.New("PostgreSQL did not start")

// runOnce starts PostgreSQL and waits for its end.
func (p *Postgres) runOnce(answering func(ended <-chan struct{}) error) error {
	args := []string{"-D", p.place.cluster, "-c", "unix_socket_directories=" + p.place.sockets}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	said := &lastLines{log: func(line string) { p.log.Debug("PostgreSQL: " + line) }}
	cmd := exec.Command(p.programs.postgres, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.place.cluster, childEnv(), said, said
	cmd.SysProcAttr = p.place.account.attributes()
	// A group of its own: Ctrl-C is for the service, which stops PostgreSQL last.
	cmd.SysProcAttr.Pdeathsig, cmd.SysProcAttr.Setpgid = syscall.SIGINT, true
	// Backends of a killed postmaster may hold the pipe a little longer.
	cmd.WaitDelay = quickEnd
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", errNoStart, err)
	}
	p.setProcess(cmd.Process)
	ended, outcome := make(chan struct{}), make(chan error, 1)
	go func() { outcome <- answering(ended) }()
	err := cmd.Wait()
	p.setProcess(nil)
	close(ended)
	if <-outcome != nil {
		return fmt.Errorf("%w: %s", errNoStart, said.String())
	}
	if err == nil {
		return errEnded
	}
	return fmt.Errorf("%w: %w", errEnded, err)
}

func (p *Postgres) setProcess(process *os.Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process = process
	if process != nil && p.isStopping() {
		_ = process.Signal(syscall.SIGINT) // Stop came while it was starting
	}
}

// childEnv is our environment without what would move PostgreSQL elsewhere.
func childEnv() []string {
	env := []string{"LC_ALL=C"}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PG") && !strings.HasPrefix(kv, "LC_") && !strings.HasPrefix(kv, "DATAPI_") && !strings.HasPrefix(kv, "DATABASE_URL=") {
			env = append(env, kv)
		}
	}
	return env
}

// lastLines hands each line on and keeps the last few, for an error.
type lastLines struct {
	log  func(string)
	mu   sync.Mutex
	rest []byte
	kept []string
}

const linesKept = 3

func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		l.rest = rest
		if text := strings.TrimSpace(string(line)); text != "" {
			l.log(text)
			l.kept = append(l.kept[max(0, len(l.kept)-linesKept+1):], text)
		}
	}
}

func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.kept, "; ")
}
