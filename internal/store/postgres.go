package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// readyPoll is the interval at which a starting PostgreSQL is asked whether it answers.
	readyPoll = 20 * time.Millisecond
	// quickEnd is the length of a run that counts as a failed start: after a longer one
	// the next start is tried without a wait.
	quickEnd = 5 * time.Second
	// maxFirstEnds is how many failed starts in a row make a start of the service fail,
	// before PostgreSQL has answered for the first time: backends of a killed run are gone
	// soon, and any other reason stays. Later it is started again for ever.
	maxFirstEnds = 5
	// killDelay is what Stop leaves PostgreSQL for an immediate end before it kills it.
	killDelay = 2 * time.Second
)

// Postgres is the private PostgreSQL of a service that was given no database. It is a
// direct child on a Unix socket that only this service can reach; it is started again
// whenever it ends, and ends with the service. Its methods may be called from several
// goroutines.
type Postgres struct {
	dir *clusterFiles
	log *slog.Logger
	// life ends with Stop, which calls stop; done is closed when PostgreSQL is down for
	// good.
	life context.Context
	stop context.CancelFunc
	done chan struct{}

	mu sync.Mutex
	// programs are written by supervise alone, under mu.
	programs programs
	// process is the running postmaster, nil if there is none.
	process *os.Process
	state   PostgresState
	// killed means that Stop had to end it at once.
	killed bool
	// failure is why PostgreSQL cannot be started again.
	failure error
}

// PostgresState is what is known of a private PostgreSQL's process.
type PostgresState struct {
	// Up means that it answered after its last start and has not ended since.
	Up bool
	// Since is when Up became what it is.
	Since time.Time
	// Attempts counts the starts since it was up last; 0 while it is.
	Attempts int
	// Reason is why it ended, or why the last start failed, in plain words; empty while
	// it is up.
	Reason string
}

// StartPostgres prepares the data directory, starts PostgreSQL in it and returns when
// it answers. Each error is one line that names the remedy.
func StartPostgres(ctx context.Context, dataDir string, log *slog.Logger) (*Postgres, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	dir, err := openClusterFiles(dataDir, log)
	if err != nil {
		return nil, err
	}
	p := &Postgres{dir: dir, log: log, done: make(chan struct{}), state: PostgresState{Since: time.Now()}}
	p.life, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := p.prepare(ctx); err != nil {
		p.stop()
		dir.close()
		return nil, err
	}
	ready := make(chan error, 1)
	go p.supervise(ctx, ready)
	if err := <-ready; err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), quickEnd)
		defer cancel()
		_ = p.Stop(stop) // its error is the one that is returned
		return nil, err
	}
	return p, nil
}

// prepare finds the programs, and makes the cluster if there is none or waits for the
// end of its previous run.
func (p *Postgres) prepare(ctx context.Context) error {
	version, err := p.dir.clusterVersion()
	if err != nil {
		return err
	}
	if p.programs, err = findPrograms(version); err != nil {
		return err
	}
	if version == "" {
		return p.dir.initCluster(ctx, p.programs)
	}
	if err := p.dir.checkOwner(); err != nil {
		return err
	}
	return p.dir.awaitPreviousRun(ctx, p.log)
}

// URL returns the connection string; it is in no file and needs no password.
func (p *Postgres) URL() string {
	u := url.URL{
		Scheme: "postgres", User: url.User(clusterUser), Path: "/postgres",
		RawQuery: url.Values{"host": {p.dir.sockets}, "port": {socketPort}}.Encode(),
	}
	return u.String()
}

// Dir returns the directory of the data.
func (p *Postgres) Dir() string { return p.dir.cluster }

// State returns what is known of PostgreSQL's process now.
func (p *Postgres) State() PostgresState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// Done returns a channel that is closed when PostgreSQL is down for good: after
// Stop, or when it cannot be started again whatever comes.
func (p *Postgres) Done() <-chan struct{} { return p.done }

// Err returns why PostgreSQL cannot be started again, in one line with the remedy; nil
// while it runs and after Stop.
func (p *Postgres) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// Stop ends PostgreSQL in order and releases the directory. If ctx ends first, it
// ends PostgreSQL immediately and returns an error; what was committed stays. It takes
// killDelay and outputDelay longer than ctx at most. It may be called again.
func (p *Postgres) Stop(ctx context.Context) error {
	p.stop()
	p.signal(syscall.SIGINT)
	select {
	case <-p.done:
	case <-ctx.Done():
		p.endAtOnce()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return errors.New("PostgreSQL did not end in order and was ended at once; the next start recovers what was committed")
	}
	return nil
}

// endAtOnce makes PostgreSQL end without order, and kills it if it does not.
func (p *Postgres) endAtOnce() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	p.signal(syscall.SIGQUIT)
	select {
	case <-p.done:
	case <-time.After(killDelay):
		p.signal(syscall.SIGKILL)
		<-p.done
	}
}

// Pid returns the postmaster's process id, 0 if there is none.
func (p *Postgres) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return 0
	}
	return p.process.Pid
}

// signal sends a signal to the postmaster, if there is one.
func (p *Postgres) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process != nil {
		_ = p.process.Signal(s) // it may have ended already
	}
}

// awaitAnswer waits until PostgreSQL answers a query. It is errEnded if the run ends
// before that.
func (p *Postgres) awaitAnswer(ctx context.Context, ended <-chan struct{}) error {
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	for {
		conn, err := pgx.Connect(ctx, p.URL())
		if err == nil {
			_, err = conn.Exec(ctx, "SELECT 1")
			_ = conn.Close(ctx)
		}
		if err == nil {
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
		case <-poll.C:
		}
		select {
		case <-ended:
			return errEnded // the end of a run ends ctx too
		default:
		}
		if ctx.Err() != nil {
			return fmt.Errorf("PostgreSQL did not answer in time: %w", ctx.Err())
		}
	}
}

// errEnded says that a run of PostgreSQL has ended.
var errEnded = errors.New("PostgreSQL ended")
