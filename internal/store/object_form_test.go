package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// fixtureRow is a row of objects or of changes in testdata/rows, as far as the tests
// look at it.
type fixtureRow struct {
	Type       dat.ObjectType `json:"type"`
	ObjectType dat.ObjectType `json:"object_type"`
	ObjectID   dat.Handle     `json:"object_id"`
	ID         any            `json:"id"`
	Version    int64          `json:"version"`
	FreedAt    *string        `json:"freed_at"`
	Body       json.RawMessage
	Before     json.RawMessage
	After      json.RawMessage
	Image      json.RawMessage
}

// fixtureOf returns the rows of a table in a folder of testdata/rows.
func fixtureOf(t *testing.T, dir, table string) (rows []fixtureRow) {
	t.Helper()
	must(t, json.Unmarshal(readFile(t, dir, table+".json"), &rows))
	return rows
}

// present returns a whole object of a fixture in the present form.
func present(t *testing.T, typ dat.ObjectType, body json.RawMessage) any {
	t.Helper()
	stored := storedObject{Body: body, Form: 1}
	var m members
	must(t, json.Unmarshal(body, &m))
	if form, there := m[formMember]; there {
		must(t, json.Unmarshal(form, &stored.Form))
		delete(m, formMember)
		var err error
		stored.Body, err = json.Marshal(m)
		must(t, err)
	}
	now, err := stored.present(typ)
	must(t, err)
	whole, err := json.Marshal(typ.New())
	must(t, err)
	var has, defaults map[string]any
	must(t, json.Unmarshal(now, &has))
	must(t, json.Unmarshal(whole, &defaults))
	addMissing(has, defaults)
	return has
}

// addMissing gives an object's JSON the members that it lacks, from the JSON of a new
// one: rows that were written before a member was added read as its default.
func addMissing(has, defaults map[string]any) {
	for name, value := range defaults {
		inner, _ := has[name].(map[string]any)
		innerDefaults, nested := value.(map[string]any)
		if _, there := has[name]; !there {
			has[name] = value
		} else if inner != nil && nested {
			addMissing(inner, innerDefaults)
		}
	}
}

// sameObject compares an object, member by member, with what its row has.
func sameObject(t *testing.T, where string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, plain(t, got)); d != "" {
		t.Errorf("%s: a member that is gone or has another meaning needs an upgrade in the row of its type in kinds (-row +read):\n%s", where, d)
	}
}

// isNull reports whether JSON is null or missing.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func TestRowsOfFormerProgramsAreReadOnEveryPath(t *testing.T) {
	dirs, err := filepath.Glob("testdata/rows/*")
	must(t, err)
	if len(dirs) == 0 {
		t.Fatal("there are no rows")
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			s := openStore(t, loadFixture(t, dir), "alpha")
			objectsAreRead(t, s, fixtureOf(t, dir, "objects"))
			changesAreRead(t, s, fixtureOf(t, dir, "changes"))
			livingAreWritten(t, s)
		})
	}
}

// objectsAreRead reads the objects of a fixture one by one, all at start, and as lists.
func objectsAreRead(t *testing.T, s *Store, rows []fixtureRow) {
	living, types := map[dat.Handle]any{}, map[dat.ObjectType]bool{}
	for _, row := range rows {
		id := dat.Handle(row.ID.(string))
		want := present(t, row.Type, row.Body)
		got, freed, err := s.GetFreed(t.Context(), row.Type, id)
		must(t, err)
		sameObject(t, "get "+string(id), want, got)
		if freed.IsZero() != (row.FreedAt == nil) {
			t.Errorf("%s was freed at %v, want %v", id, freed, row.FreedAt)
		}
		if row.FreedAt == nil {
			living[id], types[row.Type] = want, true
		}
	}
	all, err := s.Living(t.Context(), "alpha")
	must(t, err)
	var listed []dat.Object
	for typ := range types {
		page, err := s.List(t.Context(), Query{Type: typ})
		must(t, err)
		listed = append(listed, page.Items...)
	}
	if len(all) != len(living) || len(listed) != len(living) || len(living) == 0 {
		t.Errorf("%d objects of %d types live, %d are there at start and %d listed", len(living), len(types), len(all), len(listed))
	}
	for _, o := range all {
		sameObject(t, "at start "+string(o.Head().ID), living[o.Head().ID], o)
	}
	for _, o := range listed {
		sameObject(t, "listed "+string(o.Head().ID), living[o.Head().ID], o)
	}
}

