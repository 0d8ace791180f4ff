package rdmatest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// verdict records what a case does to its test instead of failing it.
type verdict struct {
	testing.TB
	failures []string
}

func (v *verdict) Helper()             {}
func (v *verdict) Logf(string, ...any) {}
func (v *verdict) Failed() bool        { return len(v.failures) > 0 }
func (v *verdict) Error(args ...any)   { v.failures = append(v.failures, fmt.Sprint(args...)) }
func (v *verdict) Errorf(format string, args ...any) {
	v.failures = append(v.failures, fmt.Sprintf(format, args...))
}

func (v *verdict) Fatal(args ...any) {
	v.Error(args...)
	runtime.Goexit()
}

func (v *verdict) Fatalf(format string, args ...any) {
	v.Errorf(format, args...)
	runtime.Goexit()
}

// judge runs a case on the soft provider and returns how it failed.
func judge(t *testing.T, rules string, do func(*World), opts ...Option) []string {
	t.Helper()
	var r runner
	for _, o := range opts {
		o(&r)
	}
	p := soft.New(2)
	v := &verdict{TB: t}
	done := make(chan bool)
	go func() {
		defer close(done)
		r.run(v, Case{rules, "a case of the suite's own test", do}, Setup{
			Providers: []rdma.Provider{p}, Active: "soft0", Passive: "soft1", Faults: p.Fabric(),
		})
	}()
	<-done
	return v.failures
}

// wantFailure demands that the failures are one that contains the text, or none where it is "".
func wantFailure(t *testing.T, got []string, text string) {
	t.Helper()
	if text == "" && len(got) > 0 || text != "" && (len(got) != 1 || !strings.Contains(got[0], text)) {
		t.Errorf("the case failed with %q, want %q", got, text)
	}
}

func TestACaseThatAssertsNothingFails(t *testing.T) {
	wantFailure(t, judge(t, "T1", func(*World) {}), "claims T1, and no assertion ran for it")
}

func TestSettingUpProvesNothing(t *testing.T) {
	failures := judge(t, "T22", func(w *World) {
		a, b := w.pair()
		a.postRecvs(1, 8)
		w.disconnectPair(a, b)
		w.takeEvent(a.conn, dat.EventDisconnected)
		w.await("the flush", func() bool { return w.status(a.id).RecvIdle })
		w.operations(w.reset(a.id).ID)
		for _, s := range steadyStates {
			w.inState(s)
		}
	})
	wantFailure(t, failures, "claims T22, and no assertion ran for it")
}

func TestAnAssertionProvesTheOnlyRuleThatACaseClaims(t *testing.T) {
	wantFailure(t, judge(t, "T1", func(w *World) { w.expectState(w.endpoint(w.A).id, dat.EPUnconnected) }), "")
}

func TestAnAssertionProvesNoRuleOutsideOfItsScope(t *testing.T) {
	case2 := func(scope ...string) func(*World) {
		return func(w *World) {
			w.check(true, "before the first scope")
			w.proves(scope...)
			w.check(true, "in the scope")
		}
	}
	wantFailure(t, judge(t, "T1 S4", case2("T1")), "claims S4, and no assertion ran for it")
	wantFailure(t, judge(t, "T1 S4", case2("T1", "S4")), "")
}

func TestEveryAssertionCounts(t *testing.T) {
	for name, assert := range map[string]func(w *World, e *endpoint){
		"check":    func(w *World, _ *endpoint) { w.check(true, "") },
		"equal":    func(w *World, _ *endpoint) { equal(w, "one", 1, 1) },
		"succeeds": func(w *World, _ *endpoint) { w.succeeds("nothing", nil) },
		"refused": func(w *World, e *endpoint) {
			w.refused("reset", w.modify(e.id, dat.ParamState, 1), dat.RetInvalidParameter, dat.SubNone)
		},
		"expectState":    func(w *World, e *endpoint) { w.expectState(e.id, dat.EPUnconnected) },
		"eventually":     func(w *World, _ *endpoint) { w.eventually("now", func() bool { return true }) },
		"expectNoEvents": func(w *World, e *endpoint) { w.expectNoEvents(e.conn) },
		"expectNoAsync":  func(w *World, e *endpoint) { w.expectNoAsync(w.A, e.id) },
		"expectEvent": func(w *World, _ *endpoint) {
			e, _ := w.inState(dat.EPDisconnected)
			w.expectEvent(e.conn, dat.EventDisconnected)
		},
		"expectEither": func(w *World, _ *endpoint) {
			e, _ := w.inState(dat.EPDisconnected)
			w.expectEither(e.conn, dat.EventDisconnected, dat.EventBroken)
		},
		"expectCompletion": func(w *World, _ *endpoint) {
			e, _ := w.inState(dat.EPDisconnected)
			e.postRecvs(1, 8)
			w.expectCompletion(e.recv, dat.KindRecv, dat.DTOErrFlushed)
		},
		"expectAsync": func(w *World, _ *endpoint) {
			e, _ := w.inState(dat.EPConnected)
			w.inject(e, rdma.ReportEPError)
			w.expectAsync(e.ia, e.id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, judge(t, "T1", func(w *World) { assert(w, w.endpoint(w.A)) }), "")
		})
	}
}

func TestACaseThatProvesWhatItDoesNotClaimFails(t *testing.T) {
	failures := judge(t, "T1", func(w *World) {
		w.check(true, "of T1")
		w.proves("T2")
	})
	wantFailure(t, failures, "proves T2 and does not claim it")
}

func TestWhatAProviderLacksExcusesAClaimExceptWhereItHasAllFeatures(t *testing.T) {
	excused := func(w *World) { w.cannotProve("the provider has none") }
	wantFailure(t, judge(t, "T1", excused), "")
	wantFailure(t, judge(t, "T1", excused, AllFeatures()), "cannot prove T1: the provider has none")
	one := func(w *World) {
		w.cannotProve("the provider has none", "S4")
	}
	wantFailure(t, judge(t, "T1 S4", one), "claims T1, and no assertion ran for it")
}

func TestAFailedAssertionFailsTheCase(t *testing.T) {
	wantFailure(t, judge(t, "T1", func(w *World) { equal(w, "one", 1, 2) }), "one is 1, want 2")
}
