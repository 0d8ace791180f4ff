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
	// readyPoll is how often a starting PostgreSQL is asked whether it answers.
	readyPoll = 20 * time.Millisecond
	// quickEnd is a run so short that it counts as a failed start; after
	// quickEndsMost of them in a row the supervisor gives up. The first start is
	// tried less often: backends of a killed run are gone soon, other reasons stay.
	quickEnd      = 5 * time.Second
	quickEndsMost = 10
	firstEndsMost = 5
)

// Postgres is the private PostgreSQL of a service that was given no database: a
// direct child on a Unix socket that only this service can reach, started again
// when it dies, gone when the service is gone.
type Postgres struct {
	place    *place
	programs programs
	log      *slog.Logger
	stopping chan struct{}
	done     chan struct{}
	once     sync.Once

	mu sync.Mutex
	// process is the running postmaster, nil between two.
	process *os.Process
	failure error
}

// StartPostgres prepares the data directory, starts PostgreSQL in it and returns
// when it answers. Its errors are one clear line with the remedy.
func StartPostgres(ctx context.Context, dataDir string, log *slog.Logger) (*Postgres, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	at, err := openPlace(dataDir)
	if err != nil {
		return nil, err
	}
	p := &Postgres{place: at, log: log, stopping: make(chan struct{}), done: make(chan struct{})}
	if err := p.prepare(ctx); err != nil {
		at.close()
		return nil, err
	}
	ready := make(chan error, 1)
	go p.supervise(ctx, ready)
	if err := <-ready; err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), quickEnd)
		defer cancel()
		_ = p.Stop(stop) // what went wrong is known
		return nil, err
	}
	return p, nil
}

// prepare finds the programs, waits for a former run and makes the cluster where
// there is none.
func (p *Postgres) prepare(ctx context.Context) error {
	version, err := p.place.clusterVersion()
	if err != nil {
		return err
	}
	if p.programs, err = findPrograms(version); err != nil {
		return err
	}
	if version == "" {
		return p.place.initCluster(ctx, p.programs)
	}
	return p.place.awaitFormer(ctx, p.log)
}

// URL is the connection string; it lies in no file and needs no password.
func (p *Postgres) URL() string {
	u := url.URL{
		Scheme: "postgres", User: url.User(clusterUser), Path: "/postgres",
		RawQuery: url.Values{"host": {p.place.sockets}, "port": {socketPort}}.Encode(),
	}
	return u.String()
}

// Dir is where the data lies.
func (p *Postgres) Dir() string { return p.place.cluster }

// Done is closed when PostgreSQL is down for good: after Stop, or when it cannot
// be started again.
func (p *Postgres) Done() <-chan struct{} { return p.done }

// Err is why PostgreSQL cannot be started again; nil while it runs and after Stop.
func (p *Postgres) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// Stop ends PostgreSQL cleanly and lets go of the directory; when ctx ends
// first, it ends it at once (what was committed stays). It may be called again.
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

// Pid is the postmaster's process id, 0 while there is none.
func (p *Postgres) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return 0
	}
	return p.process.Pid
}

func (p *Postgres) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process != nil {
		_ = p.process.Signal(s) // it may have ended already
	}
}

// isStopping tells whether Stop was called.
func (p *Postgres) isStopping() bool {
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}

// answers waits until PostgreSQL answers a query, the run ends or ctx does.
func (p *Postgres) answers(ctx context.Context, ended <-chan struct{}) error {
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

var errEnded = errors.New("PostgreSQL ended")
