package rdmatest

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// fate is what becomes of one pair of the storm.
type fate int

// The fates of a pair: what the passive side does with the request, or which end vanishes.
const (
	accepted fate = iota
	rejected
	ignored
	handedOff
	activeFreed
	activeDisconnects
	passiveFreed
	passiveKilled
	numFates
)

// storm is many pairs that connect at once.
type storm struct {
	*World
	actives, passives []dat.Handle
	fates             []fate
	point             *servicePoint
	wg                sync.WaitGroup
}

// pairs is how many connect at once.
const pairs = 500

var stormCases = []Case{
	{"T15 T22 T23 T25 T26 T36 T50", "1,000 endpoints connecting pairwise at once while peers vanish end in states of the table, recorded in order, and leave nothing", func(w *World) {
		s := &storm{World: w}
		s.prepare(rand.New(rand.NewPCG(7, 7)))
		for i := range pairs {
			s.wg.Go(func() { s.dial(i) })
		}
		s.wg.Go(s.answer)
		s.wg.Wait()
		w.proves("T50")
		ended := map[dat.EPState]int{}
		for _, ep := range append(s.actives, s.passives...) {
			w.eventually("no endpoint stays pending", func() bool {
				got, err := w.M.EPStatus(ep)
				return err != nil || got.State != dat.EPActiveConnectionPending && got.State != dat.EPCompletionPending
			})
			if got, err := w.M.EPStatus(ep); err == nil {
				ended[got.State]++
			}
		}
		w.check(ended[dat.EPConnected] > 0 && ended[dat.EPDisconnected] > 0, "the endpoints ended as %v", ended)
		w.checkHistories()
	}},
}

// prepare creates all endpoints and the service point, and draws the fates.
func (s *storm) prepare(random *rand.Rand) {
	s.Helper()
	crs := s.evdOfLength(s.B, 4096, dat.StreamCR)
	o, err := s.M.CreatePSP(s.ctx, call, manager.PSPCreate{IA: s.B, EVD: crs})
	s.must(err)
	s.point = &servicePoint{w: s.World, ia: s.B, id: o.ID, evd: crs, qual: int64(o.ConnQual)}
	for _, side := range []struct {
		ia   dat.Handle
		list *[]dat.Handle
	}{{s.A, &s.actives}, {s.B, &s.passives}} {
		zone, conn := s.pz(side.ia), s.evdOfLength(side.ia, 16384, dat.StreamConnection)
		for range pairs {
			*side.list = append(*side.list, s.createEP(manager.EPCreate{
				IA:     side.ia,
				Values: dat.Values{dat.ParamPZ: zone, dat.ParamConnectEVD: conn},
			}).ID)
		}
	}
	for range pairs {
		s.fates = append(s.fates, fate(random.IntN(int(numFates))))
	}
}

// onlyRefusals fails the case on an error that is no refusal.
func (s *storm) onlyRefusals(err error) {
	s.Helper()
	var d *dat.Error
	if err != nil && (!errors.As(err, &d) || d.Return == dat.RetInternalError) {
		s.Error(err)
	}
}

// dial connects the active end of a pair, which may vanish immediately afterwards.
func (s *storm) dial(i int) {
	in := s.point.connectInput()
	in.TimeoutUS, in.PrivateData = ptr(int64(500_000)), []byte(strconv.Itoa(i)+" ")
	_, err := s.M.ConnectEP(s.ctx, call, s.actives[i], in)
	s.onlyRefusals(err)
	switch s.fates[i] {
	case activeFreed:
		s.onlyRefusals(s.M.FreeEP(s.ctx, call, s.actives[i]))
	case activeDisconnects:
		_, err := s.M.DisconnectEP(s.ctx, call, s.actives[i], dat.CloseAbrupt)
		s.onlyRefusals(err)
	}
}

