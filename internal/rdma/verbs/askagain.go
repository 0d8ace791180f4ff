//go:build verbs

package verbs

import (
	"errors"
	"slices"
	"syscall"
)

// mostRepeats is how often a connection is asked for again at most.
const mostRepeats = 4

// localPortRefusals are what rdma_connect fails with over iWARP where TCP cannot use the
// local port. The connection manager chooses it without asking TCP: the port may be in
// use by TCP (EADDRINUSE), or there may be a connection between the same addresses and
// ports that has not ended yet (EADDRNOTAVAIL).
var localPortRefusals = []error{syscall.EADDRINUSE, syscall.EADDRNOTAVAIL}

// askedAgain is the name of the counter of connections that were asked for again.
const askedAgain = "connects_asked_again"

// askAgain asks for the connection again where the local port cannot be used, with a new CM
// id and so another local port. The QP, which nothing has come to yet, moves to the new id
// with the receives that were posted to it. It returns the id that was used before, which
// the caller destroys: while it is there the connection manager does not choose its port
// again. It reports false, and has changed nothing, where err is something else, where the
// connection was ended meanwhile, or where there is no other port. The lock is held.
func (c *conn) askAgain(err error) (used cmID, ok bool) {
	refused := slices.ContainsFunc(localPortRefusals, func(r error) bool { return errors.Is(err, r) })
	if !c.hw.iwarp || !refused || c.ended || c.repeats == mostRepeats {
		return cmID{}, false
	}
	id, err := c.newID()
	if err != nil {
		return cmID{}, false
	}
	c.setOptions(id)
	if c.resolveAddr(id) != nil {
		c.hw.destroyID(id)
		return cmID{}, false
	}
	id.takeQP(c.id)
	used, c.id = c.id, id
	c.repeats++
	c.hw.ia.repeats.Add(1)
	return used, true
}
