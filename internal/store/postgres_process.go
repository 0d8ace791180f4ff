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

// settings are those of a database that shares its machine with the service: small,
// as durable as PostgreSQL is by default, and without TCP.
var settings = []string{
	"listen_addresses=", "port=" + socketPort, "unix_socket_permissions=0700",
	"fsync=on", "synchronous_commit=on", "full_page_writes=on",
	"shared_buffers=64MB", "work_mem=8MB", "max_connections=60",
	"min_wal_size=80MB", "max_wal_size=512MB", "checkpoint_timeout=5min",
	"autovacuum_naptime=20s", "jit=off", "timezone=UTC", "log_timezone=UTC",
	"logging_collector=off", "log_min_messages=warning", "cluster_name=datapi",
}

// supervise runs PostgreSQL, and runs it again when it dies, until Stop. It sends to
// ready when PostgreSQL answers for the first time, or why it never will.
//
// It keeps its thread for as long as there is a child: the kernel sends the
// parent-death signal when the thread that started the child ends.
func (p *Postgres) supervise(ctx context.Context, ready chan<- error) {
	runtime.LockOSThread()
	defer close(p.done)
	defer p.dir.close()
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var retry backoff
	announced := false
	announce := func(ended <-chan struct{}) error {
		err := p.awaitAnswer(ctx, ended)
		if announced = !errors.Is(err, errEnded); announced {
			ready <- err
		}
		return err
	}
	again := func(ended <-chan struct{}) error { return p.awaitAnswer(life, ended) }
	for quick := 0; ; {
		started, answering, limit := time.Now(), again, maxQuickEnds
		if !announced {
			answering, limit = announce, maxFirstEnds
		}
		err := p.runOnce(answering)
		if p.isStopping() {
			return
		}
		if time.Since(started) > quickEnd {
			quick = 0
			retry.reset()
		}
		if quick++; quick >= limit {
			p.giveUp(err, ready)
			return
		}
		p.log.Warn("PostgreSQL ended by itself and is started again", "error", err)
		p.waitOrStop(&retry)
		if err := p.dir.awaitPreviousRun(life, p.log); err != nil {
			p.log.Warn("the former PostgreSQL is still there", "error", err)
		}
	}
}

// giveUp says why PostgreSQL cannot be started, to ready too if that still waits.
func (p *Postgres) giveUp(err error, ready chan<- error) {
	p.log.Error("PostgreSQL cannot be started", "error", err)
	p.mu.Lock()
	p.failure = err
	p.mu.Unlock()
	select {
	case ready <- err:
	default:
	}
}

// waitOrStop waits before the next start, not beyond Stop.
func (p *Postgres) waitOrStop(retry *backoff) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-p.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	retry.sleep(ctx)
}

// errNoStart says that a run of PostgreSQL ended before it answered.
var errNoStart = errors.New("PostgreSQL did not start")

// runOnce starts PostgreSQL and waits for its end. answering waits until it answers,
// or for the channel that is closed at the end.
func (p *Postgres) runOnce(answering func(ended <-chan struct{}) error) error {
	args := []string{"-D", p.dir.cluster, "-c", "unix_socket_directories=" + p.dir.sockets}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	output := &lastLines{log: func(line string) { p.log.Debug("PostgreSQL: " + line) }}
	cmd := exec.Command(p.programs.postgres, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir.cluster, childEnv(), output, output
	cmd.SysProcAttr = p.dir.account.attributes()
	// It has a process group of its own: Ctrl-C is for the service, which stops
	// PostgreSQL last.
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
		return fmt.Errorf("%w: %s", errNoStart, output.String())
	}
	if err == nil {
		return errEnded
	}
	return fmt.Errorf("%w: %w", errEnded, err)
}

// setProcess sets the running postmaster, nil for none.
func (p *Postgres) setProcess(process *os.Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process = process
	if process != nil && p.isStopping() {
		_ = process.Signal(syscall.SIGINT) // Stop came while it was starting
	}
}

// childEnv returns the environment of this process without the variables that
// PostgreSQL would take its settings from.
func childEnv() []string {
	env := []string{"LC_ALL=C"}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PG") && !strings.HasPrefix(kv, "LC_") && !strings.HasPrefix(kv, "DATAPI_") && !strings.HasPrefix(kv, "DATABASE_URL=") {
			env = append(env, kv)
		}
	}
	return env
}

// lastLines is an io.Writer that logs each line and remembers the last maxLines of
// them for an error.
type lastLines struct {
	log func(string)
	mu  sync.Mutex
	// rest is the beginning of a line whose end was not written yet.
	rest  []byte
	lines []string
}

const maxLines = 3

// Write implements io.Writer.
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
			l.lines = append(l.lines[max(0, len(l.lines)-maxLines+1):], text)
		}
	}
}

// String returns the last lines in one.
func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "; ")
}
