package dat

import (
	"testing"

	"pgregory.net/rapid"
)

// fabric is a world with living endpoints, whose EVD uses are counted anew
// from them for every question.
type fabric struct {
	*world
	endpoints []*Endpoint
	points    map[Handle]int // service points by their EVD
}

func (f *fabric) EVD(h Handle) (EVDUse, bool) {
	use, ok := f.world.EVD(h)
	for _, e := range f.endpoints {
		use = use.With(e, h)
	}
	for range f.points[h] {
		use = use.WithOther(StreamCR)
	}
	return use, ok
}

// legal says the strict reading of R1–R5 for one EVD, from the endpoints.
func (f *fabric) legal(h Handle) bool {
	flags, others := map[CompletionFlag]bool{}, f.points[h] > 0
	for _, e := range f.endpoints {
		if e.RecvEVD == h {
			flags[e.Attributes.RecvCompletionFlags] = true
		}
		if e.RequestEVD == h {
			flags[e.Attributes.RequestCompletionFlags] = true
		}
		others = others || e.ConnectEVD == h
	}
	return len(flags) <= 1 && (!others || len(flags) == 0 || flags[CompletionEVDThreshold])
}

func (f *fabric) allLegal() bool { return f.legal("evd1") && f.legal("evd2") }

// drawSharing is a mask of what decides which stream feeds which EVD how.
func drawSharing(t *rapid.T) Values {
	evd := rapid.SampledFrom([]Handle{"", "evd1", "evd2"})
	recv := rapid.SampledFrom([]string{"UNSIGNALLED", "SOLICITED_WAIT", "EVD_THRESHOLD"})
	request := rapid.SampledFrom([]string{"UNSIGNALLED", "EVD_THRESHOLD"})
	all := Values{
		ParamRecvEVD: evd.Draw(t, "recv_evd"), ParamRequestEVD: evd.Draw(t, "request_evd"), ParamConnectEVD: evd.Draw(t, "connect_evd"),
		ParamRecvCompletionFlags: recv.Draw(t, "recv flags"), ParamRequestCompletionFlags: request.Draw(t, "request flags"),
	}
	for _, p := range streamParams {
		if rapid.Bool().Draw(t, "left out") {
			delete(all, p)
		}
	}
	return all
}

// naiveApply puts the values into an endpoint without judging them.
func naiveApply(e *Endpoint, v Values) *Endpoint {
	after := e.Copy()
	s := setter{facts: newFacts(), resolver: newWorld()}
	for p, x := range v {
		if err := s.set(after, p, x); err != nil {
			panic(err)
		}
	}
	return after
}

func TestR1ToR11HoldAfterAnySequenceOfCalls(t *testing.T) {
	facts := newFacts()
	rapid.Check(t, func(t *rapid.T) {
		f := &fabric{world: newWorld(), points: map[Handle]int{}}
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			switch call := rapid.SampledFrom([]string{"create", "modify", "modify", "listen", "free"}).Draw(t, "call"); {
			case call == "create":
				f.create(t, facts, drawSharing(t))
			case call == "listen":
				f.listen(t, facts, rapid.SampledFrom([]Handle{"evd1", "evd2"}).Draw(t, "evd"))
			case len(f.endpoints) == 0:
			case call == "free":
				f.endpoints = f.endpoints[1:]
			default:
				f.modify(t, facts, rapid.IntRange(0, len(f.endpoints)-1).Draw(t, "endpoint"), drawSharing(t))
			}
			if !f.allLegal() {
				t.Fatal("the flags on an EVD clash after a call that was accepted")
			}
		}
	})
}

func (f *fabric) create(t *rapid.T, facts *Facts, v Values) {
	plain, _ := CheckEPCreate(nil, HandleNull, facts, f)
	would := &fabric{f.world, append(f.endpoints[:len(f.endpoints):len(f.endpoints)], naiveApply(plain, v)), f.points}
	e, err := CheckEPCreate(v, HandleNull, facts, f)
	if (err == nil) != would.allLegal() {
		t.Fatalf("create %v: %v, but legal is %v", v, err, would.allLegal())
	}
	if err == nil {
		f.endpoints = append(f.endpoints, e)
	}
}

func (f *fabric) modify(t *rapid.T, facts *Facts, i int, v Values) {
	would := &fabric{f.world, append([]*Endpoint{}, f.endpoints...), f.points}
	would.endpoints[i] = naiveApply(f.endpoints[i], v)
	e, err := CheckEPModify(f.endpoints[i], 0, v, facts, f)
	if (err == nil) != would.allLegal() {
		t.Fatalf("modify %v: %v, but legal is %v", v, err, would.allLegal())
	}
	if err == nil {
		f.endpoints[i] = e
	}
}

func (f *fabric) listen(t *rapid.T, facts *Facts, evd Handle) {
	f.points[evd]++
	legal := f.allLegal()
	f.points[evd]--
	err := CheckPSPCreate(facts, nil, evd, PSPConsumer, f)
	if (err == nil) != legal {
		t.Fatalf("listen on %s: %v, but legal is %v", evd, err, legal)
	}
	if err == nil {
		f.points[evd]++
	}
}
