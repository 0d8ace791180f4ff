package dat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

const infinite = WatermarkInfinite

func TestWatermarksFireByTheRules(t *testing.T) { // W8, W10–W14, W17, B1, B3, B4
	born := Watermarks{SoftHigh: infinite, HardHigh: infinite}
	for name, c := range map[string]struct {
		soft, hard Watermark
		b          int
		connected  bool
		fire       Firing
	}{
		"W8 a mark that equals B is silent":         {4, 4, 4, true, Firing{}},
		"W10 a mark below B fires in the call":      {3, 3, 4, true, Firing{true, true}},
		"W11 a mark above B only replaces":          {5, 5, 4, true, Firing{}},
		"W12 the soft mark may be the greater":      {9, 3, 4, true, Firing{false, true}},
		"W13 both fire at once":                     {0, 0, 1, true, Firing{true, true}},
		"W14 infinite never fires":                  {infinite, infinite, 1 << 30, true, Firing{}},
		"W17 zero fires at the first receive":       {0, infinite, 1, false, Firing{true, false}},
		"W17 zero is silent without receives":       {0, 0, 0, true, Firing{}},
		"B4 hard needs a connection, soft does not": {0, 0, 1, false, Firing{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			after, fire := born.Set(c.soft, c.hard, c.b, c.connected)
			if fire != c.fire {
				t.Errorf("fired %+v, want %+v", fire, c.fire)
			}
			want := Watermarks{c.soft, c.hard, c.soft.Finite() && !c.fire.Soft, c.hard.Finite()}
			if after != want {
				t.Errorf("afterwards %+v, want %+v", after, want)
			}
		})
	}
}

func TestW6TheSoftMarkFiresOncePerSetting(t *testing.T) {
	w, _ := Watermarks{}.Set(2, infinite, 0, false)
	for b, want := range map[int]bool{1: false, 2: false} {
		if _, fire := w.Taken(b, false); fire.Soft != want {
			t.Errorf("B = %d fires %v", b, fire.Soft)
		}
	}
	w, fire := w.Taken(3, false)
	if !fire.Soft || w.SoftArmed {
		t.Errorf("W5 gives %+v, %+v", fire, w)
	}
	for _, b := range []int{4, 1, 5} {
		if _, fire = w.Taken(b, false); fire.Soft {
			t.Errorf("B = %d fires again", b)
		}
	}
	if _, fire = w.Set(2, infinite, 3, false); !fire.Soft {
		t.Error("W4: setting it again does not arm it")
	}
}

func TestW16AHardMarkBelowBBreaksWhenTheConnectionIsEstablished(t *testing.T) {
	w, fire := Watermarks{}.Set(infinite, 2, 3, false)
	if fire.Hard || !w.HardArmed {
		t.Fatalf("B4 gives %+v, %+v", fire, w)
	}
	w, fire = w.Taken(3, true)
	if !fire.Hard || !w.HardArmed {
		t.Errorf("W16 gives %+v, %+v; a finite hard mark stays armed", fire, w)
	}
}

func TestHardMarksBreakConnectionsAndWhatIsLeftOfThem(t *testing.T) { // W7, B2
	for _, s := range occurring() {
		want, v := s == EPConnected || s == EPDisconnectPending, Judge(s, EvHardWatermark)
		if s.HasConnection() != want || (v.Kind == Move) != want || want && v.Event != EventBroken {
			t.Errorf("W7 in %s: connection %v, verdict %s, event %s", s, s.HasConnection(), v.Kind, v.Event)
		}
	}
}

func TestB10SetMarksShowsTheSoftMarkAmongTheAttributes(t *testing.T) {
	e := newEndpoint(EPUnconnected)
	w, _ := e.Watermarks.Set(7, 9, 0, false)
	e.SetMarks(w)
	if e.Watermarks != w || e.Attributes.SRQSoftHW != 7 {
		t.Errorf("got %+v and %d", e.Watermarks, e.Attributes.SRQSoftHW)
	}
}

