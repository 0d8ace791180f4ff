package store

import (
	"context"
	"encoding"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// writeFixture names a folder of testdata/rows. Each folder has rows as a program of
// one time wrote them. It is never changed: all later programs must read them.
var writeFixture = flag.String("write-fixture", "", "write the rows of the present program to this new folder of testdata/rows")

// fixtureRows selects the rows of each table for a fixture.
var fixtureRows = map[string]string{
	"objects": `SELECT to_json(r)::text FROM (SELECT id, type, node, ia, name, version, created_change,
		created_at, updated_at, freed_at, refs, body FROM objects ORDER BY created_change) r`,
	"changes": `SELECT to_json(r)::text FROM (SELECT * FROM changes ORDER BY id) r`,
}

// fill sets a value, and all members that it has, to something other than the zero
// value; n makes them differ. Only an enum with a single word keeps its zero value.
func fill(v reflect.Value, name string, n *int32) {
	*n++
	if word, ok := v.Addr().Interface().(encoding.TextMarshaler); ok && v.Kind() == reflect.Uint8 {
		v.SetUint(1)
		if _, err := word.MarshalText(); err != nil {
			v.SetUint(0)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if at, ok := v.Addr().Interface().(*dat.Time); ok {
			*at = dat.At(time.Date(2026, 1, 31, 12, 0, 0, int(*n)*1000, time.UTC))
			return
		}
		for i := range v.NumField() {
			member, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			fill(v.Field(i), member, n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, name, n)
		fill(value, name, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name, n)
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d", name, *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(*n))
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(*n))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	default:
		panic("no value for " + v.Type().String())
	}
}

// everyMemberSet returns an object of each type. None of their members has its zero
// value, not even the live ones, which are not recorded.
func everyMemberSet() []dat.Object {
	all := make([]dat.Object, len(kinds))
	n := int32(0)
	for i, typ := range dat.ObjectTypes() {
		all[i] = typ.New()
		fill(reflect.ValueOf(all[i]).Elem(), "", &n)
		identify(all[i], i)
	}
	all[dat.TypeEndpoint].(*dat.Endpoint).State = dat.EPConnected // it has a remote address
	return all
}

// identify sets the members by which an object is identified to those of number i.
func identify(obj dat.Object, i int) dat.Object {
	h := obj.Head()
	h.ID, h.Node, h.IA = dat.Handle(fmt.Sprintf("01980000-0000-7000-8000-%012d", i)), "alpha", "soft0@alpha"
	h.Name, h.Labels = dat.Name(fmt.Sprintf("%s-%d", obj.Type(), i)), map[string]string{"app": "ä \"quoted\" \\ \u2028"}
	if obj.Type() == dat.TypeIA {
		h.ID = h.IA
	}
	return obj
}

// recordFixture records the objects of everyMemberSet and, for two more, a change of
// every kind: a modification with a new name, a refusal, an event, a revert, a refused
// creation and an end.
func recordFixture(t *testing.T, s *Store) {
	t.Helper()
	all := everyMemberSet()
	for _, obj := range all {
		record(t, s, creation(obj))
	}
	changed := identify(all[dat.TypeEndpoint].Clone(), len(all)).(*dat.Endpoint)
	freed := identify(all[dat.TypeRMR].Clone(), len(all)+1)
	modify := modification(changed.ID, func(e *dat.Endpoint) {
		e.Name, e.Labels, e.Attributes.MaxRecvDTOs = "renamed", map[string]string{"app": "lustre", "x.y": ""}, 7
	})
	modify.RequestID, modify.Reason = "request-1", "more receives"
	event := modification(changed.ID, func(e *dat.Endpoint) {
		e.State, e.RemoteIAAddress, e.RemotePortQual, e.Peer, e.Transport = dat.EPDisconnected, nil, nil, nil, dat.Transport{}
	})
	event.Cause, event.Actor, event.ActorKind = "DAT_CONNECTION_EVENT_BROKEN", dat.ActorEngine, dat.ActorEngine
	revert := modification(changed.ID, func(e *dat.Endpoint) { e.Attributes.MaxRecvDTOs = changed.Attributes.MaxRecvDTOs })
	revert.Cause, revert.RevertedTo = "revert", 1
	for _, entry := range []dat.Entry{
		creation(changed), modify, event, revert, creation(freed), ending(dat.TypeRMR, freed.Head().ID),
		{Object: modify.Object, Cause: "dat_ep_modify", Actor: "test", Outcome: dat.RetInvalidState},
		{Object: dat.ObjectRef{Type: dat.TypePZ}, IA: "soft0@alpha", Cause: "dat_pz_create", Actor: "test", Outcome: dat.RetInsufficientResources},
	} {
		record(t, s, entry)
	}
}

func TestRowsOfThePresentProgramCanBeWrittenAsAFixture(t *testing.T) {
	url := newDatabase(t)
	recordFixture(t, openStore(t, url, "alpha"))
	dir := t.TempDir()
	if *writeFixture != "" {
		dir = filepath.Join("testdata", "rows", *writeFixture)
		must(t, os.Mkdir(dir, 0o755))
	}
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for table, sql := range fixtureRows {
		rows, err := conn.Query(t.Context(), sql)
		must(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, table+".json"), []byte("["+strings.Join(lines, ",\n")+"]\n"), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(dir, "schema_version"), fmt.Appendln(nil, newestVersion(t)), 0o644))
}

// loadFixture returns a database with the rows of a folder of testdata/rows, and
// with the schema of the program that wrote them.
func loadFixture(t *testing.T, dir string) (url string) {
	t.Helper()
	url = newDatabase(t)
	var schema uint
	_, err := fmt.Sscan(string(readFile(t, dir, "schema_version")), &schema)
	must(t, err)
	if newer := newestVersion(t) - schema; newer > 0 {
		_, err = MigrateDown(t.Context(), url, int(newer), quiet)
		must(t, err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(t.Context(), `INSERT INTO nodes (name, address, version, epoch) VALUES ('alpha', '', '', 1)`)
	must(t, err)
	_, err = conn.Exec(t.Context(), `INSERT INTO objects (id, type, node, ia, name, version, created_change, created_at, updated_at, freed_at, refs, body)
		SELECT id, type, node, ia, name, version, created_change, created_at, updated_at, freed_at, refs, body
		FROM json_populate_recordset(null::objects, $1)`, string(readFile(t, dir, "objects.json")))
	must(t, err)
	_, err = conn.Exec(t.Context(), `INSERT INTO changes SELECT * FROM json_populate_recordset(null::changes, $1)`, string(readFile(t, dir, "changes.json")))
	must(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE change_head SET last = (SELECT max(id) FROM changes)`)
	must(t, err)
	return url
}

func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return b
}
