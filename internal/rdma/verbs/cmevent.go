package verbs

import (
	"strconv"
	"syscall"

	"github.com/datapi/datapi/internal/rdma"
)

// cmEvent is a copy of a connection manager's event, which is acknowledged already.
type cmEvent struct {
	kind, status int
	// key names what the id belongs to, listener the service point of a request.
	key, listener      uint64
	responderResources uint8
	initiatorDepth     uint8
	peerQPNum          uint32
	privateData        []byte
}

// connParam is what both sides of a connection tell the connection manager.
type connParam struct {
	responderResources, initiatorDepth, retryCount, rnrRetryCount uint8
}

// The events of the connection manager (enum rdma_cm_event_type), in their order.
const (
	cmAddrResolved = iota
	cmAddrError
	cmRouteResolved
	cmRouteError
	cmConnectRequest
	cmConnectResponse
	cmConnectError
	cmUnreachable
	cmRejected
	cmEstablished
	cmDisconnected
	cmDeviceRemoval
	cmMulticastJoin
	cmMulticastError
	cmAddrChange
	cmTimewaitExit
)

// cmNames are the names of the events.
var cmNames = [...]string{
	"RDMA_CM_EVENT_ADDR_RESOLVED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_RESOLVED",
	"RDMA_CM_EVENT_ROUTE_ERROR", "RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE",
	"RDMA_CM_EVENT_CONNECT_ERROR", "RDMA_CM_EVENT_UNREACHABLE", "RDMA_CM_EVENT_REJECTED",
	"RDMA_CM_EVENT_ESTABLISHED", "RDMA_CM_EVENT_DISCONNECTED", "RDMA_CM_EVENT_DEVICE_REMOVAL",
	"RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_MULTICAST_ERROR", "RDMA_CM_EVENT_ADDR_CHANGE",
	"RDMA_CM_EVENT_TIMEWAIT_EXIT",
}

// consumerReject is the CM's reason for a rejection by the consumer.
const consumerReject = 28

// side says who asked for the connection.
type side uint8

const (
	active side = iota
	passive
)

// endings says how each event ends a connection that was not established yet, by
// side. Source: docs/rules/transport.md; on the passive side every failure after the accept is
// DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR (T15, D40).
var endings = map[int][2]rdma.ReportKind{
	cmAddrError:     {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmRouteError:    {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmConnectError:  {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmUnreachable:   {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmRejected:      {active: rdma.ReportNonPeerRejected, passive: rdma.ReportAcceptFailed},
	cmDisconnected:  {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmDeviceRemoval: {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
}

// ending translates an event that ends a connection; ok is false for the others.
// An established connection is DISCONNECTED by its peer, or BROKEN.
func ending(e cmEvent, s side, established, iwarp bool) (kind rdma.ReportKind, ok bool) {
	row, ok := endings[e.kind]
	switch {
	case !ok:
		return 0, false
	case established && e.kind == cmDisconnected:
		return rdma.ReportDisconnected, true
	case established:
		return rdma.ReportBroken, true
	case e.kind == cmRejected && s == active && peerRejected(e.status, iwarp):
		return rdma.ReportPeerRejected, true
	default:
		return row[s], true
	}
}

// peerRejected tells whether it was the peer's consumer that rejected. InfiniBand
// gives the reason; iWARP only resets or refuses a connection that was set up, and
// where nobody listens the call itself fails before there is an event.
func peerRejected(status int, iwarp bool) bool {
	if iwarp {
		return status == -int(syscall.ECONNREFUSED) || status == -int(syscall.ECONNRESET)
	}
	return status == consumerReject
}

// cmReason is the transport's own word for an event.
func cmReason(e cmEvent) string {
	name := "RDMA_CM_EVENT_" + strconv.Itoa(e.kind)
	if e.kind >= 0 && e.kind < len(cmNames) {
		name = cmNames[e.kind]
	}
	if e.status == 0 {
		return name
	}
	return name + " status " + strconv.Itoa(e.status)
}

// Options of a CM id (RDMA_OPTION_ID_…).
const (
	optionTOS        = 0
	optionAckTimeout = 3
)
