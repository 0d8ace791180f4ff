package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// settings are those of a database that shares its machine with the service: small,
// as durable as PostgreSQL is by default, and without TCP. It ends when one of its
// processes crashes, as its own next start would come without a pause and without a
// reason that can be told: supervise has both.
var settings = []string{
	"listen_addresses=", "port=" + socketPort, "unix_socket_permissions=0700",
	"fsync=on", "synchronous_commit=on", "full_page_writes=on", "restart_after_crash=off",
	"shared_buffers=64MB", "work_mem=8MB", "max_connections=60",
	"min_wal_size=80MB", "max_wal_size=512MB", "checkpoint_timeout=5min",
	"autovacuum_naptime=20s", "jit=off", "timezone=UTC", "log_timezone=UTC",
	"logging_collector=off", "log_min_messages=warning", "cluster_name=datapi",
}

const (
	// outputDelay is how long the end of a run waits for the ends of the processes that
	// share its output: those of a killed postmaster hold it a little longer.
	outputDelay = time.Second
	// directoryCheck is the interval at which it is looked whether a running PostgreSQL
	// still has its data.
	directoryCheck = 5 * time.Second
	// repeatedLog is the time in which the same reason is not logged again.
	repeatedLog = time.Minute
)

// supervise runs PostgreSQL, and runs it again whenever it ends, until Stop. It ends
// by itself only if there is no cluster to run any more, or if the first starts fail.
// It sends to ready when PostgreSQL answers for the first time, or why it does not.
//
// It keeps its thread for as long as there is a child: the kernel sends the
// parent-death signal when the thread that started the child ends.
func (p *Postgres) supervise(ctx context.Context, ready chan<- error) {
	runtime.LockOSThread()
	defer close(p.done)
	defer p.stop()
	defer p.dir.close()
	var retry backoff
	var quiet quietLog
	announced, answering := false, ctx
	for attempt := 1; ; attempt++ {
		started := time.Now()
		err := p.runOnce(answering, func(err error) {
			if !announced && !errors.Is(err, errEnded) {
				announced, answering = true, p.life
				ready <- err
			}
		})
		if p.life.Err() != nil {
			p.dir.killProcesses()
			return
		}
		if gone := p.dir.checkUsable(p.programs.major); gone != nil {
			p.giveUp(gone, ready)
			return
		}
		if !announced && attempt >= maxFirstEnds {
			p.giveUp(err, ready)
			return
		}
		if time.Since(started) > quickEnd {
			retry.reset()
		}
		p.setDown(err)
		quiet.warn(p.log, "PostgreSQL ended by itself and is started again", err)
		p.awaitNextStart(&retry)
	}
}

// giveUp says why PostgreSQL cannot be started, to ready too if that still waits.
func (p *Postgres) giveUp(err error, ready chan<- error) {
	p.dir.killProcesses()
	p.setDown(err)
	p.mu.Lock()
	p.failure = err
	p.mu.Unlock()
	select {
	case ready <- err:
	default:
	}
}

// awaitNextStart waits before the next start, not beyond Stop: for a while, and until
// what is left of the last run has ended. It ends that itself if it does not.
func (p *Postgres) awaitNextStart(retry *backoff) {
	if !retry.sleep(p.life) {
		return
	}
	if err := p.dir.awaitPreviousRun(p.life, p.log); err != nil && p.life.Err() == nil {
		p.log.Warn("what was left of the former PostgreSQL does not end and is killed", "error", err)
		p.dir.killProcesses()
	}
	// The programs may have been updated or removed and installed again.
	if found, err := findPrograms(p.programs.major); err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.programs = found
	}
}

// quietLog logs the same reason once in repeatedLog only.
type quietLog struct {
	reason string
	at     time.Time
}

// warn logs an error, unless it was logged shortly before.
func (q *quietLog) warn(log *slog.Logger, message string, err error) {
	if reason := err.Error(); reason != q.reason || time.Since(q.at) > repeatedLog {
		q.reason, q.at = reason, time.Now()
		log.Warn(message, "error", err)
	}
}

// errNoStart says that a run of PostgreSQL ended before it answered.
var errNoStart = errors.New("PostgreSQL did not start")

// endedRun is the end of a run of PostgreSQL that has answered, or a start that failed.
type endedRun struct {
	error
	// reason is what PostgreSQL said last before it ended, or how it ended.
	reason string
}

func (e *endedRun) Unwrap() error { return e.error }

