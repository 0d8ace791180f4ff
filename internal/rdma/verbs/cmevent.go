package verbs

import (
	"strconv"
	"syscall"

	"github.com/datapi/datapi/internal/rdma"
)

// cmEvent is a copy of an event of the connection manager, which is acknowledged already
// (struct rdma_cm_event).
type cmEvent struct {
	kind, status int
	// key is that of the id, listener that of the listening id of a request.
	key, listener uint64
	// responderResources and initiatorDepth are the RDMA reads that the peer asks for.
	responderResources uint8
	initiatorDepth     uint8
	peerQPNum          uint32
	privateData        []byte
}

// connParam is what both sides of a connection tell the connection manager (struct
// rdma_conn_param).
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

// cmNames are the names of the events, in their order.
var cmNames = [...]string{
	"RDMA_CM_EVENT_ADDR_RESOLVED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_RESOLVED",
	"RDMA_CM_EVENT_ROUTE_ERROR", "RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE",
	"RDMA_CM_EVENT_CONNECT_ERROR", "RDMA_CM_EVENT_UNREACHABLE", "RDMA_CM_EVENT_REJECTED",
	"RDMA_CM_EVENT_ESTABLISHED", "RDMA_CM_EVENT_DISCONNECTED", "RDMA_CM_EVENT_DEVICE_REMOVAL",
	"RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_MULTICAST_ERROR", "RDMA_CM_EVENT_ADDR_CHANGE",
	"RDMA_CM_EVENT_TIMEWAIT_EXIT",
}

// consumerReject is the reason of InfiniBand's connection manager for a rejection by
// the consumer.
const consumerReject = 28

// side says who asked for the connection.
type side uint8

const (
	active side = iota
	passive
)

// endReports are the reports of the events that end a connection that was not
// established yet, by side. Source: docs/rules/transport.md; on the passive side every failure
// after the accept is DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR (T15, D40).
var endReports = map[int][2]rdma.ReportKind{
	cmAddrError:     {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmRouteError:    {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmConnectError:  {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmUnreachable:   {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmRejected:      {active: rdma.ReportNonPeerRejected, passive: rdma.ReportAcceptFailed},
	cmDisconnected:  {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
	cmDeviceRemoval: {active: rdma.ReportUnreachable, passive: rdma.ReportAcceptFailed},
}

// reportOfEnd translates an event that ends a connection; ok is false for the others. An
// established connection is DISCONNECTED by its peer, or BROKEN.
func reportOfEnd(e cmEvent, s side, established, iwarp bool) (kind rdma.ReportKind, ok bool) {
	row, ok := endReports[e.kind]
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

// peerRejected reports whether it was the peer's consumer that rejected. InfiniBand has
// a reason for it. iWARP only resets or refuses a connection that is set up; where
// nobody listens rdma_connect itself fails, and there is no event.
func peerRejected(status int, iwarp bool) bool {
	if iwarp {
		return status == -int(syscall.ECONNREFUSED) || status == -int(syscall.ECONNRESET)
	}
	return status == consumerReject
}

// cmReason returns the transport's own name of an event, with its status.
func cmReason(e cmEvent) string {
	var name string
	if e.kind >= 0 && e.kind < len(cmNames) {
		name = cmNames[e.kind]
	} else {
		name = "RDMA_CM_EVENT_" + strconv.Itoa(e.kind)
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
