package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/dat"
)

// wantError requires a *dat.Error with a return and a kind, and returns it.
func wantError(t testing.TB, err error, ret dat.Return, kind string) dat.Error {
	t.Helper()
	var e *dat.Error
	if !errors.As(err, &e) || e.Return != ret || e.Kind != kind {
		t.Fatalf("got %v, want %v of kind %q", err, ret, kind)
	}
	return *e
}

func TestCreateModifyFreeAreRecordedWithFieldsAndVersions(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id := newID(t)
	made := record(t, s, creation(endpoint(id, "alpha", "ost-7")))[0]
	if made.Object.Head().Version != 1 || made.Change.Version != 1 || made.Change.Before != nil || made.Change.ID != 2 {
		t.Fatalf("creation recorded as %+v", made.Change)
	}
	changed := record(t, s, modification(id, func(e *dat.Endpoint) {
		e.Attributes.MaxRecvDTOs = 32
		e.Labels = map[string]string{"app": "lustre"}
	}))[0]
	if want := []string{"attributes.max_recv_dtos", "labels"}; !slices.Equal(changed.Change.Fields, want) {
		t.Errorf("fields are %q, want %q", changed.Change.Fields, want)
	}
	if got, want := string(changed.Change.After), `{"attributes":{"max_recv_dtos":32},"labels":{"app":"lustre"}}`; got != want {
		t.Errorf("after is %s, want %s", got, want)
	}
	if got, want := string(changed.Change.Before), `{"attributes":{"max_recv_dtos":16},"labels":{}}`; got != want {
		t.Errorf("before is %s, want %s", got, want)
	}
	refused := record(t, s, dat.Entry{Object: dat.ObjectRef{Type: dat.TypeEndpoint, ID: id}, Cause: "dat_ep_modify", Actor: "test", Outcome: dat.RetInvalidState})[0]
	if refused.Change.Version != 2 || refused.Object.Head().Version != 2 || len(refused.Change.Fields) != 0 {
		t.Errorf("a refusal must keep the version: %+v", refused.Change)
	}
	ended := record(t, s, ending(dat.TypeEndpoint, id))[0]
	if ended.Change.Version != 3 || ended.Change.After != nil || ended.Object != nil || ended.Change.ID != 5 {
		t.Errorf("end recorded as %+v", ended.Change)
	}
	_, err := s.Get(t.Context(), dat.TypeEndpoint, id)
	wantError(t, err, dat.RetInvalidHandle, "")
	page, err := s.History(t.Context(), dat.TypeEndpoint, id, ChangeQuery{})
	must(t, err)
	got := []dat.Change{page.Items[3], page.Items[2], page.Items[1], page.Items[0]}
	want := []dat.Change{made.Change, changed.Change, refused.Change, ended.Change}
	if d := cmp.Diff(plain(t, want), plain(t, got)); d != "" {
		t.Errorf("the history differs from what was answered (-answered +history):\n%s", d)
	}
}

// plain returns a value as its JSON decodes, so that the format of stored JSON does not
// matter.
func plain(t testing.TB, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	var out any
	must(t, json.Unmarshal(b, &out))
	return out
}

func TestGetIsWhatWasRecorded(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	e := endpoint(newID(t), "alpha", "")
	e.PZ, e.RecvEVD = newID(t), newID(t)
	made := record(t, s, creation(e))[0]
	got, err := s.Get(t.Context(), dat.TypeEndpoint, e.ID)
	must(t, err)
	if d := cmp.Diff(made.Object, got); d != "" {
		t.Error(d)
	}
	living, err := s.Living(t.Context(), "alpha")
	must(t, err)
	if d := cmp.Diff([]dat.Object{made.Object}, living); d != "" {
		t.Error(d)
	}
}

func TestLiveMembersAreNeverRecorded(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	evd := &dat.EVD{Meta: dat.Meta{ID: newID(t), IA: "soft0@alpha"}, QLen: 8, Depth: 3, Dropped: 2, InUseBy: dat.EVDUsers{Endpoints: 1}}
	rec := record(t, s, creation(evd))[0]
	if got := rec.Object.(*dat.EVD); got.Depth != 0 || got.Dropped != 0 || got.InUseBy != (dat.EVDUsers{}) {
		t.Errorf("live members were recorded: %+v", got)
	}
	if evd.Depth != 3 {
		t.Error("the caller's object was written to")
	}
	change := dat.Entry{Object: rec.Change.Object, Cause: "dat_evd_query", Actor: "test", Apply: func(o dat.Object) dat.Object {
		c := o.Clone().(*dat.EVD)
		c.Depth = 7
		return c
	}}
	if got := record(t, s, change)[0]; len(got.Change.Fields) != 0 {
		t.Errorf("a live member is among the fields: %q", got.Change.Fields)
	}
}

func TestNameTakenRefusesThatUnitAlone(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	record(t, s, creation(endpoint(newID(t), "alpha", "taken")))
	var wg sync.WaitGroup
	errs := make([]error, 40)
	for i := range errs {
		name := fmt.Sprintf("free-%d", i)
		if i%4 == 0 {
			name = "taken"
		}
		first, second := endpoint(newID(t), "alpha", ""), endpoint(newID(t), "alpha", name)
		wg.Go(func() { _, errs[i] = s.Recorder().Record(t.Context(), creation(first), creation(second)) })
	}
	wg.Wait()
	for i, err := range errs {
		if i%4 != 0 {
			must(t, err)
		} else if e := wantError(t, err, dat.RetInvalidState, KindNameTaken); e.Field != "name" {
			t.Errorf("the refusal blames %q", e.Field)
		}
	}
	page, err := s.List(t.Context(), Query{Type: dat.TypeEndpoint, Limit: 1000})
	must(t, err)
	if want := 1 + 30*2; len(page.Items) != want {
		t.Errorf("%d endpoints are there, want %d: a refused unit must leave nothing", len(page.Items), want)
	}
	if last := s.Log().Last(); last != 62 {
		t.Errorf("the last change id is %d, want 62: refused units take no ids", last)
	}
}