// answer takes the connection requests and decides each.
func (s *storm) answer() {
	for seen := 0; seen < pairs; {
		got, err := s.M.Dequeue(s.ctx, s.point.evd, 16, 1, waitLimit)
		if err != nil || len(got) == 0 {
			s.Errorf("after %d requests: %v", seen, err)
			return
		}
		for _, ev := range got {
			seen++
			s.decide(ev)
		}
	}
}

// decide does with a connection request what the fate of its pair says.
func (s *storm) decide(ev dat.Event) {
	digits, _, _ := strings.Cut(string(ev.Data.PrivateData), " ")
	i, err := strconv.Atoi(digits)
	if err != nil {
		s.Errorf("a request carries %q", ev.Data.PrivateData)
		return
	}
	switch s.fates[i] {
	case ignored:
		return
	case rejected:
		s.onlyRefusals(s.M.RejectCR(s.ctx, call, ev.Data.CR, nil))
		return
	case handedOff:
		s.onlyRefusals(s.M.HandoffCR(s.ctx, call, ev.Data.CR, s.point.qual%65535+1))
		return
	}
	_, err = s.M.AcceptCR(s.ctx, call, ev.Data.CR, manager.CRAccept{Endpoint: s.passives[i]})
	s.onlyRefusals(err)
	switch s.fates[i] {
	case passiveFreed:
		s.onlyRefusals(s.M.FreeEP(s.ctx, call, s.passives[i]))
	case passiveKilled:
		s.Faults.Kill(s.passives[i])
	}
}

// inputsOf are the inputs behind each cause of the log.
var inputsOf = func() map[string][]dat.Input {
	m := map[string][]dat.Input{}
	for in := dat.OpModify; in <= dat.EvRequestGone; in++ {
		m[in.Cause()] = append(m[in.Cause()], in)
	}
	return m
}()

// stormRules are the rules of the events that the storm must contain, by the cause in the log.
var stormRules = map[string]string{
	dat.EvEstablished.Cause(): "T22", dat.EvPeerRejected.Cause(): "T23", dat.EvTimedOut.Cause(): "T25",
	dat.EvNonPeerRejected.Cause(): "T26", dat.EvDisconnected.Cause(): "T36", dat.EvAcceptFailed.Cause(): "T15",
}

// checkHistories walks the changes of every endpoint through the transition table:
// each must be possible in a state where the one before it led, versions and ids
// growing.
func (w *World) checkHistories() {
	w.Helper()
	histories := map[dat.Handle][]dat.Change{}
	for _, c := range w.Rec.Changes() {
		if c.Object.Type == dat.TypeEndpoint && c.Outcome == dat.RetSuccess {
			histories[c.Object.ID] = append(histories[c.Object.ID], c)
		}
	}
	w.check(len(histories) >= 2*pairs, "only %d endpoints have a history", len(histories))
	for id, changes := range histories {
		states := map[dat.EPState]bool{dat.EPUnconnected: true}
		for i, c := range changes {
			w.proves("T50")
			w.check(c.Version == int64(i+1) && (i == 0 || c.ID > changes[i-1].ID), "%s: change %d is version %d, id %d", id, i, c.Version, c.ID)
			if i == 0 {
				continue
			}
			w.provesIfClaimed("T50", stormRules[c.Cause])
			next := following(states, c.Cause)
			w.check(len(next) > 0, "%s: %s cannot follow in %v", id, c.Cause, states)
			states = next
		}
		if got, err := w.M.EPStatus(id); err == nil {
			w.check(states[got.State], "%s is %s, its changes led to %v", id, got.State, states)
		}
	}
}

// following returns the states in which a cause can leave an endpoint that is in one
// of the states.
func following(states map[dat.EPState]bool, cause string) map[dat.EPState]bool {
	next := map[dat.EPState]bool{}
	for s := range states {
		for _, in := range inputsOf[cause] {
			if v := dat.Judge(s, in); v.Kind != dat.Refuse {
				next[v.Next] = true
			}
		}
	}
	return next
}