// changesAreRead reads the changes of a fixture as history, by version, as of
// their moment, and as a watcher.
func changesAreRead(t *testing.T, s *Store, rows []fixtureRow) {
	page, err := s.Changes(t.Context(), ChangeQuery{Asc: true, Limit: 1000})
	must(t, err)
	sub, err := s.Log().Subscribe(t.Context(), Position{}, ChangeFilter{})
	must(t, err)
	if d := cmp.Diff(plain(t, page.Items), plain(t, next(t, sub).Changes)); d != "" {
		t.Errorf("watchers see other changes (-listed +watched):\n%s", d)
	}
	for i, row := range rows {
		c, where := page.Items[i], fmt.Sprint("change ", row.ID)
		before, after := plain(t, row.Before), plain(t, row.After)
		switch {
		case isNull(row.Before) && !isNull(row.Image): // a creation
			after = present(t, row.ObjectType, row.Image)
		case !isNull(row.Before) && isNull(row.Image): // an end
			before = present(t, row.ObjectType, row.Before)
		}
		sameObject(t, where+" before", inLog(before), c.Before)
		sameObject(t, where+" after", inLog(after), c.After)
		if isNull(row.Image) {
			continue
		}
		want := inLog(present(t, row.ObjectType, row.Image))
		_, then, err := s.HistoryVersion(t.Context(), row.ObjectType, row.ObjectID, row.Version, nil)
		must(t, err)
		sameObject(t, where+" by version", want, inLog(plain(t, then)))
		then, err = s.AsOf(t.Context(), row.ObjectType, row.ObjectID, Moment{Change: c.ID}, nil)
		must(t, err)
		sameObject(t, where+" as of it", want, inLog(plain(t, then)))
	}
}

// livingAreWritten changes the labels of every living object. Nothing else may differ.
func livingAreWritten(t *testing.T, s *Store) {
	all, err := s.Living(t.Context(), "alpha")
	must(t, err)
	for _, o := range all {
		label := dat.Entry{
			Object: dat.ObjectRef{Type: o.Type(), ID: o.Head().ID}, Cause: "modify", Actor: "test",
			Apply: func(before dat.Object) dat.Object {
				after := before.Clone()
				after.Head().Labels = map[string]string{"changed": "yes"}
				return after
			},
		}
		if c := record(t, s, label)[0].Change; !slices.Equal(c.Fields, []string{"labels"}) {
			t.Errorf("%s: the fields are %q", o.Head().ID, c.Fields)
		}
	}
}

// withUpgrades adds upgrades to a type for the time of a test.
func withUpgrades(t *testing.T, typ dat.ObjectType, steps ...upgrade) {
	t.Helper()
	before := kinds[typ].upgrades
	kinds[typ].upgrades = append(before[:len(before):len(before)], steps...)
	t.Cleanup(func() { kinds[typ].upgrades = before })
}

// rewrite sets the whole endpoints in all rows, also in those of the log, to the value
// of an expression in which body is the present one.
func rewrite(t *testing.T, url, expression string) {
	t.Helper()
	of := func(column string) string { return strings.ReplaceAll(expression, "body", column) }
	for _, sql := range []string{
		`UPDATE objects SET body = ` + expression + ` WHERE type = 'endpoint'`,
		`ALTER TABLE changes DISABLE TRIGGER changes_are_kept`,
		`UPDATE changes SET image = ` + of("image") + ` WHERE object_type = 'endpoint' AND image IS NOT NULL`,
		`UPDATE changes SET before = ` + of("before") + ` WHERE object_type = 'endpoint' AND image IS NULL AND before IS NOT NULL`,
		`ALTER TABLE changes ENABLE TRIGGER changes_are_kept`,
	} {
		must(t, admin(t.Context(), url, sql))
	}
}

// column returns the single text that a query selects, empty for null.
func column(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var text *string
	must(t, conn.QueryRow(t.Context(), sql).Scan(&text))
	if text == nil {
		return ""
	}
	return *text
}

