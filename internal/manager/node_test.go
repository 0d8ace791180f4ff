package manager_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// patience is how long a condition may take to become true.
const patience = time.Minute

// testCall is the Call of writes in tests.
var testCall = manager.Call{Actor: "test"}

// dryRun is testCall as a dry run.
var dryRun = manager.Call{Actor: "test", DryRun: true}

// testNode is a Manager on a soft provider of its own, with two adapters and a
// recorder in memory. Its methods that need no error to be handled fail the test.
type testNode struct {
	*testing.T
	m     *manager.Manager
	rec   *rdmatest.Recorder
	soft  *soft.Provider
	hooks *hooks
	log   logged
	ia    dat.Handle
	peer  dat.Handle
}

// logged is what a Manager logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// lines returns the lines that contain all of the words.
func (l *logged) lines(words ...string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
			found = append(found, line)
		}
	}
	return found
}

// newNode starts a node for the first time.
func newNode(t *testing.T, opts ...soft.Option) *testNode {
	t.Helper()
	return startNode(t, rdmatest.NewRecorder(), nil, opts...)
}

// startNode starts a node on what a recorder has; living are the objects to
// restore.
func startNode(t *testing.T, rec *rdmatest.Recorder, living []dat.Object, opts ...soft.Option) *testNode {
	t.Helper()
	return startNodeWith(t, rec, rec, living, opts...)
}

// startNodeWith is startNode with a recorder around the one in memory.
func startNodeWith(t *testing.T, rec *rdmatest.Recorder, around manager.Recorder, living []dat.Object, opts ...soft.Option) *testNode {
	t.Helper()
	node := &testNode{T: t, rec: rec, soft: soft.New(2, opts...), hooks: &hooks{}}
	node.start(around, living)
	return node
}

// start starts the Manager of a node.
func (node *testNode) start(rec manager.Recorder, living []dat.Object) {
	node.Helper()
	node.ia, node.peer = "soft0@test", "soft1@test"
	node.m = manager.NewManager("test", rec, manager.WithLogger(slog.New(slog.NewTextHandler(&node.log, nil))))
	node.must(node.m.AddProvider(context.Background(), hookedProvider{node.soft, node.hooks}))
	node.must(node.m.Restore(context.Background(), living))
	node.Cleanup(node.close)
}

func (node *testNode) close() {
	node.rec.Return()
	if _, err := node.m.Close(context.Background()); err != nil {
		node.Error(err)
	}
}

// withFakeTime runs f on a node whose time advances only while everybody waits.
func withFakeTime(t *testing.T, f func(*testNode)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(newNode(t)) })
}

func (node *testNode) ctx() context.Context { return node.Context() }

// must ends the test on an error.
func (node *testNode) must(err error) {
	node.Helper()
	if err != nil {
		node.Fatal(err)
	}
}

// check is must for goroutines other than the test's.
func (node *testNode) check(err error) {
	if err != nil {
		node.Error(err)
	}
}

// expectRefusal demands that err is a refusal with this return.
func (node *testNode) expectRefusal(err error, want dat.Return) *dat.Error {
	node.Helper()
	var d *dat.Error
	if !errors.As(err, &d) || d.Return != want {
		node.Fatalf("got %v, want %s", err, want)
	}
	if d.Detail == "" {
		node.Errorf("%s says nothing for a person", d.Return)
	}
	return d
}

// waitUntil polls a condition that no event announces.
func (node *testNode) waitUntil(what string, ok func() bool) {
	node.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			node.Fatalf("waited in vain until %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

func (node *testNode) newPZ(ia dat.Handle) dat.Handle {
	node.Helper()
	o, err := node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: ia})
	node.must(err)
	return o.ID
}

func (node *testNode) newEVD(ia dat.Handle, qlen int64, streams ...dat.Stream) dat.Handle {
	node.Helper()
	o, err := node.m.CreateEVD(node.ctx(), testCall, manager.EVDCreate{IA: ia, QLen: qlen, Streams: streams})
	node.must(err)
	return o.ID
}

