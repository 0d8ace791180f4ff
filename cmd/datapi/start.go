package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"syscall"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/docs"
	"github.com/datapi/datapi/internal/api"
	"github.com/datapi/datapi/internal/store"
	"github.com/datapi/datapi/web"
)

// runningService is a service that was started.
type runningService struct {
	settings *settings
	log      *slog.Logger
	address  net.Addr
	metrics  net.Addr // nil where /metrics is on the main address
	manager  *manager.Manager
	store    *store.Store
	private  *store.Postgres // nil with --database-url
	data     string          // where the data is, for people
	// door is nil where the service was given a token or asks for none.
	door *localDoor
	api  *api.API
	// fingerprint is that of a self-signed certificate, else empty.
	fingerprint string
	failed      chan error
}

// start starts every part in order and pushes each on the stack, also if a later one fails.
func start(ctx context.Context, s *settings, log *slog.Logger, st *stack) (*runningService, error) {
	r := &runningService{settings: s, log: log, failed: make(chan error, 2)}
	secured, err := serverTLS(s, log)
	if err != nil {
		return nil, err
	}
	if s.tlsSelfSigned {
		r.fingerprint = fingerprint(secured)
	}
	if s.token == "" && !s.open {
		if r.door, err = openLocalDoor(s.dataDir, log, st); err != nil {
			return nil, err
		}
		s.token = r.door.token
	}
	listener, err := listen(ctx, "--listen", s.listen, st)
	if err != nil {
		return nil, err
	}
	r.address = listener.Addr()

	db, err := r.openStore(ctx, secured, st)
	if err != nil {
		return nil, err
	}
	if err := r.openEngine(ctx, db, st); err != nil {
		return nil, err
	}
	a, err := api.New(api.Config{
		Manager: r.manager, Store: db, Web: web.Handler(), Guides: docs.FS, Node: s.node, AdminToken: s.token, Hosts: hosts(s), MetricsHosts: metricsHosts(s),
		Certificates: ownCertificates(secured),
		ReadOnly:     s.readOnly, RateLimit: s.rateLimit, Metrics: s.metricsListen == "", Version: version, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	server := newServer(a.Handler, secured, log)
	if most := server.connections.max; most < maxPerPrincipal {
		log.Warn("few connections are possible at once, because the process may have few file descriptors; raise the limit (ulimit -n)", "connections", most)
	}
	server.RegisterOnShutdown(a.Close)
	r.api = a
	r.run(server, listener, st)
	if r.door != nil {
		if err := r.door.announce(r.base()); err != nil {
			return nil, err
		}
	}
	if s.metricsListen != "" {
		err = r.serveMetrics(ctx, a.Metrics, st)
	}
	return r, err
}

// hosts returns the host names that requests may bear; nil allows any. Without a token they are restricted, so that a
// page of another site whose name resolves to loopback cannot reach the service (DNS rebinding).
func hosts(s *settings) []string {
	if s.token != "" {
		return nil
	}
	names, _ := certificateNames(s.listen, s.advertise)
	return names
}

// metricsHosts returns the host names that requests to the metrics' own address may bear; nil allows any. Beyond loopback
// it has names that this host does not know of.
func metricsHosts(s *settings) []string {
	if host, _, err := net.SplitHostPort(s.metricsListen); err == nil && isLoopback(host) {
		return hosts(s)
	}
	return nil
}

// listen binds an address; its errors name the remedy.
func listen(ctx context.Context, flag, address string, st *stack) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s %s is taken by another program; stop that one, or give another address (port 0 picks a free one)", flag, address)
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	st.push("listener "+flag, func(context.Context) error {
		if err := listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	return listener, nil
}

// openStore opens the database of --database-url, or starts a private one.
func (r *runningService) openStore(ctx context.Context, secured *tls.Config, st *stack) (*store.Store, error) {
	s := r.settings
	url := s.databaseURL
	r.data = "in the database of --database-url"
	if url == "" {
		private, err := store.StartPostgres(ctx, s.dataDir, r.log)
		if err != nil {
			return nil, err
		}
		st.push("private PostgreSQL", func(ctx context.Context) error {
			if err := private.Stop(ctx); err != nil {
				r.log.Warn("nothing that was acknowledged is lost", "error", err)
			}
			return nil
		})
		url = private.URL()
		r.private, r.data = private, s.dataDir+" (private PostgreSQL)"
	}
	db, err := store.Open(ctx, store.Config{
		URL: url, Node: s.node, Address: r.advertised(), Fingerprint: certificateSum(secured), Version: version, Logger: r.log,
		Retention: s.retentionAge, RetentionGiven: s.retention != "", Private: r.private,
	})
	if err != nil {
		return nil, err
	}
	st.push("store", db.Close)
	r.store = db
	return db, nil
}

// openEngine opens the adapters and makes again the objects that lived when the service ended.
func (r *runningService) openEngine(ctx context.Context, db *store.Store, st *stack) error {
	r.manager = manager.NewManager(r.settings.node, db.Recorder(), manager.WithLogger(r.log))
	db.Recorder().OnReconciled(r.manager.Reconciled)
	st.push("engine", func(ctx context.Context) error {
		connected, err := r.manager.Close(ctx)
		r.log.Info("the engine stopped", "connections_ended", connected)
		return err
	})
	if err := addProviders(ctx, r.manager, r.settings, r.log); err != nil {
		return err
	}
	living, err := db.Living(ctx, r.settings.node)
	if err != nil {
		return err
	}
	return r.manager.Restore(ctx, living)
}

// run serves on a listener until the stack ends it; requests that are being served are then completed.
func (r *runningService) run(server *boundedServer, listener net.Listener, st *stack) {
	go func() {
		if err := server.serve(listener); !errors.Is(err, http.ErrServerClosed) {
			r.failed <- fmt.Errorf("serve on %s: %w", listener.Addr(), err)
		}
	}()
	st.push("server "+listener.Addr().String(), func(ctx context.Context) error {
		running, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		err := server.Shutdown(running)
		if errors.Is(err, context.DeadlineExceeded) {
			r.log.Warn("requests or answers that did not end were cut off", "address", listener.Addr().String(), "after", requestTimeout.String())
			return server.Close()
		}
		return err
	})
}

// serveMetrics serves /metrics alone on an address of its own.
func (r *runningService) serveMetrics(ctx context.Context, metrics http.Handler, st *stack) error {
	listener, err := listen(ctx, "--metrics-listen", r.settings.metricsListen, st)
	if err != nil {
		return err
	}
	r.metrics = listener.Addr()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	r.run(newServer(mux, nil, r.log), listener, st)
	return nil
}

// wait returns when ctx ends, or with the reason for which the service cannot go on: a server that failed, a private
// PostgreSQL that cannot be started whatever comes, or another process that has taken the node's name. It would answer
// from an old world otherwise.
func (r *runningService) wait(ctx context.Context) error {
	var down <-chan struct{}
	if r.private != nil {
		down = r.private.Done()
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-r.failed:
		return err
	case <-down:
		return fmt.Errorf("the private PostgreSQL cannot go on: %w", r.private.Err())
	case <-r.store.TakenOver():
		return fmt.Errorf("another process has taken over node %q on this database, or the node was retired, so this one has ended; give one of them another --node, or start this one again as a new node", r.settings.node)
	}
}

// advertised returns the URL at which other nodes reach the service.
func (r *runningService) advertised() string {
	if r.settings.advertise == "" {
		return r.base()
	}
	return r.scheme() + "://" + r.settings.advertise
}

func (r *runningService) scheme() string {
	if r.settings.secure() {
		return "https"
	}
	return "http"
}

// base returns the URL of the service for clients.
func (r *runningService) base() string {
	scheme := r.scheme()
	host, port, err := net.SplitHostPort(r.address.String())
	if err != nil {
		return scheme + "://" + r.address.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			host = "127.0.0.1"
		}
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}
