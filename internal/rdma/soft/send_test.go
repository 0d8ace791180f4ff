package soft

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

func TestSendFillsTheOldestReceive(t *testing.T) {
	run(t, func(r *rig) {
		a, b := r.pair()
		r.must(b.PostRecv(r.recvs(2, 8)))
		send := r.sends("one", "two")
		send[1].Solicited = true
		r.must(a.Post(send))
		r.expect(0, "SEND 3 DAT_DTO_SUCCESS", "SEND 4 DAT_DTO_SUCCESS")
		got := r.expect(1, "RECEIVE 1 DAT_DTO_SUCCESS", "RECEIVE 2 DAT_DTO_SUCCESS")
		if string(got[0].Payload) != "one" || got[0].Length != 3 || got[0].Solicited || !got[1].Solicited {
			t.Fatalf("the receives are %+v", got)
		}
	})
}

func TestSendWithoutReceiveBreaksBothEndsAfterItsRetries(t *testing.T) { // W15
	run(t, func(r *rig) {
		a, _ := r.pair()
		r.must(a.Post(r.sends("one", "two")))
		r.expect(0)
		time.Sleep(time.Second)
		r.expect(0, "SEND 1 DAT_DTO_ERR_RECEIVER_NOT_READY", "SEND 2 DAT_DTO_ERR_FLUSHED")
		r.expect(1, "broken")
	})
}

func TestReceivePostedDuringRetriesIsUsed(t *testing.T) {
	run(t, func(r *rig) {
		a, b := r.pair()
		r.must(a.Post(r.sends("one")))
		time.Sleep(30 * time.Millisecond)
		r.must(b.PostRecv(r.recvs(1, 8)))
		r.expect(0, "SEND 1 DAT_DTO_SUCCESS")
		r.expect(1, "RECEIVE 2 DAT_DTO_SUCCESS")
		time.Sleep(time.Second)
		r.expect(1)
	})
}

func TestTooLongMessageFailsAtBothEnds(t *testing.T) { // T37
	run(t, func(r *rig) {
		a, b := r.pair()
		r.must(b.PostRecv(r.recvs(2, 2)))
		r.must(a.Post(r.sends("long")))
		r.expect(0, "SEND 3 DAT_DTO_ERR_REMOTE_RESPONDER")
		r.expect(1, "RECEIVE 1 DAT_DTO_ERR_LOCAL_LENGTH", "RECEIVE 2 DAT_DTO_ERR_FLUSHED")
	})
}

func TestReceivePostedInAnotherZoneFailsWithLocalProtection(t *testing.T) { // M7
	run(t, func(r *rig) {
		a, b := r.ep(0, "a"), r.ep(1, "b")
		r.must(b.PostRecv(r.recvs(1, 8)))
		other, err := r.ias[1].CreatePZ("other")
		r.must(err)
		r.must(b.Modify(rdma.EPParams{PZ: other}))
		r.connect(a, b)
		r.must(a.Post(r.sends("one")))
		r.expect(0, "SEND 2 DAT_DTO_ERR_REMOTE_RESPONDER")
		r.expect(1, "RECEIVE 1 DAT_DTO_ERR_LOCAL_PROTECTION")
	})
}

func TestBurstTakesAllItsSharedReceivesFirst(t *testing.T) { // W9, S5
	run(t, func(r *rig) {
		q, err := r.ias[1].CreateSRQ("srq", r.zones[1], 8, 1)
		r.must(err)
		a, b := r.ep(0, "a"), r.ep(1, "b", func(p *rdma.EPParams) { p.SRQ = q })
		r.connect(a, b)
		r.must(q.PostRecv(r.recvs(3, 8)))
		r.must(q.SetLowWatermark(2))
		r.must(a.Post(r.sends("one", "two")))
		r.expect(1, "taken 1", "taken 2", "srq limit", "RECEIVE 1 DAT_DTO_SUCCESS", "RECEIVE 2 DAT_DTO_SUCCESS")
		r.expect(0, "SEND 4 DAT_DTO_SUCCESS", "SEND 5 DAT_DTO_SUCCESS")
		r.must(a.Post(r.sends("three", "four")))
		r.expect(1, "taken 3", "RECEIVE 3 DAT_DTO_SUCCESS") // the mark fires once
		r.must(q.PostRecv(r.recvs(1, 8)))
		r.expect(1, "taken 8", "RECEIVE 8 DAT_DTO_SUCCESS")
		r.must(q.SetLowWatermark(1))
		r.expect(1, "srq limit")
		if err := q.PostRecv(r.recvs(9, 8)); err == nil {
			t.Fatal("an SRQ of 8 took 9 receives")
		}
	})
}