func TestAMemberAddedLaterHasItsDefaultInOldRows(t *testing.T) {
	url := newDatabase(t)
	first := openAs(t, url, "alpha")
	living, freed := newID(t), newID(t)
	record(t, first, creation(endpoint(living, "alpha", "")), creation(endpoint(freed, "alpha", "")))
	record(t, first, ending(dat.TypeEndpoint, freed))
	closeStore(t, first)
	// As if a program had written the rows that had no max_recv_iov and called pz zone.
	rewrite(t, url, `(body #- '{attributes,max_recv_iov}') - 'pz' || '{"zone": "pz-1"}'`)
	withUpgrades(t, dat.TypeEndpoint, addMember("attributes.max_recv_iov", 4), func(m members) error {
		m["pz"] = m["zone"]
		delete(m, "zone")
		return nil
	})
	s := openStore(t, url, "alpha")
	check := func(where string, o dat.Object, err error) {
		t.Helper()
		must(t, err)
		if e := o.(*dat.Endpoint); e.Attributes.MaxRecvIOV != 4 || e.PZ != "pz-1" || e.Attributes.MaxRecvDTOs != 16 {
			t.Errorf("%s: max_recv_iov is %d and pz %q, want 4 and pz-1", where, e.Attributes.MaxRecvIOV, e.PZ)
		}
	}
	o, err := s.Get(t.Context(), dat.TypeEndpoint, living)
	check("get", o, err)
	o, _, err = s.GetFreed(t.Context(), dat.TypeEndpoint, freed)
	check("the last image", o, err)
	page, err := s.List(t.Context(), Query{Type: dat.TypeEndpoint})
	check("listed", page.Items[0], err)
	all, err := s.Living(t.Context(), "alpha")
	check("at start", all[0], err)
	_, o, err = s.HistoryVersion(t.Context(), dat.TypeEndpoint, freed, 1, nil)
	check("by version", o, err)
	o, err = s.AsOf(t.Context(), dat.TypeEndpoint, freed, Moment{Change: 3}, nil)
	check("as of a change", o, err)
	changes, err := s.Changes(t.Context(), ChangeQuery{Asc: true})
	must(t, err)
	created, ended := new(dat.Endpoint), new(dat.Endpoint)
	check("the after of its creation", created, json.Unmarshal(changes.Items[2].After, created))
	check("the before of its end", ended, json.Unmarshal(changes.Items[3].Before, ended))
	renamed := record(t, s, modification(living, func(e *dat.Endpoint) { e.Name = "renamed" }))[0]
	check("changed", renamed.Object, nil)
	if !slices.Equal(renamed.Change.Fields, []string{"name"}) {
		t.Errorf("the fields are %q", renamed.Change.Fields)
	}
	if got := column(t, url, `SELECT body ->> 'form_version' || (body #>> '{attributes,max_recv_iov}') FROM objects WHERE freed_at IS NULL`); got != "34" {
		t.Errorf("the form and the new member of the row that was written again are %q, want 3 and 4", got)
	}
}

func TestAddMemberLeavesWhatIsThere(t *testing.T) {
	cases := map[string]struct{ name, before, after string }{
		"a new member":           {"a", `{}`, `{"a":4}`},
		"a member that is there": {"a", `{"a":null}`, `{"a":null}`},
		"in an object":           {"a.b", `{"a":{"c":1}}`, `{"a":{"b":4,"c":1}}`},
		"in one that is null":    {"a.b", `{"a":null}`, `{"a":null}`},
		"in one that is missing": {"a.b", `{}`, `{}`},
	}
	for what, c := range cases {
		var m members
		must(t, json.Unmarshal([]byte(c.before), &m))
		must(t, addMember(c.name, 4)(m))
		if after, err := json.Marshal(m); err != nil || string(after) != c.after {
			t.Errorf("%s: got %s, %v", what, after, err)
		}
	}
}

func TestWhatANewerProgramRecordedStaysWhenAnOlderOneWrites(t *testing.T) {
	url := newDatabase(t)
	first := openAs(t, url, "alpha")
	id := newID(t)
	record(t, first, creation(endpoint(id, "alpha", "")))
	closeStore(t, first)
	rewrite(t, url, `jsonb_set(body, '{attributes,max_widgets}', '3') || '{"form_version": 9, "colour": "red"}'`)
	s := openStore(t, url, "alpha")
	changed := record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 2 }))[0].Change
	if after := string(changed.After); after != `{"attributes":{"max_recv_iov":2}}` {
		t.Errorf("after the modification %s", after)
	}
	record(t, s, modification(id, func(e *dat.Endpoint) { e.Labels = map[string]string{"a": "b"} }))
	record(t, s, ending(dat.TypeEndpoint, id))
	const complete = `SELECT count(*)::text FROM (SELECT body FROM objects UNION ALL SELECT coalesce(image, before) FROM changes) r
		WHERE body @> '{"form_version": 9, "colour": "red", "attributes": {"max_widgets": 3}}'`
	if n := column(t, url, complete); n != "5" {
		t.Errorf("%s of 5 rows have what the newer program recorded", n)
	}
}

func TestEveryWholeObjectBearsItsFormAndNobodyAboveSeesIt(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	sub, err := s.Log().Subscribe(t.Context(), Position{}, ChangeFilter{})
	must(t, err)
	recordFixture(t, s)
	const formless = `SELECT count(*)::text FROM (SELECT body FROM objects
		UNION ALL SELECT image FROM changes WHERE image IS NOT NULL AND object_type <> 'node'
		UNION ALL SELECT before FROM changes WHERE image IS NULL AND before IS NOT NULL AND object_type <> 'node') r
		WHERE NOT coalesce((body ->> 'form_version')::integer >= 1, false)`
	if n := column(t, url, formless); n != "0" {
		t.Errorf("%s whole objects have no form", n)
	}
	page, err := s.Changes(t.Context(), ChangeQuery{Limit: 1000})
	must(t, err)
	var watched []*LoggedChange
	for len(watched) < len(page.Items) {
		watched = append(watched, next(t, sub).Changes...)
	}
	all, err := s.Living(t.Context(), "alpha")
	must(t, err)
	for _, seen := range []any{page.Items, watched, all, everyMemberSet()} {
		b, err := json.Marshal(seen)
		must(t, err)
		if strings.Contains(string(b), formMember) {
			t.Errorf("%T has a member %s", seen, formMember)
		}
	}
}