func TestRenameToATakenNameIsRefusedAlone(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	a, b := newID(t), newID(t)
	record(t, s, creation(endpoint(a, "alpha", "a")), creation(endpoint(b, "alpha", "b")))
	rename := func(id dat.Handle, to dat.Name) dat.Entry {
		return modification(id, func(e *dat.Endpoint) { e.Name = to })
	}
	_, err := s.Recorder().Record(t.Context(), rename(a, "b"))
	wantError(t, err, dat.RetInvalidState, KindNameTaken)
	record(t, s, rename(a, "b"), rename(b, "a")) // one unit may swap two names
	got, err := s.Get(t.Context(), dat.TypeEndpoint, a)
	must(t, err)
	if h := got.Head(); h.Name != "b" || h.Version != 2 {
		t.Errorf("after the swap %+v", h)
	}
}

func TestAnImpossibleRowIsRefusedAlone(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		e := endpoint(newID(t), "alpha", "")
		if i == 7 {
			e.State = dat.EPConnected // without a remote address
		}
		if i == 11 {
			e.Labels = map[string]string{"nul": "a\x00b"}
		}
		wg.Go(func() { _, errs[i] = s.Recorder().Record(t.Context(), creation(e)) })
	}
	wg.Wait()
	for i, err := range errs {
		switch i {
		case 7:
			wantError(t, err, dat.RetInternalError, "")
		case 11:
			wantError(t, err, dat.RetInvalidParameter, "")
		default:
			must(t, err)
		}
	}
}

func TestAPanicInApplyRefusesItsUnitOnly(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	bad := creation(endpoint(newID(t), "alpha", ""))
	bad.Apply = func(dat.Object) dat.Object { panic("broken") }
	_, err := s.Recorder().Record(t.Context(), creation(endpoint(newID(t), "alpha", "")), bad)
	wantError(t, err, dat.RetInternalError, "")
	if rec := record(t, s, creation(endpoint(newID(t), "alpha", "")))[0]; rec.Change.ID != 2 {
		t.Errorf("the first change of an object has the id %d", rec.Change.ID)
	}
}

func TestChangesOfOneObjectAreRecordedInTheirOrder(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id := newID(t)
	record(t, s, creation(endpoint(id, "alpha", "")))
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				_, err := s.Recorder().Record(t.Context(), modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	obj, err := s.Get(t.Context(), dat.TypeEndpoint, id)
	must(t, err)
	if e := obj.(*dat.Endpoint); e.Attributes.MaxRecvIOV != writers*each || e.Version != 1+writers*each {
		t.Errorf("after %d increments: value %d, version %d", writers*each, e.Attributes.MaxRecvIOV, e.Version)
	}
	page, err := s.History(t.Context(), dat.TypeEndpoint, id, ChangeQuery{Limit: 1000})
	must(t, err)
	for i, c := range page.Items {
		if want := int64(len(page.Items) - i); c.Version != want || c.ID != want+1 {
			t.Fatalf("change %d of version %d where %d was expected", c.ID, c.Version, want)
		}
	}
}

func TestACallThatIsGivenUpInTheQueueRecordsNothing(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	entered, proceed := make(chan struct{}), make(chan struct{})
	slow := creation(endpoint(newID(t), "alpha", ""))
	made := slow.Apply
	slow.Apply = func(o dat.Object) dat.Object { close(entered); <-proceed; return made(o) }
	first := make(chan error, 1)
	go func() { _, err := s.Recorder().Record(t.Context(), slow); first <- err }()
	<-entered // the recorder is busy, so the next unit waits in the queue
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() {
		_, err := s.Recorder().Record(ctx, creation(endpoint(newID(t), "alpha", "")))
		second <- err
	}()
	cancel()
	wantError(t, <-second, dat.RetInterruptedCall, "")
	close(proceed)
	must(t, <-first)
	if last := lastChange(t, url); last != 2 {
		t.Errorf("%d changes are there, want 2: the start and the first creation", last)
	}
}

// Promise 4
func TestNoEventIsLostBecauseOfWhatADeviceSaid(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id := newID(t)
	record(t, s, creation(endpoint(id, "alpha", "")))
	said := map[string]string{
		strings.Repeat("x", 501):                          strings.Repeat("x", 499) + "…",
		strings.Repeat("ä", 5000):                         strings.Repeat("ä", 499) + "…",
		strings.Repeat("ä", 500):                          strings.Repeat("ä", 500),
		"cut \x00 short":                                  "cut � short",
		"no text \xff" + strings.Repeat("\xff\x00x", 400): "",
	}
	n := int32(0)
	for reason, want := range said {
		n++
		event := modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = n })
		event.Cause, event.Actor, event.ActorKind, event.Reason = "DAT_CONNECTION_EVENT_BROKEN", dat.ActorEngine, dat.ActorEngine, reason
		noted := make(chan dat.Recorded, 1)
		s.Recorder().Note(event, func(r dat.Recorded) { noted <- r })
		r := <-noted
		if r.Change.ID == 0 || r.Change.Reason == nil || want != "" && *r.Change.Reason != want {
			t.Errorf("%.20q is recorded as change %d with the reason %v", reason, r.Change.ID, r.Change.Reason)
		}
	}
	long := modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 99 })
	long.Reason = strings.Repeat("x", 501)
	_, err := s.Recorder().Record(t.Context(), long)
	wantError(t, err, dat.RetInvalidParameter, "")
}
