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
	// quickEnd is the length of a run that counts as a failed start. It also bounds
	// what is waited for at an end.
	quickEnd = 5 * time.Second
	// maxQuickEnds is how many failed starts in a row make the supervisor give up.
	maxQuickEnds = 10
	// maxFirstEnds is the same before PostgreSQL has answered for the first time. It is
	// less: backends of a killed run are gone soon, and any other reason stays.
	maxFirstEnds = 5
)

// Postgres is the private PostgreSQL of a service that was given no database. It is a
// direct child on a Unix socket that only this service can reach; it is started again
// when it dies, and ends with the service. Its methods may be called from several
// goroutines.
type Postgres struct {
	dir      *dataDirectory
	programs programs
	log      *slog.Logger
	// stopping is closed by Stop, once; done is closed when PostgreSQL is down for good.
	stopping chan struct{}
	once     sync.Once
	done     chan struct{}

	mu sync.Mutex
	// process is the running postmaster, nil if there is none.
	process *os.Process
	// failure is why PostgreSQL cannot be started again.
	failure error
}

// StartPostgres prepares the data directory, starts PostgreSQL in it and returns when
// it answers. Each error is one line that names the remedy.
func StartPostgres(ctx context.Context, dataDir string, log *slog.Logger) (*Postgres, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	dir, err := openDataDirectory(dataDir)
	if err != nil {
		return nil, err
	}
	p := &Postgres{dir: dir, log: log, stopping: make(chan struct{}), done: make(chan struct{})}
	if err := p.prepare(ctx); err != nil {
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

// Done returns a channel that is closed when PostgreSQL is down for good: after
// Stop, or when it cannot be started again.
func (p *Postgres) Done() <-chan struct{} { return p.done }

// Err returns why PostgreSQL cannot be started again; nil while it runs and after Stop.
func (p *Postgres) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// Stop ends PostgreSQL in order and releases the directory. If ctx ends first, it
// ends PostgreSQL immediately; what was committed stays. It may be called again.
func (p *Postgres) Stop(ctx context.Context) error {
	p.once.Do(func() { close(p.stopping) })
	p.signal(syscall.SIGINT)
	select {
	case <-p.done:
	case <-ctx.Done():
		p.signal(syscall.SIGQUIT)
		select {
		case <-p.done:
		case <-time.After(quickEnd):
			p.signal(syscall.SIGKILL)
			<-p.done
		}
	}
	return p.Err()
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

// isStopping reports whether Stop was called.
func (p *Postgres) isStopping() bool {
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}

// awaitAnswer waits until PostgreSQL answers a query. It is errEnded if the run ends
// before that.
func (p *Postgres) awaitAnswer(ctx context.Context, ended <-chan struct{}) error {
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
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL did not answer in time: %w", ctx.Err())
		case <-time.After(readyPoll):
		}
	}
}

// errEnded says that a run of PostgreSQL has ended.
var errEnded = errors.New("PostgreSQL ended")
