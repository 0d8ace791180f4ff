package verbs

import (
	"strconv"
	"unsafe"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// backlog is how many connection requests may wait at a service point.
const backlog = 1024

// payloadLimit is how much of a received message a report carries, in bytes.
const payloadLimit = 4096

// buffer is registered memory of the provider's own, for a receive or a send of a
// consumer. It lies outside of Go's heap.
type buffer struct {
	data []byte
	lkey uint32
	// pool is where it belongs; nil if there is none.
	pool bufferPool
}

// bufferPool has the buffers that are not in use.
type bufferPool interface{ putBuffer(b buffer) }

// addr returns the address of the first byte.
func (b buffer) addr() uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b.data))))
}

// work is a work request that the device has and has not completed.
type work struct {
	wr   uint64
	kind dat.DTOKind
	// token names it to the device.
	token uint64
	// srq is the shared queue that a receive was posted to, else null.
	srq   dat.Handle
	size  int64
	buf   buffer
	probe bool
	// foreignPZ: posted under another PZ than the connection's (M7).
	foreignPZ bool
	// rmrContext and target are what a successful bind gives.
	rmrContext uint32
	target     uint64
}

// release puts the buffer back; the device must not use it any more.
func (w *work) release() {
	if pool := w.buf.pool; pool != nil {
		w.buf.pool = nil
		pool.putBuffer(w.buf)
	}
}

// report returns the report of w's completion; length is that of a received message.
func (w *work) report(ep dat.Handle, status dat.DTOStatus, reason string, length uint32) rdma.Report {
	r := rdma.Report{Kind: rdma.ReportCompletion, EP: ep, SRQ: w.srq, WR: w.wr, Operation: w.kind, Status: status, Reason: reason}
	if w.probe {
		return rdma.Report{Kind: rdma.ReportProbe, EP: ep, Status: status, Reason: reason}
	}
	if status != dat.DTOSuccess {
		return r
	}
	r.Length = w.size
	if w.kind == dat.KindRecv {
		r.Length = int64(length)
		r.Payload = make([]byte, min(r.Length, payloadLimit, int64(len(w.buf.data))))
		copy(r.Payload, w.buf.data)
	}
	if w.kind == dat.KindRMRBind {
		r.RMRContext, r.TargetAddress = w.rmrContext, w.target
	}
	return r
}

// Access rights and posting flags of verbs (enum ibv_access_flags, ibv_send_flags, ibv_wr_opcode).
const (
	accessLocalWrite  = 1
	accessRemoteWrite = 2
	accessRemoteRead  = 4
	accessBindWindow  = 16

	flagFence     = 1
	flagSignaled  = 2
	flagSolicited = 4
	flagInline    = 8

	opRDMAWrite = 0
	opSend      = 2
	opRDMARead  = 4
)

// opcodes are the opcodes of the requests that ibv_post_send posts.
var opcodes = map[dat.DTOKind]int{dat.KindSend: opSend, dat.KindRDMAWrite: opRDMAWrite, dat.KindRDMARead: opRDMARead}

// accessFlags are the access rights of each privilege. Verbs wants local write access
// with remote write access; reading one's own memory needs no flag.
var accessFlags = map[dat.Privilege]uint{
	dat.PrivLocalWrite:  accessLocalWrite,
	dat.PrivRemoteRead:  accessRemoteRead,
	dat.PrivRemoteWrite: accessRemoteWrite | accessLocalWrite,
}

// accessOf translates memory privileges.
func accessOf(privileges []dat.Privilege) uint {
	var access uint
	for _, p := range privileges {
		access |= accessFlags[p]
	}
	return access
}

// sendWR is a request of the send queue (struct ibv_send_wr with one segment).
type sendWR struct {
	token, addr, remoteAddr uint64
	length, lkey, rkey      uint32
	opcode, flags           int
}

// qpCaps are the sizes of a QP (struct ibv_qp_cap).
type qpCaps struct{ sendWR, recvWR, sendSGE, recvSGE, inline uint32 }

// capsOf returns the sizes that an endpoint's attributes ask for. A queue or a list of
// segments of length 0 is not allowed everywhere.
func capsOf(a *dat.EPAttributes) qpCaps {
	return qpCaps{
		sendWR: uint32(max(1, a.MaxRequestDTOs) + wrReserve), recvWR: uint32(max(1, a.MaxRecvDTOs)),
		sendSGE: uint32(max(1, a.MaxRequestIOV)), recvSGE: uint32(max(1, a.MaxRecvIOV)),
		inline: uint32(named(a.EPProviderSpecific, "max_inline_data", 0)),
	}
}

// paramOf returns what the attributes say to the connection manager. The retry counts are
// the highest by default; for a receiver that is not ready the highest finite one.
func paramOf(a *dat.EPAttributes) connParam {
	return connParam{
		responderResources: uint8(min(a.MaxRDMAReadIn, maxReads)), initiatorDepth: uint8(min(a.MaxRDMAReadOut, maxReads)),
		retryCount:    uint8(named(a.EPTransportSpecific, "retry_count", 7)),
		rnrRetryCount: uint8(named(a.EPTransportSpecific, "rnr_retry_count", 6)),
	}
}

// named returns the value of a numeric named attribute, or fallback without one.
func named(m map[string]string, name string, fallback int) int {
	text, there := m[name]
	if !there {
		return fallback
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return fallback
}
