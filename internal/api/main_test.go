package api

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma/soft"
	"github.com/datapi/datapi/internal/store"
)

// cluster is the private PostgreSQL of all tests.
var cluster *store.Postgres

func TestMain(m *testing.M) { os.Exit(withCluster(m)) }

// withCluster runs the tests with a PostgreSQL that ends with them.
func withCluster(m *testing.M) int {
	dir, err := os.MkdirTemp("/tmp", "datapi-api-test-")
	if err == nil {
		err = os.Chmod(dir, 0o711) // PostgreSQL's account must get through
	}
	ctx := context.Background()
	if err == nil {
		cluster, err = store.StartPostgres(ctx, filepath.Join(dir, "data"), nil)
	}
	if err == nil {
		err = makeTemplate(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	stop, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := cluster.Stop(stop); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// makeTemplate makes the migrated database that newDatabase copies.
func makeTemplate(ctx context.Context) error {
	if err := administer(ctx, "CREATE DATABASE template_datapi"); err != nil {
		return err
	}
	_, err := store.MigrateUp(ctx, onDatabase("template_datapi"), slog.New(slog.DiscardHandler))
	return err
}

// administer carries out a statement that needs no database of its own.
func administer(ctx context.Context, sql string) error { return administerOn(ctx, cluster.URL(), sql) }

// administerOn carries out a statement on a database.
func administerOn(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

// onDatabase returns the URL of a database.
func onDatabase(name string) string {
	u, err := url.Parse(cluster.URL())
	if err != nil {
		panic(err)
	}
	u.Path = "/" + name
	return u.String()
}

var databases atomic.Int64

// newDatabase returns the URL of an empty, migrated database.
func newDatabase(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	must(t, administer(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template_datapi"))
	return onDatabase(name)
}

// rig is a whole service without its listener: PostgreSQL, the soft engine, the Manager and the API.
type rig struct {
	t       testing.TB
	api     *API
	manager *manager.Manager
	store   *store.Store
	soft    *soft.Provider
	url     string
	// server is what other nodes reach, nil for a rig that none reaches.
	server *httptest.Server
	// credential is brought with each call, nil for none.
	credential option
	// stopped reports that stop was called.
	stopped bool
}

// testFingerprint is that of the certificate of all test servers with TLS.
func testFingerprint(address string) []byte {
	if !strings.HasPrefix(address, "https:") {
		return nil
	}
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	sum := sha256.Sum256(server.Certificate().Raw)
	return sum[:]
}

// newRig starts a service of node alpha with two soft adapters and an empty database.
func newRig(t testing.TB, change ...func(*Config)) *rig {
	t.Helper()
	return newRigOn(t, newDatabase(t), "alpha", change...)
}

// newRigOn starts a service on a database, which may be that of another rig.
func newRigOn(t testing.TB, database, node string, change ...func(*Config)) *rig {
	t.Helper()
	return newRigAt(t, database, node, "http://"+node+":8480", change...)
}

// newNode is newRigOn for a service that other nodes reach, without or with TLS.
func newNode(t testing.TB, database, node string, secure bool, change ...func(*Config)) *rig {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	address := "http://" + server.Listener.Addr().String()
	if secure {
		address = "https://" + server.Listener.Addr().String()
	}
	r := newRigAt(t, database, node, address, change...)
	server.Config.Handler = r.api.Handler
	if r.server = server; secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return r
}

// newRigAt is newRigOn for a service with an address.
func newRigAt(t testing.TB, database, node, address string, change ...func(*Config)) *rig {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := store.Open(t.Context(), store.Config{URL: database, Node: node, Address: address, Fingerprint: testFingerprint(address), Version: "test", Logger: log})
	must(t, err)
	r := &rig{t: t, store: s, soft: soft.New(2), url: database}
	r.manager = manager.NewManager(node, s.Recorder(), manager.WithLogger(log), manager.WithMemoryCap(32<<20))
	s.Recorder().OnReconciled(r.manager.Reconciled)
	must(t, r.manager.AddProvider(t.Context(), r.soft))
	living, err := s.Living(t.Context(), node)
	must(t, err)
	must(t, r.manager.Restore(t.Context(), living))
	cfg := Config{Manager: r.manager, Store: s, Node: node, Version: "test", Metrics: true, Logger: log}
	for _, f := range change {
		f(&cfg)
	}
	r.api, err = New(cfg)
	must(t, err)
	t.Cleanup(r.stop)
	return r
}

func (r *rig) stop() {
	r.t.Helper()
	if r.stopped {
		return
	}
	r.stopped = true
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r.api.Close()
	if _, err := r.manager.Close(ctx); err != nil {
		r.t.Error(err)
	}
	if err := r.store.Close(ctx); err != nil {
		r.t.Error(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// patience is how long a test waits for what must come: long enough for the race detector on a loaded machine.
const patience = 2 * time.Minute

// eventually waits until a condition holds, and fails after patience.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatal("did not come about: " + what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
