package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/dat"
)

// retired returns a Retirement by a test.
func retired() Retirement {
	return Retirement{Actor: "test", RequestID: "r-1", Reason: "the host burnt"}
}

// leftWith opens a node, lets it record objects of all types, more than once, and stops it.
func leftWith(t *testing.T, url, node string) {
	t.Helper()
	s := openAs(t, url, node)
	for round := range 3 {
		for i, obj := range everyMemberSet() {
			obj = identify(obj, 100*round+i)
			h := obj.Head()
			h.Node, h.IA = node, dat.Handle("soft0@"+node)
			if obj.Type() == dat.TypeIA {
				h.ID = dat.Handle("soft" + string(rune('0'+round)) + "@" + node)
				h.IA = h.ID
			}
			record(t, s, creation(obj))
		}
	}
	closeStore(t, s)
}

func TestARetiredNodeHasNoObjectsNoNamesAndNoPlaceInTheList(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	leftWith(t, url, "beta")
	mine := newID(t)
	record(t, s, creation(endpoint(mine, "alpha", "")))
	living, err := s.Living(t.Context(), "beta")
	must(t, err)
	sub, err := s.Log().Subscribe(t.Context(), s.Log().Present(t.Context()), ChangeFilter{})
	must(t, err)
	must(t, s.RetireNode(t.Context(), "beta", retired()))

	// Every object ends, those that use others first, each once.
	var ended []dat.Change
	for len(ended) < len(living)+1 {
		for _, c := range next(t, sub).Changes {
			ended = append(ended, c.Change)
		}
	}
	end := ended[len(living)]
	if end.Object.Type != dat.TypeNode || end.After != nil || string(end.Before) != `{"state": "LEFT"}` || end.Version != 3 {
		t.Errorf("the end of the node is %+v", end)
	}
	ids := map[dat.Handle]bool{}
	for i, c := range ended {
		if c.Cause != "node_retired" || c.Actor != "test" || *c.RequestID != "r-1" || *c.Reason != "the host burnt" || c.Node != "beta" || c.Outcome != dat.RetSuccess || len(c.Fields) != 0 {
			t.Errorf("change %d is %+v", i, c)
		}
		if ids[c.Object.ID] {
			t.Errorf("%s ends twice", c.Object.ID)
		}
		ids[c.Object.ID] = true
		if i > 0 && i < len(living) && rank(c.Object.Type) < rank(ended[i-1].Object.Type) {
			t.Errorf("%s ends after %s", c.Object.Type, ended[i-1].Object.Type)
		}
	}
	for _, o := range living {
		h := o.Head()
		last, freed, err := s.GetFreed(t.Context(), o.Type(), h.ID)
		must(t, err)
		if freed.IsZero() || !ids[h.ID] || last.Head().Version != h.Version+1 || last.Head().UpdatedAt != freed {
			t.Errorf("%s %s is freed at %s, version %d after %d", o.Type(), h.ID, freed, last.Head().Version, h.Version)
		}
		page, err := s.History(t.Context(), o.Type(), h.ID, ChangeQuery{Limit: 1})
		must(t, err)
		before, err := dat.ReadObject(o.Type(), page.Items[0].Before)
		must(t, err)
		if d := cmp.Diff(inLog(plain(t, o)), inLog(plain(t, before))); d != "" || page.Items[0].Version != h.Version+1 {
			t.Errorf("%s before its end (-was +recorded):\n%s", o.Type(), d)
		}
		if h.Name != "" && o.Type() != dat.TypeIA {
			again := o.Clone()
			again.Head().ID, again.Head().Node, again.Head().IA = newID(t), "alpha", "soft0@alpha"
			record(t, s, creation(again))
		}
	}
	if left, err := s.Living(t.Context(), "beta"); err != nil || len(left) != 0 {
		t.Errorf("%d objects are left, %v", len(left), err)
	}
	if _, err := s.Get(t.Context(), dat.TypeEndpoint, mine); err != nil {
		t.Errorf("an object of another node: %v", err)
	}
	nodes, _, err := s.NodesKnown(t.Context())
	must(t, err)
	if len(nodes) != 1 || nodes[0].Name != "alpha" || nodes[0].Objects < 1 {
		t.Errorf("the nodes are %+v", nodes)
	}
	wantError(t, s.RetireNode(t.Context(), "beta", retired()), dat.RetInvalidHandle, "")
}

// rank returns the place of a type in the order of a retirement.
func rank(t dat.ObjectType) int { return slices.Index(retireOrder(), t) }

