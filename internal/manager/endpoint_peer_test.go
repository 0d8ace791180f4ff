package manager_test

import (
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

func TestAPeerOnThisNodeIsFoundByAddressAndQualifiers(t *testing.T) {
	node := newNode(t)
	node.hooks.refuse("hide PeerEP", errors.New("yes"))
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	for range 2 {
		node.connect(a, b)
		node.waitUntil("one of them knows the other", func() bool {
			x, y := node.endpoint(a.ep).Peer, node.endpoint(b.ep).Peer
			return x != nil && x.Endpoint == b.ep || y != nil && y.Endpoint == a.ep
		})
		for _, e := range []testEP{a, b} {
			_, err := node.m.DisconnectEP(node.ctx(), testCall, e.ep, dat.CloseAbrupt)
			node.must(err)
			node.expectEvent(e.evd, dat.EventDisconnected)
			_, err = node.m.ResetEP(node.ctx(), testCall, e.ep)
			node.must(err)
		}
	}
}