// memory registers size bytes with all privileges but the ones left out.
func (r *rig) memory(ia int, size int64, without ...dat.Privilege) rdma.LMR {
	r.Helper()
	spec := rdma.LMRSpec{PZ: r.zones[ia], Length: size}
	for p := dat.PrivLocalRead; p <= dat.PrivRemoteWrite; p++ {
		if rightsOf(without).has(p) {
			continue
		}
		spec.Privileges = append(spec.Privileges, p)
	}
	l, err := r.ias[ia].CreateLMR(dat.Handle(fmt.Sprint("lmr", ia)), spec)
	r.must(err)
	return l
}

// rdma makes a write or read of n bytes between local and the first bytes of remote.
func (r *rig) rdma(kind dat.DTOKind, local rdma.LMR, n int64, key uint32, address uint64) rdma.Request {
	r.wr++
	return rdma.Request{WR: r.wr, Kind: kind, LMR: local, Length: n, RemoteContext: key, RemoteAddress: address}
}

func TestRDMAMovesBytesWithinBoundsAndPrivileges(t *testing.T) {
	write, read := dat.KindRDMAWrite, dat.KindRDMARead
	for _, c := range []struct {
		name           string
		kind           dat.DTOKind
		local, remote  []dat.Privilege
		length         int64
		off            uint64
		active, passiv string
	}{
		{"write", write, nil, nil, 4, 2, "RDMA_WRITE 1 DAT_DTO_SUCCESS", ""},
		{"read", read, nil, nil, 4, 2, "RDMA_READ 1 DAT_DTO_SUCCESS", ""},
		{"nothing", read, nil, nil, 0, 99, "RDMA_READ 1 DAT_DTO_SUCCESS", ""},
		{"write beyond", write, nil, nil, 7, 2, "RDMA_WRITE 1 DAT_DTO_ERR_REMOTE_ACCESS", "ep error"},
		{"write forbidden", write, nil, []dat.Privilege{dat.PrivRemoteWrite}, 4, 0, "RDMA_WRITE 1 DAT_DTO_ERR_REMOTE_ACCESS", "ep error"},
		{"read forbidden", read, nil, []dat.Privilege{dat.PrivRemoteRead}, 4, 0, "RDMA_READ 1 DAT_DTO_ERR_REMOTE_ACCESS", "ep error"},
		{"write of unreadable", write, []dat.Privilege{dat.PrivLocalRead}, nil, 4, 0, "RDMA_WRITE 1 DAT_DTO_ERR_LOCAL_PROTECTION", "disconnected"},
		{"read into unwritable", read, []dat.Privilege{dat.PrivLocalWrite}, nil, 4, 0, "RDMA_READ 1 DAT_DTO_ERR_LOCAL_PROTECTION", "disconnected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, func(r *rig) {
				a, _ := r.pair()
				local, remote := r.memory(0, 8, c.local...), r.memory(1, 8, c.remote...)
				_, err := local.WriteAt([]byte("abcd"), 0)
				r.must(err)
				_, err = remote.WriteAt([]byte("01234567"), 0)
				r.must(err)
				key, address := remote.Context()
				r.must(a.Post([]rdma.Request{r.rdma(c.kind, local, c.length, key, address+c.off)}))
				active, passive := []string{c.active}, []string(nil)
				if c.passiv != "" {
					passive = append(passive, c.passiv)
				}
				r.expect(0, active...)
				r.expect(1, passive...)
				here, there := make([]byte, 8), make([]byte, 8)
				_, _ = local.ReadAt(here, 0)
				_, _ = remote.ReadAt(there, 0)
				want := map[string]string{"write": "01abcd67", "read": "01234567"}[c.name]
				if c.passiv == "" && want != "" && string(there) != want {
					t.Fatalf("the peer's memory is %q", there)
				}
				if c.name == "read" && string(here[:4]) != "2345" {
					t.Fatalf("%q was read", here)
				}
			})
		})
	}
}

func TestZonesProtectMemoryOfTheSameAdapter(t *testing.T) {
	run(t, func(r *rig) {
		a, _ := r.pair()
		local := r.memory(0, 8)
		other, err := r.ias[1].CreatePZ("other")
		r.must(err)
		r.zones[1] = other
		key, address := r.memory(1, 8).Context()
		r.must(a.Post([]rdma.Request{r.rdma(dat.KindRDMAWrite, local, 4, key, address)}))
		r.expect(0, "RDMA_WRITE 1 DAT_DTO_ERR_REMOTE_ACCESS")
	})
}