func TestRetirementFreesUsersBeforeWhatTheyUse(t *testing.T) {
	order := retireOrder()
	if len(order) != len(dat.ObjectTypes()) {
		t.Errorf("%d of %d types are freed", len(order), len(dat.ObjectTypes()))
	}
	for _, pair := range [][2]dat.ObjectType{
		{dat.TypeCR, dat.TypePSP},
		{dat.TypeRSP, dat.TypeEndpoint},
		{dat.TypeEndpoint, dat.TypeEVD},
		{dat.TypeEndpoint, dat.TypeSRQ},
		{dat.TypeEndpoint, dat.TypePZ},
		{dat.TypeRMR, dat.TypeLMR},
		{dat.TypeLMR, dat.TypePZ},
		{dat.TypeSRQ, dat.TypePZ},
		{dat.TypePZ, dat.TypeIA},
		{dat.TypeEVD, dat.TypeIA},
	} {
		if rank(pair[0]) > rank(pair[1]) {
			t.Errorf("%s is freed after %s, which it uses", pair[0], pair[1])
		}
	}
}

func TestOnlyANodeThatIsDownOrHasLeftIsRetired(t *testing.T) {
	url := newDatabase(t)
	s, beta := openStore(t, url, "alpha"), openStore(t, url, "beta")
	for _, name := range []string{"alpha", "beta"} {
		if e := wantError(t, s.RetireNode(t.Context(), name, retired()), dat.RetInvalidState, KindNodeAlive); name == "beta" && !strings.Contains(e.Detail, "UP") {
			t.Errorf("the detail is %q", e.Detail)
		}
	}
	silenced(t, url, "beta", SuspectAfter+time.Second)
	// Its next heartbeat may come first: then it is UP.
	wantError(t, s.RetireNode(t.Context(), "beta", retired()), dat.RetInvalidState, KindNodeAlive)
	wantError(t, s.RetireNode(t.Context(), "nobody", retired()), dat.RetInvalidHandle, "")
	record(t, beta, creation(endpoint(newID(t), "beta", "")))
}

// The log tells that the node was DOWN before it tells its end, whoever saw it first.
func TestARetirementRecordsTheMoveThatNobodyHasRecorded(t *testing.T) {
	url := newDatabase(t)
	s := openIdle(t, url, "alpha")
	leftWith(t, url, "beta")
	must(t, admin(t.Context(), url, `UPDATE nodes SET left_at = NULL, last_seen = now() - interval '1 hour' WHERE name = 'beta'`))
	must(t, s.RetireNode(t.Context(), "beta", retired()))
	want := []string{`node_down state {"state": "LEFT"}>{"state": "DOWN"}`, `node_retired  {"state": "DOWN"}>`}
	if got := movesOf(t, s, "beta"); len(got) != 4 || !slices.Equal(got[2:], want) {
		t.Errorf("the moves are %q", got)
	}
}

func TestADryRunAndAWrongVersionRetireNothing(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	leftWith(t, url, "beta")
	dry := retired()
	dry.DryRun = true
	must(t, s.RetireNode(t.Context(), "beta", dry))
	dry.Match = func(version int64) error {
		if version != 2 {
			t.Errorf("the version is %d, want 2", version)
		}
		return errors.ErrUnsupported
	}
	if err := s.RetireNode(t.Context(), "beta", dry); err == nil {
		t.Error("another version was taken")
	}
	nodes, err := s.Nodes(t.Context())
	must(t, err)
	if len(nodes) != 2 || nodes[1].Epoch != 1 || nodes[1].retiring {
		t.Errorf("the nodes are %+v", nodes)
	}
}

func TestARetirementThatWasCutOffGoesOn(t *testing.T) {
	for _, who := range []string{"a repetition", "a start under its name"} {
		t.Run(who, func(t *testing.T) {
			url := newDatabase(t)
			s := openStore(t, url, "alpha")
			leftWith(t, url, "beta")
			before, err := s.Living(t.Context(), "beta")
			must(t, err)
			must(t, s.beginRetirement(t.Context(), "beta", retired()))
			_, err = freeSome(t.Context(), s.pool, "beta", dat.TypeEndpoint, 1<<62)
			must(t, err)
			nodes, _, err := s.NodesKnown(t.Context())
			must(t, err)
			if len(nodes) != 2 || nodes[1].Objects == 0 || nodes[1].Objects >= int64(len(before)) {
				t.Errorf("cut off, the nodes are %+v", nodes)
			}
			if who == "a repetition" {
				must(t, s.RetireNode(t.Context(), "beta", retired()))
			} else {
				beta := openStore(t, url, "beta")
				if n := beta.recorder.countLiving(); n != 0 {
					t.Errorf("it starts with %d objects", n)
				}
			}
			page, err := s.Changes(t.Context(), ChangeQuery{ChangeFilter: ChangeFilter{Causes: []string{causeNodeRetired}}, Limit: 1000})
			must(t, err)
			if len(page.Items) != len(before)+1 {
				t.Errorf("%d objects and a node ended, want %d and 1", len(page.Items)-1, len(before))
			}
		})
	}
}

