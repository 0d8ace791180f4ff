package rdmatest

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// fate is what becomes of one pair of the storm.
type fate int

const (
	accepted fate = iota
	rejected
	ignored
	handedOff
	activeFreed
	activeLeaves
	passiveFreed
	passiveKilled
	numFates
)

// storm is many pairs that connect at once.
type storm struct {
	*World
	actives, passives []dat.Handle
	fates             []fate
	point             *point
	wg                sync.WaitGroup
}

// pairs is how many connect at once.
const pairs = 500

var stormCases = []Case{
	{"T50 T22 T23 T24 T25 T26 T36 T46", "1,000 endpoints connecting pairwise at once while peers vanish end in states of the table, recorded in order, and leave nothing", func(w *World) {
		s := &storm{World: w}
		s.prepare(rand.New(rand.NewPCG(7, 7)))
		for i := range pairs {
			s.wg.Go(func() { s.dial(i) })
		}
		s.wg.Go(s.answer)
		s.wg.Wait()
		settled := map[dat.EPState]int{}
		for _, ep := range append(s.actives, s.passives...) {
			w.until("an endpoint is stuck on its way", func() bool {
				got, err := w.M.EPStatus(ep)
				return err != nil || got.State != dat.EPActiveConnectionPending && got.State != dat.EPCompletionPending
			})
			if got, err := w.M.EPStatus(ep); err == nil {
				settled[got.State]++
			}
		}
		if settled[dat.EPConnected] == 0 || settled[dat.EPDisconnected] == 0 {
			w.Errorf("the endpoints ended as %v", settled)
		}
		w.legal(settled)
	}},
}

// prepare makes all endpoints and the service point, and draws the fates.
func (s *storm) prepare(random *rand.Rand) {
	s.Helper()
	crs := s.evdOf(s.B, 4096, dat.StreamCR)
	o, err := s.M.CreatePSP(s.ctx, call, manager.PSPCreate{IA: s.B, EVD: crs})
	s.must(err)
	s.point = &point{w: s.World, ia: s.B, id: o.ID, evd: crs, qual: int64(o.ConnQual)}
	for _, side := range []struct {
		ia   dat.Handle
		list *[]dat.Handle
	}{{s.A, &s.actives}, {s.B, &s.passives}} {
		zone, conn := s.pz(side.ia), s.evdOf(side.ia, 16384, dat.StreamConnection)
		for range pairs {
			*side.list = append(*side.list, s.ep(manager.EPCreate{
				IA:     side.ia,
				Values: dat.Values{dat.ParamPZ: zone, dat.ParamConnectEVD: conn},
			}).ID)
		}
	}
	for range pairs {
		s.fates = append(s.fates, fate(random.IntN(int(numFates))))
	}
}

// fine fails on errors that are no refusals.
func (s *storm) fine(err error) {
	s.Helper()
	var d *dat.Error
	if err != nil && (!errors.As(err, &d) || d.Return == dat.RetInternalError) {
		s.Error(err)
	}
}

// dial connects the active end of a pair, which may vanish at once.
func (s *storm) dial(i int) {
	in := s.point.to()
	in.TimeoutUS, in.PrivateData = ptr(int64(500_000)), []byte(strconv.Itoa(i)+" ")
	_, err := s.M.ConnectEP(s.ctx, call, s.actives[i], in)
	s.fine(err)
	switch s.fates[i] {
	case activeFreed:
		s.fine(s.M.FreeEP(s.ctx, call, s.actives[i]))
	case activeLeaves:
		_, err := s.M.DisconnectEP(s.ctx, call, s.actives[i], dat.CloseAbrupt)
		s.fine(err)
	}
}

// answer takes the requests and does with each what its fate says.
func (s *storm) answer() {
	for seen := 0; seen < pairs; {
		got, err := s.M.Dequeue(s.ctx, s.point.evd, 16, 1, patience)
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
		s.fine(s.M.RejectCR(s.ctx, call, ev.Data.CR, nil))
		return
	case handedOff:
		s.fine(s.M.HandoffCR(s.ctx, call, ev.Data.CR, s.point.qual%65535+1))
		return
	}
	_, err = s.M.AcceptCR(s.ctx, call, ev.Data.CR, manager.CRAccept{Endpoint: s.passives[i]})
	s.fine(err)
	switch s.fates[i] {
	case passiveFreed:
		s.fine(s.M.FreeEP(s.ctx, call, s.passives[i]))
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

// legal walks the changes of every endpoint through the transition table: each
// must be possible where the one before it led, versions and ids growing.
func (w *World) legal(ended map[dat.EPState]int) {
	w.Helper()
	histories := map[dat.Handle][]dat.Change{}
	for _, c := range w.Rec.Changes() {
		if c.Object.Type == dat.TypeEndpoint && c.Outcome == dat.RetSuccess {
			histories[c.Object.ID] = append(histories[c.Object.ID], c)
		}
	}
	for id, changes := range histories {
		states := map[dat.EPState]bool{dat.EPUnconnected: true}
		for i, c := range changes {
			if c.Version != int64(i+1) || i > 0 && c.ID <= changes[i-1].ID {
				w.Errorf("%s: change %d is version %d, id %d", id, i, c.Version, c.ID)
			}
			if i == 0 {
				continue
			}
			next := map[dat.EPState]bool{}
			for s := range states {
				for _, in := range inputsOf[c.Cause] {
					if v := dat.Judge(s, in); v.Kind != dat.Refuse {
						next[v.Next] = true
					}
				}
			}
			if len(next) == 0 {
				w.Errorf("%s: %s cannot follow in %v", id, c.Cause, states)
			}
			states = next
		}
		if got, err := w.M.EPStatus(id); err == nil && !states[got.State] {
			w.Errorf("%s is %s, its changes led to %v", id, got.State, states)
		}
	}
	if len(histories) < 2*pairs {
		w.Errorf("%d endpoints have a history, ended as %v", len(histories), ended)
	}
}