func TestW18NegativeMarksAreRefused(t *testing.T) {
	p := &newFacts().Provider
	for _, n := range []int64{-1, -2, math.MaxInt32 + 1, math.MinInt64} {
		_, _, err := CheckWatermarks(&n, nil, false, p)
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg2, "soft_high")
		_, _, err = CheckWatermarks(nil, &n, false, p)
		wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "hard_high")
	}
	soft, hard, err := CheckWatermarks(ptr(int64(0)), ptr(int64(math.MaxInt32)), false, p)
	wantAccepted(t, err)
	if soft != 0 || hard != math.MaxInt32 {
		t.Errorf("got %d and %d", soft, hard)
	}
}

func TestW20UnsupportedMarksAreRefusedUnlessInfinite(t *testing.T) { // B9
	p, one := &ProviderAttributes{SRQWatermarksSupported: SRQWatermarks{EPSoftHigh: true, SRQEPHardHigh: true}}, ptr(int64(1))
	_, _, err := CheckWatermarks(one, nil, false, p)
	wantAccepted(t, err)
	_, _, err = CheckWatermarks(one, one, false, p)
	wantRefusal(t, err, RetModelNotSupported, SubNone, "hard_high")
	_, _, err = CheckWatermarks(one, nil, true, p)
	wantRefusal(t, err, RetModelNotSupported, SubNone, "soft_high")
	_, _, err = CheckWatermarks(nil, one, true, p)
	wantAccepted(t, err)
	soft, hard, err := CheckWatermarks(nil, nil, true, &ProviderAttributes{})
	wantAccepted(t, err)
	if soft.Finite() || hard.Finite() {
		t.Error("null is not infinite")
	}
}

func TestW21ValuesComeBeforeSupport(t *testing.T) {
	_, _, err := CheckWatermarks(ptr(int64(1)), ptr(int64(-5)), false, &ProviderAttributes{})
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "hard_high")
}

// naiveMarks is the machine of the W rules written as a story: it remembers what was
// set and whether the soft event was already sent.
type naiveMarks struct {
	soft, hard int
	sent       bool
}

func (n *naiveMarks) look(b int, connected bool) (fire Firing) {
	if n.soft >= 0 && !n.sent && b > n.soft {
		fire.Soft, n.sent = true, true
	}
	fire.Hard = n.hard >= 0 && connected && b > n.hard
	return fire
}

func TestWatermarksAgreeWithANaiveMachineForAnySequence(t *testing.T) {
	mark := rapid.IntRange(-1, 4)
	rapid.Check(t, func(t *rapid.T) {
		w := Watermarks{SoftHigh: infinite, HardHigh: infinite}
		naive := naiveMarks{soft: -1, hard: -1}
		b, connected := 0, false
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			var got, want Firing
			switch rapid.SampledFrom([]string{"set", "take", "take", "complete", "connect", "disconnect"}).Draw(t, "step") {
			case "set":
				naive = naiveMarks{soft: mark.Draw(t, "soft"), hard: mark.Draw(t, "hard")}
				w, got = w.Set(Watermark(naive.soft), Watermark(naive.hard), b, connected)
				want = naive.look(b, connected)
			case "take":
				b++
				w, got = w.Taken(b, connected)
				want = naive.look(b, connected)
			case "complete":
				b = max(0, b-1)
			case "connect":
				connected = true
				w, got = w.Taken(b, connected)
				want = naive.look(b, connected)
			case "disconnect":
				connected, b = false, 0 // everything is flushed
			}
			if got.Hard {
				connected, b = false, 0 // T37
			}
			if got != want {
				t.Fatalf("fired %+v, want %+v with %+v and B = %d", got, want, naive, b)
			}
			if w.SoftArmed != (naive.soft >= 0 && !naive.sent) || w.HardArmed != (naive.hard >= 0) {
				t.Fatalf("armed %+v, want %+v", w, naive)
			}
		}
	})
}