func TestANodeThatStartsUnderARetiredNameIsAnotherOne(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	leftWith(t, url, "beta")
	was, err := s.Nodes(t.Context())
	must(t, err)
	must(t, s.RetireNode(t.Context(), "beta", retired()))
	beta := openStore(t, url, "beta")
	is, err := s.Nodes(t.Context())
	must(t, err)
	if is[1].ID == was[1].ID || is[1].StateVersion != 1 || is[1].Epoch <= was[1].Epoch || is[1].State != NodeUp {
		t.Errorf("before %+v, now %+v", was[1], is[1])
	}
	record(t, beta, creation(endpoint(newID(t), "beta", "")))
	// An IA has the id that it had in the former node, and its versions go on.
	ia := everyMemberSet()[slices.IndexFunc(everyMemberSet(), func(o dat.Object) bool { return o.Type() == dat.TypeIA })]
	h := ia.Head()
	h.ID, h.IA, h.Node, h.Name = "soft0@beta", "soft0@beta", "beta", "soft0"
	_, err = pruneBefore(t.Context(), s.pool, time.Now().Add(time.Hour), 0)
	must(t, err)
	if made := record(t, beta, creation(ia))[0]; made.Change.Version != 3 || made.Change.Before != nil {
		t.Errorf("the IA begins with %+v", made.Change)
	}
	page, err := s.Changes(t.Context(), ChangeQuery{ChangeFilter: ChangeFilter{Objects: []dat.Handle{was[1].ID}}})
	must(t, err)
	if len(page.Items) != 1 || page.Items[0].Version != 3 {
		t.Errorf("the retention has left of the retired node %+v", page.Items)
	}
}

func TestTheProcessOfARetiredNodeNeverWritesAgain(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	p, through := newProxy(t, url)
	cut, err := Open(t.Context(), Config{URL: through, Node: "beta"})
	must(t, err)
	t.Cleanup(func() { _ = cut.Close(context.Background()) })
	id := newID(t)
	record(t, cut, creation(endpoint(id, "beta", "")))
	p.refusing.Store(true)
	p.cut()
	eventually(t, "it is cut off", func() bool { return cut.Recorder().Away() != nil })
	event := modification(id, func(e *dat.Endpoint) { e.Labels = map[string]string{"event": "1"} })
	cut.Recorder().Note(event, nil)
	silenced(t, url, "beta", time.Hour)
	must(t, s.RetireNode(t.Context(), "beta", retired()))
	p.refusing.Store(false)
	select {
	case <-cut.TakenOver():
	case <-time.After(time.Minute):
		t.Fatal("it is not told that it lost its node")
	}
	_, err = cut.Recorder().Record(t.Context(), creation(endpoint(newID(t), "beta", "")))
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	if n := column(t, url, `SELECT count(*)::text FROM objects WHERE node = 'beta' AND freed_at IS NULL`); n != "0" {
		t.Errorf("%s objects live", n)
	}
	nodes, err := s.Nodes(t.Context())
	must(t, err)
	if len(nodes) != 1 {
		t.Errorf("the nodes are %+v", nodes)
	}
}

func TestTheAnswerOfARetirementIsStoredInItsCommit(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	leftWith(t, url, "beta")
	r := retired()
	r.Answer = &dat.KeyedAnswer{
		Principal: "p", Method: "DELETE", Path: "/nodes/beta", Key: "k", BodyHash: []byte{1},
		Make: func(dat.Object) (int, map[string]string, []byte) { return 204, nil, nil },
	}
	must(t, s.RetireNode(t.Context(), "beta", r))
	answer, _, err := s.ClaimKey(t.Context(), AnswerKey{"p", "DELETE", "/nodes/beta", "k"})
	if err != nil || len(answer) != 1 || answer[0].Status != 204 {
		t.Errorf("the stored answer is %+v, %v", answer, err)
	}
}

// Other writers wait for one chunk at most, whatever the number of objects.
func TestManyObjectsAreFreedWhileOthersWrite(t *testing.T) {
	const many = 20 * retireChunk
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	beta := openAs(t, url, "beta")
	for range many / 500 {
		entries := make([]dat.Entry, 500)
		for i := range entries {
			entries[i] = creation(endpoint(newID(t), "beta", ""))
		}
		record(t, beta, entries...)
	}
	closeStore(t, beta)
	done := make(chan error, 1)
	go func() { done <- s.RetireNode(context.Background(), "beta", retired()) }()
	began, longest, written := time.Now(), time.Duration(0), 0
	var err error
	for running := true; running; written++ {
		one := time.Now()
		record(t, s, creation(endpoint(newID(t), "alpha", "")))
		longest = max(longest, time.Since(one))
		select {
		case err = <-done:
			running = false
		default:
		}
	}
	must(t, err)
	t.Logf("%d objects were freed in %s; meanwhile %d writes, the slowest in %s", many, time.Since(began), written, longest)
	if written < 10 {
		t.Errorf("only %d writes were made meanwhile", written)
	}
	if n := column(t, url, `SELECT count(*)::text FROM changes WHERE cause = 'node_retired'`); n != "5001" {
		t.Errorf("%s changes, want 5001", n)
	}
	if n := column(t, url, `SELECT (max(id) - count(*))::text FROM changes`); n != "0" {
		t.Errorf("the log lacks %s changes", n)
	}
}