func (node *testNode) tryCreateEVD() error {
	_, err := node.m.CreateEVD(node.ctx(), testCall, manager.EVDCreate{IA: node.ia, QLen: 8, Streams: []dat.Stream{dat.StreamDTO}})
	return err
}

// testEP is an endpoint with a PZ and one EVD for all its events.
type testEP struct{ ep, pz, evd dat.Handle }

func (node *testNode) newEP(ia dat.Handle) testEP {
	node.Helper()
	e := testEP{pz: node.newPZ(ia), evd: node.newEVD(ia, 256, dat.StreamDTO, dat.StreamRMRBind, dat.StreamConnection, dat.StreamCR)}
	o, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: ia, Values: dat.Values{
		dat.ParamPZ: e.pz, dat.ParamRecvEVD: e.evd, dat.ParamRequestEVD: e.evd, dat.ParamConnectEVD: e.evd,
	}})
	node.must(err)
	e.ep = o.ID
	return e
}

// connect connects two endpoints through a PSP.
func (node *testNode) connect(active, passive testEP) {
	node.Helper()
	sp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.peer, EVD: passive.evd})
	node.must(err)
	_, err = node.m.ConnectEP(node.ctx(), testCall, active.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(sp.ConnQual)})
	node.must(err)
	cr := node.expectEvent(passive.evd, dat.EventConnectionRequest).Data.CR
	_, err = node.m.AcceptCR(node.ctx(), testCall, cr, manager.CRAccept{Endpoint: passive.ep})
	node.must(err)
	node.expectEvent(active.evd, dat.EventEstablished)
	node.expectEvent(passive.evd, dat.EventEstablished)
	node.must(node.m.FreePSP(node.ctx(), testCall, sp.ID))
}

func (node *testNode) postRecvs(ep dat.Handle, n int) {
	node.Helper()
	_, err := node.m.PostRecv(node.ctx(), testCall, ep, manager.RecvPost{Count: n, Size: 64})
	node.must(err)
}

// nextEvent returns the next event of an EVD.
func (node *testNode) nextEvent(evd dat.Handle) dat.Event {
	node.Helper()
	got, err := node.m.Dequeue(node.ctx(), evd, 1, 1, patience)
	node.must(err)
	if len(got) != 1 {
		node.Fatalf("no event on %s", evd)
	}
	return got[0]
}

// expectEvent returns the next event of an EVD and demands that it is want.
func (node *testNode) expectEvent(evd dat.Handle, want dat.EventNumber) dat.Event {
	node.Helper()
	got := node.nextEvent(evd)
	if got.Event != want {
		node.Fatalf("event %s %v, want %s", got.Event, got.Data, want)
	}
	return got
}

// waitForState waits until an endpoint and its record are in a state.
func (node *testNode) waitForState(ep dat.Handle, want dat.EPState) *dat.Endpoint {
	node.Helper()
	ctx, cancel := context.WithTimeout(node.ctx(), patience)
	defer cancel()
	e, err := node.m.WaitEP(ctx, ep, func(s dat.EPState) bool { return s == want })
	if err != nil {
		node.Fatalf("waiting for %s: %v, it is %s", want, err, node.state(ep))
	}
	return e
}

func (node *testNode) state(ep dat.Handle) dat.EPState {
	node.Helper()
	s, err := node.m.EPStatus(ep)
	node.must(err)
	return s.State
}

func (node *testNode) status(ep dat.Handle) dat.EPStatus {
	node.Helper()
	s, err := node.m.EPStatus(ep)
	node.must(err)
	return s
}

func (node *testNode) endpoint(ep dat.Handle) *dat.Endpoint {
	node.Helper()
	o, ok := node.m.Get(dat.TypeEndpoint, ep)
	if !ok {
		node.Fatalf("no endpoint %s", ep)
	}
	return o.(*dat.Endpoint)
}

// usage returns the counts of the first adapter's objects.
func (node *testNode) usage() dat.IAUsage {
	ia, _ := node.m.IA(node.ia)
	return ia.Usage
}

// causes returns the causes of an object's changes, the oldest first.
func (node *testNode) causes(id dat.Handle) []string {
	var out []string
	for _, c := range node.rec.Of(id) {
		out = append(out, c.Cause)
	}
	return out
}