func TestBindGivesANewKeyAndKillsTheOld(t *testing.T) {
	run(t, func(r *rig) {
		a, b := r.pair()
		local, memory := r.memory(0, 8), r.memory(1, 8)
		window, err := r.ias[1].CreateRMR("rmr", r.zones[1])
		r.must(err)
		bind := func() rdma.Report {
			t.Helper()
			r.wr++
			r.must(b.Post([]rdma.Request{{
				WR: r.wr, Kind: dat.KindRMRBind, RMR: window, LMR: memory, Offset: 4, Length: 4,
				Privileges: []dat.Privilege{dat.PrivRemoteWrite},
			}}))
			return r.expect(1, fmt.Sprintf("RMR_BIND %d DAT_DTO_SUCCESS", r.wr))[0]
		}
		one := bind()
		r.must(a.Post([]rdma.Request{r.rdma(dat.KindRDMAWrite, local, 4, one.RMRContext, one.TargetAddress)}))
		r.expect(0, "RDMA_WRITE 2 DAT_DTO_SUCCESS")
		if two := bind(); two.RMRContext == one.RMRContext {
			t.Fatal("the second bind has the first one's key")
		}
		r.must(a.Post([]rdma.Request{r.rdma(dat.KindRDMAWrite, local, 4, one.RMRContext, one.TargetAddress)}))
		r.expect(0, "RDMA_WRITE 4 DAT_DTO_ERR_REMOTE_ACCESS")
		window.Free()
		window.Free()
	})
}

func TestBindOfForeignMemoryFails(t *testing.T) { // T37
	run(t, func(r *rig) {
		_, b := r.pair()
		memory := r.memory(1, 8, dat.PrivLocalWrite)
		window, err := r.ias[1].CreateRMR("rmr", r.zones[1])
		r.must(err)
		r.must(b.Post([]rdma.Request{{
			WR: 1, Kind: dat.KindRMRBind, RMR: window, LMR: memory, Length: 8,
			Privileges: []dat.Privilege{dat.PrivRemoteWrite},
		}}))
		r.expect(1, "RMR_BIND 1 DAT_RMR_OPERATION_FAILED")
		r.expect(0, "disconnected")
	})
}

func TestReadsWaitForTheirLimitAndFencesForReads(t *testing.T) {
	run(t, func(r *rig) {
		a, b := r.pair(func(p *rdma.EPParams) { p.Attributes.MaxRDMAReadIn = 1 })
		r.must(b.PostRecv(r.recvs(1, 8)))
		local := r.memory(0, 8)
		key, address := r.memory(1, 8).Context()
		r.fabric.SetDelay(time.Second)
		posts := []rdma.Request{r.rdma(dat.KindRDMARead, local, 4, key, address), r.rdma(dat.KindRDMARead, local, 4, key, address)}
		last := r.sends("end")[0]
		last.Fence = true
		r.must(a.Post(append(posts, last)))
		for _, want := range []string{"RDMA_READ 2 DAT_DTO_SUCCESS", "RDMA_READ 3 DAT_DTO_SUCCESS", "SEND 4 DAT_DTO_SUCCESS"} {
			time.Sleep(2*time.Second + time.Millisecond)
			r.expect(0, want)
		}
	})
}

func TestReadsWithoutCreditsFailLocally(t *testing.T) {
	run(t, func(r *rig) {
		a, _ := r.pair(func(p *rdma.EPParams) { p.Attributes.MaxRDMAReadIn = 0 })
		local := r.memory(0, 8)
		r.must(a.Post([]rdma.Request{r.rdma(dat.KindRDMARead, local, 4, 1, 1)}))
		r.expect(0, "RDMA_READ 1 DAT_DTO_ERR_LOCAL_EP")
	})
}

func TestRegionsShareTheirMemory(t *testing.T) {
	run(t, func(r *rig) {
		whole := r.memory(0, 64)
		part, err := r.ias[0].CreateLMR("part", rdma.LMRSpec{PZ: r.zones[0], MemType: dat.MemLMR, Of: whole, Offset: 8, Length: 8})
		r.must(err)
		spec := rdma.LMRSpec{PZ: r.zones[0], MemType: dat.MemSharedVirtual, SharedID: "x", Length: 16}
		one, err := r.ias[0].CreateLMR("one", spec)
		r.must(err)
		spec.PZ = r.zones[1]
		two, err := r.ias[1].CreateLMR("two", spec)
		r.must(err)
		_, err = whole.WriteAt([]byte("AB"), 8)
		r.must(err)
		_, err = one.WriteAt([]byte("CD"), 0)
		r.must(err)
		got := make([]byte, 2)
		if _, err = part.ReadAt(got, 0); err != nil || string(got) != "AB" {
			t.Fatalf("the part reads %q, %v", got, err)
		}
		if _, err = two.ReadAt(got, 0); err != nil || string(got) != "CD" {
			t.Fatalf("the other region reads %q, %v", got, err)
		}
		whole.Free()
		part.Free()
		one.Free()
		two.Free()
		if c := r.fabric.Census(); c.Memory != 0 || c.Keys != 0 || c.Shared != 0 {
			t.Fatalf("freed regions left %+v", c)
		}
		_, err = r.ias[0].CreateLMR("big", rdma.LMRSpec{PZ: r.zones[0], Length: 129})
		var refused *dat.Error
		if !errors.As(err, &refused) || refused.Return != dat.RetInsufficientResources {
			t.Fatalf("more memory than there is gave %v", err)
		}
	}, WithMemory(128))
}
