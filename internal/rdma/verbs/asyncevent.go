package verbs

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// asyncEvent is an asynchronous event of a device; key names the QP, CQ or SRQ that it
// is about; where it is 0, port is the port, or 0 for the device.
type asyncEvent struct {
	kind int
	key  uint64
	port int
}

// The asynchronous events of verbs (enum ibv_event_type), in their order.
const (
	asyncCQErr = iota
	asyncQPFatal
	asyncQPReqErr
	asyncQPAccessErr
	asyncCommEst
	asyncSQDrained
	asyncPathMig
	asyncPathMigErr
	asyncDeviceFatal
	asyncPortActive
	asyncPortErr
	asyncLIDChange
	asyncPKeyChange
	asyncSMChange
	asyncSRQErr
	asyncSRQLimitReached
	asyncQPLastWQEReached
	asyncClientReregister
	asyncGIDChange
	asyncWQFatal
)

// asyncAction is what the provider does about an asynchronous event.
type asyncAction uint8

// What is done about asynchronous events.
const (
	// asyncIgnore: the event has no meaning in DAT, no state changes (D22).
	asyncIgnore asyncAction = iota
	// asyncBreakEP: the endpoint's connection ends (T38).
	asyncBreakEP
	// asyncLastTaken: the device takes no more receives from the SRQ for the endpoint.
	asyncLastTaken
	// asyncNotifyEP: the connection manager is told that the peer's message has come.
	asyncNotifyEP
	// asyncEVDError: the EVD lost completions.
	asyncEVDError
	// asyncSRQFails: the SRQ failed.
	asyncSRQFails
	// asyncSRQLimit: the SRQ's low watermark fired.
	asyncSRQLimit
	// asyncPort: the port came up or went down; its attributes are read again.
	asyncPort
	// asyncAttributes: other attributes of the port changed and are read again.
	asyncAttributes
	// asyncDeviceGone: the device is closed.
	asyncDeviceGone
)

// asyncTable has the name of each event, what is done about it and the event in DAT.
// Source: docs/rules/transport.md, which says what the reference does. Where that differs from
// the pages, the pages hold: a drained send queue and the last receive of an SRQ
// endpoint break nothing (D22), events of an SRQ name the SRQ (D23), a port that goes
// down is no catastrophe by itself.
var asyncTable = [...]struct {
	name   string
	action asyncAction
	event  dat.EventNumber
}{
	asyncCQErr:            {"IBV_EVENT_CQ_ERR", asyncEVDError, dat.EventAsyncErrorEVDOverflow},
	asyncQPFatal:          {"IBV_EVENT_QP_FATAL", asyncBreakEP, dat.EventAsyncErrorEPBroken},
	asyncQPReqErr:         {"IBV_EVENT_QP_REQ_ERR", asyncBreakEP, dat.EventAsyncErrorEPBroken},
	asyncQPAccessErr:      {"IBV_EVENT_QP_ACCESS_ERR", asyncBreakEP, dat.EventAsyncErrorEPBroken},
	asyncCommEst:          {"IBV_EVENT_COMM_EST", asyncNotifyEP, dat.EventNone},
	asyncSQDrained:        {"IBV_EVENT_SQ_DRAINED", asyncIgnore, dat.EventNone},
	asyncPathMig:          {"IBV_EVENT_PATH_MIG", asyncIgnore, dat.EventNone},
	asyncPathMigErr:       {"IBV_EVENT_PATH_MIG_ERR", asyncIgnore, dat.EventNone},
	asyncDeviceFatal:      {"IBV_EVENT_DEVICE_FATAL", asyncDeviceGone, dat.EventAsyncErrorProviderInternalError},
	asyncPortActive:       {"IBV_EVENT_PORT_ACTIVE", asyncPort, dat.EventNone},
	asyncPortErr:          {"IBV_EVENT_PORT_ERR", asyncPort, dat.EventAsyncErrorIACatastrophic},
	asyncLIDChange:        {"IBV_EVENT_LID_CHANGE", asyncAttributes, dat.EventNone},
	asyncPKeyChange:       {"IBV_EVENT_PKEY_CHANGE", asyncAttributes, dat.EventNone},
	asyncSMChange:         {"IBV_EVENT_SM_CHANGE", asyncIgnore, dat.EventNone},
	asyncSRQErr:           {"IBV_EVENT_SRQ_ERR", asyncSRQFails, dat.EventNone},
	asyncSRQLimitReached:  {"IBV_EVENT_SRQ_LIMIT_REACHED", asyncSRQLimit, dat.EventNone},
	asyncQPLastWQEReached: {"IBV_EVENT_QP_LAST_WQE_REACHED", asyncLastTaken, dat.EventNone},
	asyncClientReregister: {"IBV_EVENT_CLIENT_REREGISTER", asyncAttributes, dat.EventNone},
	asyncGIDChange:        {"IBV_EVENT_GID_CHANGE", asyncAttributes, dat.EventNone},
	asyncWQFatal:          {"IBV_EVENT_WQ_FATAL", asyncBreakEP, dat.EventAsyncErrorEPBroken},
}

// asyncReport is the report that each action makes, if any.
var asyncReport = map[asyncAction]rdma.ReportKind{
	asyncBreakEP:    rdma.ReportEPError,
	asyncEVDError:   rdma.ReportEVDError,
	asyncSRQFails:   rdma.ReportSRQError,
	asyncSRQLimit:   rdma.ReportSRQLimit,
	asyncPort:       rdma.ReportPort,
	asyncAttributes: rdma.ReportPort,
}
