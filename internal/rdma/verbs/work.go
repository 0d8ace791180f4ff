package verbs

import (
	"strconv"
	"unsafe"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// backlog is how many requests may wait at a service point.
const backlog = 1024

// payloadLimit is how much of a received message a report carries, in bytes.
const payloadLimit = 4096

// buffer is registered memory of the provider's own: what a receive or a send
// of a consumer uses. It lies outside Go's heap.
type buffer struct {
	data []byte
	lkey uint32
}

func (b buffer) addr() uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b.data))))
}

// work is a work request that the device has and has not completed.
type work struct {
	wr   uint64
	kind dat.DTOKind
	// srq is the shared queue that a receive was posted to, else null.
	srq    dat.Handle
	size   int64
	buf    buffer
	probe  bool
	target uint64
	// release gives the buffer back, where there is one.
	release func()
	// foreignPZ: posted under another PZ than the connection's (M7).
	foreignPZ  bool
	rmrContext uint32
}

// done gives the buffer back; the device must be through with it.
func (w *work) done() {
	if w.release != nil {
		w.release()
		w.release = nil
	}
}

// report is the report of w's completion.
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
		r.Payload = append([]byte(nil), w.buf.data[:min(r.Length, payloadLimit, int64(len(w.buf.data)))]...)
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

var opcodes = map[dat.DTOKind]int{dat.KindSend: opSend, dat.KindRDMAWrite: opRDMAWrite, dat.KindRDMARead: opRDMARead}

// accessOf translates memory privileges. Verbs wants local write access with
// remote write access; reading one's own memory needs no flag.
func accessOf(privileges []dat.Privilege) uint {
	table := map[dat.Privilege]uint{
		dat.PrivLocalWrite:  accessLocalWrite,
		dat.PrivRemoteRead:  accessRemoteRead,
		dat.PrivRemoteWrite: accessRemoteWrite | accessLocalWrite,
	}
	var access uint
	for _, p := range privileges {
		access |= table[p]
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

// capsOf are the sizes that an endpoint's attributes ask for: one segment is all
// that the provider's own buffers need, and a queue of none is not allowed everywhere.
func capsOf(a *dat.EPAttributes) qpCaps {
	return qpCaps{
		sendWR: uint32(max(1, a.MaxRequestDTOs) + wrReserve), recvWR: uint32(max(1, a.MaxRecvDTOs)),
		sendSGE: uint32(max(1, a.MaxRequestIOV)), recvSGE: uint32(max(1, a.MaxRecvIOV)),
		inline: uint32(named(a.EPProviderSpecific, "max_inline_data", 0)),
	}
}

// paramOf is what the attributes say to the connection manager. The retry counts
// default to the most there is, except that a receiver that is not ready is given
// up on in the end.
func paramOf(a *dat.EPAttributes) connParam {
	return connParam{
		responderResources: uint8(min(a.MaxRDMAReadIn, maxReads)), initiatorDepth: uint8(min(a.MaxRDMAReadOut, maxReads)),
		retryCount:    uint8(named(a.EPTransportSpecific, "retry_count", 7)),
		rnrRetryCount: uint8(named(a.EPTransportSpecific, "rnr_retry_count", 6)),
	}
}

// named is the value of a named attribute, or what it is without one.
func named(m map[string]string, name string, without int) int {
	if n, err := strconv.Atoi(m[name]); err == nil {
		return n
	}
	return without
}
