package soft

import (
	"errors"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

func TestAcceptEstablishesBothEndsWithPrivateData(t *testing.T) { // T14, T22
	run(t, func(r *rig) {
		a, b := r.ep(0, "a"), r.ep(1, "b")
		l, err := r.ias[1].Listen("sp", 7000, false)
		r.must(err)
		r.must(a.Connect(rdma.Connect{RemoteAddress: "fd77::2", RemoteQual: 7000, PrivateData: []byte("hello")}))
		q := r.expect(1, "request")[0]
		if q.SP != "sp" || q.RemoteAddress != "10.77.0.1" || string(q.PrivateData) != "hello" || q.Attributes.MaxRecvDTOs != 16 {
			t.Fatalf("the request is %+v", q)
		}
		r.must(q.Request.Accept(b, []byte("accepted")))
		up := r.expect(0, "established")[0]
		if string(up.PrivateData) != "accepted" || up.PeerEP != "b" || up.RemoteQual != 7000 {
			t.Fatalf("the active end learnt %+v", up)
		}
		if up := r.expect(1, "established")[0]; len(up.PrivateData) != 0 || up.RemoteQual != q.RemoteQual || up.LocalQual != l.Qual() {
			t.Fatalf("the passive end learnt %+v", up)
		}
		if s := a.Transport(); s.QPNum == nil || *s.QPState != "RTS" {
			t.Fatalf("the queue pair is %+v", s)
		}
	})
}

func TestConnectingEndsAsTheOtherSideSays(t *testing.T) { // T23, T24, T26, T9
	run(t, func(r *rig) {
		l, err := r.ias[1].Listen("sp", 7000, true)
		r.must(err)
		try := func(address string, qual int32, want string) {
			t.Helper()
			e := r.ep(0, "e")
			r.must(e.PostRecv([]rdma.Recv{{WR: 1}}))
			r.must(e.Connect(rdma.Connect{RemoteAddress: address, RemoteQual: qual}))
			r.expect(0, "RECEIVE 1 DAT_DTO_ERR_FLUSHED", want)
			e.Free()
		}
		try("10.77.0.99", 7000, "unreachable")
		try("10.77.0.2", 7001, "non peer rejected")
		first := r.ep(0, "first")
		request := r.request(first, 7000)
		try("10.77.0.2", 7000, "non peer rejected") // a reserved service point takes one
		request.Reject(true, []byte("no"))
		if got := r.expect(0, "peer rejected")[0]; string(got.PrivateData) != "no" {
			t.Fatalf("the rejection is %+v", got)
		}
		l.Free()
		r.fabric.Cut("soft0", "soft1")
		try("10.77.0.2", 7000, "unreachable")
		var refused *dat.Error
		if err := r.ep(0, "x").Connect(rdma.Connect{RemoteAddress: "nowhere"}); !errors.As(err, &refused) ||
			refused.Return != dat.RetInvalidAddress {
			t.Fatalf("a malformed address gave %v", err)
		}
	})
}

func TestBacklogRejectsWhatIsBeyondIt(t *testing.T) { // T26
	run(t, func(r *rig) {
		_, err := r.ias[1].Listen("sp", 7000, false)
		r.must(err)
		r.request(r.ep(0, "one"), 7000)
		two := r.ep(0, "two")
		r.must(two.Connect(rdma.Connect{RemoteAddress: "10.77.0.2", RemoteQual: 7000}))
		r.expect(0, "non peer rejected")
	}, WithBacklog(1))
}

func TestWithdrawnRequestFailsItsAccept(t *testing.T) { // T46, T15
	run(t, func(r *rig) {
		_, err := r.ias[1].Listen("sp", 7000, false)
		r.must(err)
		a, b := r.ep(0, "a"), r.ep(1, "b")
		request := r.request(a, 7000)
		a.Disconnect()
		r.expect(1, "request gone")
		r.must(b.PostRecv([]rdma.Recv{{WR: 5}}))
		r.must(request.Accept(b, nil))
		r.expect(1, "RECEIVE 5 DAT_DTO_ERR_FLUSHED", "accept failed")
		r.expect(0)
	})
}

func TestAcceptFailsWhereThePeerLeavesMeanwhile(t *testing.T) { // T15, D18
	run(t, func(r *rig) {
		_, err := r.ias[1].Listen("sp", 7000, false)
		r.must(err)
		a, b := r.ep(0, "a"), r.ep(1, "b")
		request := r.request(a, 7000)
		r.fabric.Hold()
		r.must(request.Accept(b, nil))
		a.Free()
		r.fabric.Release()
		r.expect(1, "accept failed")
	})
}

func TestHandoffArrivesAtTheOtherQualifier(t *testing.T) { // T19, T47
	run(t, func(r *rig) {
		_, err := r.ias[1].Listen("one", 7000, false)
		r.must(err)
		_, err = r.ias[1].Listen("two", 7001, false)
		r.must(err)
		a, c := r.ep(0, "a"), r.ep(0, "c")
		r.request(a, 7000).Handoff(7001)
		if q := r.expect(1, "request")[0]; q.SP != "two" || q.LocalQual != 7001 {
			t.Fatalf("the handed-off request is %+v", q)
		}
		r.request(c, 7000).Handoff(7002)
		r.expect(0, "non peer rejected")
	})
}

func TestDisconnectFlushesBothEndsAndTellsThePeer(t *testing.T) { // T29, T36
	run(t, func(r *rig) {
		a, b := r.pair()
		r.must(a.PostRecv(r.recvs(1, 8)))
		r.must(b.PostRecv(r.recvs(1, 8)))
		a.Disconnect()
		r.expect(0, "RECEIVE 1 DAT_DTO_ERR_FLUSHED")
		r.expect(1, "RECEIVE 2 DAT_DTO_ERR_FLUSHED", "disconnected")
		r.must(a.Post(r.sends("late")))
		r.must(a.PostRecv(r.recvs(1, 8)))
		r.expect(0, "SEND 3 DAT_DTO_ERR_FLUSHED", "RECEIVE 4 DAT_DTO_ERR_FLUSHED")
		r.must(a.Reset())
		r.must(b.Reset())
		r.expect(0, "reset")
		r.expect(1, "reset")
		r.connect(a, b)
	})
}

func TestKilledPeerIsNoticedBySendingOnly(t *testing.T) { // T37
	run(t, func(r *rig) {
		a, b := r.pair()
		if !r.fabric.Kill("b") {
			t.Fatal("there is no endpoint b")
		}
		b.Disconnect()
		r.expect(1)
		r.expect(0)
		r.must(a.Probe())
		r.expect(0)
		time.Sleep(time.Second)
		r.expect(0, "probe DAT_DTO_ERR_TRANSPORT")
	})
}

func TestCutLinkMendedInTimeLosesNothing(t *testing.T) {
	run(t, func(r *rig) {
		a, b := r.pair()
		r.must(b.PostRecv(r.recvs(2, 8)))
		r.fabric.Cut("soft0", "soft1")
		r.must(a.Post(r.sends("one", "two")))
		r.expect(0)
		r.fabric.Mend("soft1", "soft0")
		time.Sleep(time.Second)
		r.expect(0, "SEND 3 DAT_DTO_SUCCESS", "SEND 4 DAT_DTO_SUCCESS")
		r.expect(1, "RECEIVE 1 DAT_DTO_SUCCESS", "RECEIVE 2 DAT_DTO_SUCCESS")
	})
}

func TestRemovedDeviceBreaksItsPeersAndComesBackEmpty(t *testing.T) { // T48, T49
	run(t, func(r *rig) {
		a, b := r.pair()
		r.must(b.PostRecv(r.recvs(1, 8)))
		if !r.fabric.Remove("soft1") || r.fabric.Remove("soft1") {
			t.Fatal("a device can be removed once")
		}
		r.expect(0, "broken")
		r.expect(1, "RECEIVE 1 DAT_DTO_ERR_FLUSHED", "device gone")
		_, err := r.ias[1].CreatePZ("late")
		var refused *dat.Error
		if !errors.As(err, &refused) || refused.Return != dat.RetInvalidState || refused.Kind != "ia-gone" {
			t.Fatalf("a call without a device gave %v", err)
		}
		b.Free()
		r.fabric.Return("soft1")
		r.expect(1, "device back")
		err = b.PostRecv(r.recvs(1, 8))
		if refused = nil; !errors.As(err, &refused) || refused.Kind != "ia-gone" {
			t.Fatalf("a call on an object that went with its device gave %v", err)
		}
		r.zones[1], err = r.ias[1].CreatePZ("pz1")
		r.must(err)
		r.must(a.Reset())
		r.expect(0, "reset")
		r.connect(a, r.ep(1, "b"))
	})
}

func TestPluggedAdapterArrives(t *testing.T) {
	run(t, func(r *rig) {
		if name := r.fabric.Plug(); name != "soft2" {
			t.Fatalf("the new adapter is %q", name)
		}
		if ia := <-r.provider.Arrivals(); ia.Name() != "soft2" {
			t.Fatalf("%s arrived", ia.Name())
		}
	})
}

func TestDelayKeepsTheOrder(t *testing.T) {
	run(t, func(r *rig) {
		a, b := r.pair()
		r.must(b.PostRecv(r.recvs(1, 8)))
		r.fabric.SetDelay(time.Second)
		r.must(a.Post(r.sends("one")))
		a.Disconnect()
		r.expect(0, "SEND 2 DAT_DTO_ERR_FLUSHED")
		r.expect(1)
		time.Sleep(2 * time.Second)
		r.expect(1, "RECEIVE 1 DAT_DTO_ERR_FLUSHED", "disconnected")
	})
}