// runOnce starts PostgreSQL and waits for its end. answered is called when it answers,
// with nil, or with why that was not waited for any longer: ctx has ended, or the run.
func (p *Postgres) runOnce(ctx context.Context, answered func(error)) error {
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
	cmd.WaitDelay = outputDelay
	if err := cmd.Start(); err != nil {
		return &endedRun{fmt.Errorf("%w: %w", errNoStart, err), "the program cannot be started: " + err.Error()}
	}
	p.setProcess(cmd.Process)
	run, end := context.WithCancel(ctx)
	ended, outcome := make(chan struct{}), make(chan bool, 1)
	go func() {
		err := p.awaitAnswer(run, ended)
		if err == nil {
			p.setUp()
		}
		answered(err)
		outcome <- err == nil
		p.watchDirectory(ended)
		close(outcome)
	}()
	err := cmd.Wait()
	p.setProcess(nil)
	close(ended)
	end()
	wasUp := <-outcome
	<-outcome // watchDirectory has ended
	var exit *exec.ExitError
	switch {
	case !wasUp:
		return &endedRun{fmt.Errorf("%w: %s", errNoStart, output.String()), output.reason()}
	case err == nil:
		return &endedRun{errEnded, "it was shut down"}
	case errors.As(err, &exit) && exit.Exited() && output.lastFatal() != "":
		return &endedRun{fmt.Errorf("%w: %w", errEnded, err), output.lastFatal()}
	}
	return &endedRun{fmt.Errorf("%w: %w", errEnded, err), "it ended by itself (" + err.Error() + ")"}
}

// watchDirectory ends PostgreSQL if it has lost its data, which it notices late itself.
// It returns when the run has ended.
func (p *Postgres) watchDirectory(ended <-chan struct{}) {
	t := time.NewTicker(directoryCheck)
	defer t.Stop()
	for {
		select {
		case <-ended:
			return
		case <-t.C:
			if p.dir.checkUsable(p.programs.major) != nil {
				p.signal(syscall.SIGQUIT)
			}
		}
	}
}

// setProcess sets the running postmaster, nil for none.
func (p *Postgres) setProcess(process *os.Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process = process
	if process != nil && p.life.Err() != nil {
		_ = process.Signal(syscall.SIGINT) // Stop came while it was starting
	}
}

// setUp notes that PostgreSQL answers.
func (p *Postgres) setUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = PostgresState{Up: true, Since: time.Now()}
}

// setDown notes that a run has ended, or that a start has failed.
func (p *Postgres) setDown(err error) {
	reason := err.Error()
	if run := (*endedRun)(nil); errors.As(err, &run) && run.reason != "" {
		reason = run.reason
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.Up {
		p.state = PostgresState{Since: time.Now()}
	}
	p.state.Attempts++
	p.state.Reason = reason
}

// childEnv returns the environment of this process without the variables that
// PostgreSQL would take its settings from, and those that are this process's alone.
func childEnv() []string {
	foreign := []string{"PG", "LC_", "DATAPI_", "DATABASE_URL=", "NOTIFY_SOCKET="}
	env := []string{"LC_ALL=C"}
	for _, kv := range os.Environ() {
		if !slices.ContainsFunc(foreign, func(prefix string) bool { return strings.HasPrefix(kv, prefix) }) {
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
	// fatal is the last message of an error that ended a process of PostgreSQL.
	fatal string
}

const (
	maxLines = 3
	// maxEndReason bounds a reason that is shown to clients, in bytes.
	maxEndReason = 200
)

// fatalMessage matches a line that says why PostgreSQL, or a process of it, has ended;
// not the refusal of a client while it starts or stops.
var fatalMessage = regexp.MustCompile(`(?:FATAL|PANIC): +(.*)`)

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
			if m := fatalMessage.FindStringSubmatch(text); m != nil && !strings.HasPrefix(m[1], "the database system is ") {
				l.fatal = m[1]
			}
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

// lastFatal returns the last message of an error that ended a process of PostgreSQL,
// empty if there was none.
func (l *lastLines) lastFatal() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cutAt(l.fatal, maxEndReason)
}

// reason returns why PostgreSQL did not start, in its own words.
func (l *lastLines) reason() string {
	if fatal := l.lastFatal(); fatal != "" {
		return fatal
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == 0 {
		return "it ended without a word"
	}
	return cutAt(l.lines[len(l.lines)-1], maxEndReason)
}
