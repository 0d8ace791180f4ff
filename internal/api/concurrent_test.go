package api

import (
	"fmt"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/store"
)

func TestARevertTakesBackWhatWasRecordedWhileItWaited(t *testing.T) {
	r := newRig(t)
	for range 8 {
		ep := r.endpoint("soft0@alpha")
		r.do("PATCH", "/endpoints/"+ep, members{"attributes": members{"max_recv_dtos": 20}}).is(200)
		other, err := r.manager.BeginBatch(t.Context(), dat.Handle(ep)) // holds the endpoint
		must(t, err)
		reverted := make(chan reply, 1)
		go func() { reverted <- r.do("POST", "/endpoints/"+ep+"/revert", members{"version": 1}) }()
		for range 4 { // in this time the revert comes to its wait for the endpoint
			r.do("GET", "/endpoints/"+ep+"/history/1", nil).is(200)
		}
		_, err = other.ModifyEP(manager.Call{Actor: "other"}, dat.Handle(ep), manager.EPModify{Values: dat.Values{dat.ParamMaxRequestDTOs: int64(3)}})
		must(t, err)
		_, err = other.Run(t.Context())
		must(t, err)
		now, first := (<-reverted).is(200), r.do("GET", "/endpoints/"+ep+"/history/1", nil).is(200)
		for _, member := range []string{"max_recv_dtos", "max_request_dtos"} {
			if got, want := now.at("attributes", member), first.at("after", "attributes", member); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s is %v after the revert, it was %v in version 1", member, got, want)
			}
		}
	}
}

func TestWhoHearsOfAChangeReadsIt(t *testing.T) {
	const changes = 300
	r := newRig(t)
	ep := dat.Handle(r.endpoint("soft0@alpha"))
	heard := make(chan error, 1)
	watcher, err := r.store.Log().Subscribe(t.Context(), r.store.Log().Position(), store.ChangeFilter{Objects: []dat.Handle{ep}})
	must(t, err)
	go func() {
		for n := 0; n < changes; {
			d, err := watcher.Next(t.Context())
			if err != nil {
				heard <- err
				return
			}
			for _, c := range d.Changes {
				n++
				img, ok := r.manager.Get(dat.TypeEndpoint, ep)
				if !ok || img.Head().Version < c.Version {
					heard <- fmt.Errorf("version %d was told of and %d is read", c.Version, img.Head().Version)
					return
				}
				if live := r.manager.Live(ep); int64(live.Attributes.MaxRecvDTOs) < c.Version {
					heard <- fmt.Errorf("version %d was told of and the parameters of %d are in force", c.Version, live.Attributes.MaxRecvDTOs)
					return
				}
			}
		}
		heard <- nil
	}()
	for n := range changes {
		_, err := r.manager.ModifyEP(t.Context(), manager.Call{Actor: "test"}, ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(n + 2)}})
		must(t, err)
	}
	must(t, <-heard)
}
