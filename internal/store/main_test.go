package store

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/datapi/datapi/internal/dat"
)

// cluster is the private PostgreSQL of all tests except for those that kill theirs.
var cluster *Postgres

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		os.Exit(helper(dir))
	}
	if url := os.Getenv(idleURL); url != "" {
		os.Exit(keepIdle(url))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("/tmp", "datapi-store-test-")
	if err == nil {
		err = os.Chmod(dir, 0o711) // PostgreSQL's account must be able to enter it
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	if cluster, err = StartPostgres(ctx, filepath.Join(dir, "data"), nil); err == nil {
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
		return 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// makeTemplate makes and migrates the database of which every test gets a copy.
func makeTemplate(ctx context.Context) error {
	if err := admin(ctx, cluster.URL(), "CREATE DATABASE template_datapi"); err != nil {
		return err
	}
	_, err := MigrateUp(ctx, onDatabase(cluster.URL(), "template_datapi"), slog.New(slog.DiscardHandler))
	return err
}

// admin executes a statement over a connection of its own.
func admin(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	if closing := conn.Close(ctx); err == nil {
		err = closing
	}
	return err
}

// onDatabase returns a connection string with another database.
func onDatabase(u, name string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		panic(err)
	}
	parsed.Path = "/" + name
	return parsed.String()
}

var databases atomic.Int64

// newDatabase returns the URL of a new, migrated database.
func newDatabase(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	must(t, admin(t.Context(), cluster.URL(), "CREATE DATABASE "+name+" TEMPLATE template_datapi"))
	t.Cleanup(func() {
		must(t, admin(context.Background(), cluster.URL(), "DROP DATABASE "+name+" WITH (FORCE)"))
	})
	return onDatabase(cluster.URL(), name)
}

// openStore opens a store that is closed with the test.
func openStore(t testing.TB, url, node string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{URL: url, Node: node, Address: "127.0.0.1:1", Version: "test", Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(t, err)
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

// closeStore closes a store in order.
func closeStore(t testing.TB, s *Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	must(t, s.Close(ctx))
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute) // longer than a loaded machine needs
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatal("did not come about: " + what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// newID returns a handle as the service makes them.
func newID(t testing.TB) dat.Handle {
	t.Helper()
	id, err := uuid.NewV7()
	must(t, err)
	return dat.Handle(id.String())
}

// endpoint returns an unconnected endpoint as the manager would make it.
func endpoint(id dat.Handle, node, name string) *dat.Endpoint {
	return &dat.Endpoint{
		Meta:  dat.Meta{ID: id, Name: dat.Name(name), IA: dat.Handle("soft0@" + node), Node: node, Labels: map[string]string{}},
		State: dat.EPUnconnected,
		Attributes: dat.EPAttributes{
			MaxMessageSize: 1 << 20, MaxRDMASize: 1 << 20, MaxRecvDTOs: 16, MaxRequestDTOs: 16,
			QOS: dat.QOSBestEffort, RecvCompletionFlags: dat.CompletionEVDThreshold, RequestCompletionFlags: dat.CompletionEVDThreshold,
			SRQSoftHW: dat.WatermarkInfinite, EPTransportSpecific: map[string]string{}, EPProviderSpecific: map[string]string{},
		},
		Watermarks: dat.Watermarks{SoftHigh: dat.WatermarkInfinite, HardHigh: dat.WatermarkInfinite},
	}
}

// creation returns the entry that creates an object.
func creation(obj dat.Object) dat.Entry {
	h := obj.Head()
	return dat.Entry{
		Object: dat.ObjectRef{Type: obj.Type(), ID: h.ID, Name: h.Name}, IA: h.IA, Cause: "dat_" + obj.Type().String() + "_create",
		Actor: "test", Apply: func(dat.Object) dat.Object { return obj },
	}
}

// modification returns an entry that changes an endpoint.
func modification(id dat.Handle, change func(*dat.Endpoint)) dat.Entry {
	return dat.Entry{
		Object: dat.ObjectRef{Type: dat.TypeEndpoint, ID: id}, Cause: "dat_ep_modify", Actor: "test",
		Apply: func(before dat.Object) dat.Object {
			if before == nil {
				return nil
			}
			e := before.(*dat.Endpoint).Copy()
			change(e)
			return e
		},
	}
}

// ending returns the entry that frees an object.
func ending(t dat.ObjectType, id dat.Handle) dat.Entry {
	return dat.Entry{
		Object: dat.ObjectRef{Type: t, ID: id}, Cause: "dat_ep_free", Actor: "test",
		Apply: func(dat.Object) dat.Object { return nil },
	}
}

// record records entries, which must succeed.
func record(t testing.TB, s *Store, entries ...dat.Entry) []dat.Recorded {
	t.Helper()
	out, err := s.Recorder().Record(t.Context(), entries...)
	must(t, err)
	return out
}
