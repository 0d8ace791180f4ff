//go:build verbs

package verbs

// #cgo CFLAGS: -D_GNU_SOURCE -Wall
// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "libs.h"
import "C"

import (
	"cmp"
	"errors"
	"net/netip"
	"syscall"
	"unsafe"
)

// The four return conventions of the two libraries, one function each: a
// positive errno; NULL and errno; -1 and errno; a count or a negative.

func positiveErrno(rc C.int) error {
	if rc == 0 {
		return nil
	}
	return syscall.Errno(max(rc, -rc))
}

func nullErrno[T any](p *T, err error) (*T, error) {
	if p != nil {
		return p, nil
	}
	return nil, cmp.Or[error](err, syscall.ENOMEM)
}

func minusOneErrno(rc C.int, err error) error {
	if rc == 0 {
		return nil
	}
	return cmp.Or[error](err, syscall.EIO)
}

func countOrNegative(n C.int) (int, error) {
	if n < 0 {
		return 0, syscall.Errno(-n)
	}
	return int(n), nil
}

// openLibraries opens libibverbs and librdmacm; the error says what is missing.
func openLibraries() error {
	text := C.libs_open()
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return errors.New(C.GoString(text))
}

type (
	verbsContext struct{ c *C.struct_ibv_context }
	deviceList   struct{ c **C.struct_ibv_context }
	protection   struct{ c *C.struct_ibv_pd }
	region       struct{ c *C.struct_ibv_mr }
	window       struct{ c *C.struct_ibv_mw }
	compChannel  struct{ c *C.struct_ibv_comp_channel }
	sharedQueue  struct{ c *C.struct_ibv_srq }
	eventChannel struct{ c *C.struct_rdma_event_channel }
	cmID         struct{ c *C.struct_rdma_cm_id }
	queuePair    struct{ c *C.struct_ibv_qp }
	completionQ  struct {
		c  *C.struct_ibv_cq
		wc *C.struct_ibv_wc
	}
)

const pollBatch = 64

// getDevices lists the open contexts of all devices. Implements: rdma_get_devices.
func getDevices() (deviceList, []verbsContext, error) {
	c, err := C.dl_rdma_get_devices(nil)
	p, err := nullErrno(c, err)
	if err != nil {
		return deviceList{}, nil, err
	}
	var all []verbsContext
	for q := p; *q != nil; q = (**C.struct_ibv_context)(unsafe.Add(unsafe.Pointer(q), unsafe.Sizeof(*q))) {
		all = append(all, verbsContext{*q})
	}
	return deviceList{p}, all, nil
}

// free gives the list back. Implements: rdma_free_devices.
func (l deviceList) free() {
	if l.c != nil {
		C.dl_rdma_free_devices(l.c)
	}
}

// name is the device's name. Implements: ibv_get_device_name.
func (v verbsContext) name() string  { return C.GoString(C.dl_ibv_get_device_name(v.c.device)) }
func (v verbsContext) asyncFD() int  { return int(v.c.async_fd) }
func (v verbsContext) isIWARP() bool { return v.c.device.transport_type == C.IBV_TRANSPORT_IWARP }

// query gives the limits. Implements: ibv_query_device, ibv_get_device_guid.
func (v verbsContext) query() (deviceAttr, error) {
	r := C.query_device(v.c)
	a := r.attr
	return deviceAttr{
		iwarp: v.isIWARP(), nodeGUID: uint64(r.guid),
		fwVer: C.GoString(&a.fw_ver[0]), hwVer: uint32(a.hw_ver),
		vendorID: uint32(a.vendor_id), vendorPartID: uint32(a.vendor_part_id),
		maxMRSize: uint64(a.max_mr_size), maxQP: int64(a.max_qp), maxQPWR: int64(a.max_qp_wr),
		maxSGE: int64(a.max_sge), maxSGERead: int64(a.max_sge_rd), maxCQ: int64(a.max_cq), maxCQE: int64(a.max_cqe),
		maxMR: int64(a.max_mr), maxPD: int64(a.max_pd), maxMW: int64(a.max_mw),
		maxReadIn: int64(a.max_qp_rd_atom), maxReadInAll: int64(a.max_res_rd_atom), maxReadOut: int64(a.max_qp_init_rd_atom),
		maxSRQ: int64(a.max_srq), maxSRQWR: int64(a.max_srq_wr), maxSRQSGE: int64(a.max_srq_sge),
		ports: int(a.phys_port_cnt),
	}, positiveErrno(r.rc)
}

// port gives a port's state and sizes. Implements: ibv_query_port.
func (v verbsContext) port(n int) (portAttr, error) {
	r := C.query_port(v.c, C.uint8_t(n))
	a := r.attr
	return portAttr{
		state: uint8(a.state), physState: uint8(a.phys_state), linkLayer: uint8(a.link_layer),
		maxMTU: uint8(a.max_mtu), activeMTU: uint8(a.active_mtu),
		maxMessage: uint32(a.max_msg_sz), gids: int(a.gid_tbl_len), lid: uint16(a.lid),
	}, positiveErrno(r.rc)
}

// asyncEvent takes and acknowledges one event; EAGAIN where there is none.
// Implements: ibv_get_async_event, ibv_ack_async_event.
func (v verbsContext) asyncEvent() (asyncEvent, error) {
	r, err := C.get_async_event(v.c)
	return asyncEvent{kind: int(r._type), key: uint64(r.key), port: int(r.port)}, minusOneErrno(r.rc, err)
}

func (v verbsContext) abandon() { C.abandon(v.c) }

// Implements: ibv_alloc_pd, ibv_dealloc_pd.
func (v verbsContext) allocPD() (protection, error) {
	c, err := C.dl_ibv_alloc_pd(v.c)
	p, err := nullErrno(c, err)
	return protection{p}, err
}

func (p protection) free() error { return positiveErrno(C.dl_ibv_dealloc_pd(p.c)) }

// register makes a region of memory that C may keep. Implements: ibv_reg_mr_iova2, ibv_dereg_mr.
func (p protection) register(memory []byte, access uint) (region, error) {
	at := unsafe.Pointer(unsafe.SliceData(memory))
	c, err := C.dl_ibv_reg_mr_iova2(p.c, at, C.size_t(len(memory)), C.uint64_t(uintptr(at)), C.uint(access))
	m, err := nullErrno(c, err)
	return region{m}, err
}

func (r region) lkey() uint32 { return uint32(r.c.lkey) }
func (r region) rkey() uint32 { return uint32(r.c.rkey) }
func (r region) free() error  { return positiveErrno(C.dl_ibv_dereg_mr(r.c)) }

// Implements: ibv_alloc_mw, ibv_dealloc_mw.
func (p protection) allocWindow() (window, error) {
	c, err := C.alloc_mw(p.c)
	w, err := nullErrno(c, err)
	return window{w}, err
}

func (w window) free() error { return positiveErrno(C.dealloc_mw(w.c)) }

// Implements: ibv_create_comp_channel, ibv_destroy_comp_channel, ibv_get_cq_event, ibv_ack_cq_events.
func (v verbsContext) createCompChannel() (compChannel, error) {
	c, err := C.dl_ibv_create_comp_channel(v.c)
	ch, err := nullErrno(c, err)
	return compChannel{ch}, err
}

func (ch compChannel) fd() int     { return int(ch.c.fd) }
func (ch compChannel) free() error { return positiveErrno(C.dl_ibv_destroy_comp_channel(ch.c)) }

func (ch compChannel) event() (uint64, error) {
	r, err := C.get_cq_event(ch.c)
	return uint64(r.key), minusOneErrno(r.rc, err)
}

// Implements: ibv_create_cq, ibv_resize_cq, ibv_destroy_cq, ibv_req_notify_cq, ibv_poll_cq.
func (v verbsContext) createCQ(cqe int, key uint64, ch compChannel) (completionQ, error) {
	c, err := C.create_cq(v.c, C.int(cqe), C.uint64_t(key), ch.c)
	q, err := nullErrno(c, err)
	if err != nil {
		return completionQ{}, err
	}
	return completionQ{q, (*C.struct_ibv_wc)(C.calloc(pollBatch, C.sizeof_struct_ibv_wc))}, nil
}

func (q completionQ) size() int            { return int(q.c.cqe) }
func (q completionQ) resize(cqe int) error { return positiveErrno(C.dl_ibv_resize_cq(q.c, C.int(cqe))) }

func (q completionQ) arm(solicited bool) error {
	return positiveErrno(C.arm_cq(q.c, C.bool(solicited)))
}

func (q completionQ) free() error {
	err := positiveErrno(C.dl_ibv_destroy_cq(q.c))
	C.free(unsafe.Pointer(q.wc))
	return err
}

func (q completionQ) poll(into []completion) ([]completion, error) {
	n, err := countOrNegative(C.poll_cq(q.c, pollBatch, q.wc))
	for _, w := range unsafe.Slice(q.wc, pollBatch)[:n] {
		into = append(into, completion{
			token: uint64(w.wr_id), status: uint8(w.status), vendor: uint32(w.vendor_err),
			length: uint32(w.byte_len), qpNum: uint32(w.qp_num),
		})
	}
	return into, err
}

// Implements: ibv_create_srq, ibv_modify_srq, ibv_destroy_srq, ibv_post_srq_recv.
func (p protection) createSRQ(wr, sge uint32, key uint64) (sharedQueue, error) {
	c, err := C.create_srq(p.c, C.uint32_t(wr), C.uint32_t(sge), C.uint64_t(key))
	s, err := nullErrno(c, err)
	return sharedQueue{s}, err
}

func (s sharedQueue) resize(wr uint32) error {
	return positiveErrno(C.modify_srq(s.c, C.uint32_t(wr), 0, C.IBV_SRQ_MAX_WR))
}

func (s sharedQueue) setLimit(limit uint32) error {
	return positiveErrno(C.modify_srq(s.c, 0, C.uint32_t(limit), C.IBV_SRQ_LIMIT))
}

func (s sharedQueue) postRecv(token uint64, b buffer, size uint32) error {
	return positiveErrno(C.post_srq_recv(s.c, C.uint64_t(token), C.uint64_t(b.addr()), C.uint32_t(size), C.uint32_t(b.lkey)))
}

func (s sharedQueue) free() error { return positiveErrno(C.dl_ibv_destroy_srq(s.c)) }

// Implements: rdma_create_event_channel, rdma_destroy_event_channel.
func createEventChannel() (eventChannel, error) {
	c, err := C.dl_rdma_create_event_channel()
	ch, err := nullErrno(c, err)
	return eventChannel{ch}, err
}

func (ch eventChannel) fd() int { return int(ch.c.fd) }
func (ch eventChannel) free()   { C.dl_rdma_destroy_event_channel(ch.c) }

// event takes, copies and acknowledges one event; EAGAIN where there is none.
// Implements: rdma_get_cm_event, rdma_ack_cm_event.
func (ch eventChannel) event() (cmEvent, cmID, error) {
	r, err := C.get_cm_event(ch.c)
	e := cmEvent{
		kind: int(r._type), status: int(r.status), key: uint64(r.key), listener: uint64(r.listener),
		responderResources: uint8(r.responder_resources), initiatorDepth: uint8(r.initiator_depth),
		peerQPNum: uint32(r.peer_qp), privateData: C.GoBytes(unsafe.Pointer(&r.private_data), C.int(r.private_len)),
	}
	return e, cmID{r.id}, minusOneErrno(r.rc, err)
}

// Implements: rdma_create_id, rdma_destroy_id, rdma_bind_addr, rdma_listen.
func (ch eventChannel) createID(key uint64) (cmID, error) {
	r, err := C.create_id(ch.c, C.uint64_t(key))
	return cmID{r.id}, minusOneErrno(r.rc, err)
}

func (id cmID) setKey(key uint64) { C.set_key(id.c, C.uint64_t(key)) }

func (id cmID) free() error {
	rc, err := C.dl_rdma_destroy_id(id.c)
	return minusOneErrno(rc, err)
}

func (id cmID) bind(to netip.AddrPort, scope uint32) error {
	rc, err := C.bind_addr(id.c, toAddress(to, scope))
	return minusOneErrno(rc, err)
}

func (id cmID) listen(backlog int) error {
	rc, err := C.dl_rdma_listen(id.c, C.int(backlog))
	return minusOneErrno(rc, err)
}

// context is the device that the id was bound to; its zero value before.
func (id cmID) context() verbsContext { return verbsContext{id.c.verbs} }
func (id cmID) local() netip.AddrPort { return fromAddress(C.local_address(id.c)) }
func (id cmID) peer() netip.AddrPort  { return fromAddress(C.peer_address(id.c)) }

func toAddress(a netip.AddrPort, scope uint32) C.struct_address {
	c := C.struct_address{family: syscall.AF_INET6, port: C.uint16_t(a.Port()), scope: C.uint32_t(scope)}
	if a.Addr().Is4() {
		c.family = syscall.AF_INET
	}
	for i, b := range a.Addr().AsSlice() {
		c.ip[i] = C.uint8_t(b)
	}
	return c
}

func fromAddress(c C.struct_address) netip.AddrPort {
	raw := C.GoBytes(unsafe.Pointer(&c.ip), 16)
	if c.family == syscall.AF_INET {
		raw = raw[:4]
	}
	ip, _ := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(ip, uint16(c.port))
}

// Implements: rdma_resolve_addr, rdma_resolve_route, rdma_set_option.
func (id cmID) resolveAddr(to netip.AddrPort, scope uint32, ms int) error {
	rc, err := C.resolve_addr(id.c, toAddress(to, scope), C.int(ms))
	return minusOneErrno(rc, err)
}

func (id cmID) resolveRoute(ms int) error {
	rc, err := C.dl_rdma_resolve_route(id.c, C.int(ms))
	return minusOneErrno(rc, err)
}

func (id cmID) setOption(name int, value uint8) error {
	rc, err := C.set_byte_option(id.c, C.int(name), C.uint8_t(value))
	return minusOneErrno(rc, err)
}

// Implements: rdma_create_qp, rdma_destroy_qp, ibv_destroy_qp.
func (id cmID) createQP(pd protection, send, recv completionQ, srq sharedQueue, caps qpCaps, key uint64) error {
	rc, err := C.create_qp(id.c, pd.c, send.c, recv.c, srq.c, C.struct_qp_caps{
		send_wr: C.uint32_t(caps.sendWR), recv_wr: C.uint32_t(caps.recvWR),
		send_sge: C.uint32_t(caps.sendSGE), recv_sge: C.uint32_t(caps.recvSGE), inline_data: C.uint32_t(caps.inline),
	}, C.uint64_t(key))
	return minusOneErrno(rc, err)
}

func (id cmID) destroyQP()           { C.dl_rdma_destroy_qp(id.c) }
func (id cmID) queuePair() queuePair { return queuePair{id.c.qp} }
func (q queuePair) free() error      { return positiveErrno(C.dl_ibv_destroy_qp(q.c)) }

// Implements: rdma_connect, rdma_accept, rdma_reject, rdma_reject_ece, rdma_disconnect, rdma_notify.
func (id cmID) connect(p connParam, passive bool, data []byte) error {
	c := C.CBytes(data)
	defer C.free(c)
	to := C.struct_conn_param{
		responder_resources: C.uint8_t(p.responderResources), initiator_depth: C.uint8_t(p.initiatorDepth),
		retry_count: C.uint8_t(p.retryCount), rnr_retry_count: C.uint8_t(p.rnrRetryCount), private_len: C.uint8_t(len(data)),
	}
	rc, err := C.connect_id(id.c, C.bool(passive), to, c)
	return minusOneErrno(rc, err)
}

func (id cmID) reject(consumer bool, data []byte) error {
	c := C.CBytes(data)
	defer C.free(c)
	rc, err := C.reject_id(id.c, C.bool(consumer), c, C.uint8_t(len(data)))
	return minusOneErrno(rc, err)
}

func (id cmID) disconnect() error {
	rc, err := C.dl_rdma_disconnect(id.c)
	return minusOneErrno(rc, err)
}

func (id cmID) notifyEstablished() error {
	rc, err := C.dl_rdma_notify(id.c, C.IBV_EVENT_COMM_EST)
	return minusOneErrno(rc, err)
}

// Implements: ibv_query_qp, ibv_modify_qp, ibv_post_recv, ibv_post_send, ibv_bind_mw.
func (id cmID) qpNum() uint32 { return uint32(id.c.qp.qp_num) }

func (id cmID) qpState() (int, error) {
	r := C.qp_state(id.c.qp)
	return int(r.state), positiveErrno(r.rc)
}

func (id cmID) toError() error { return positiveErrno(C.qp_to_error(id.c.qp)) }

func (id cmID) postRecv(token uint64, b buffer, size uint32) error {
	return positiveErrno(C.post_recv(id.c.qp, C.uint64_t(token), C.uint64_t(b.addr()), C.uint32_t(size), C.uint32_t(b.lkey)))
}

func (id cmID) postSend(w sendWR) error {
	return positiveErrno(C.post_send(id.c.qp, C.struct_send_wr{
		wr_id: C.uint64_t(w.token), addr: C.uint64_t(w.addr), length: C.uint32_t(w.length), lkey: C.uint32_t(w.lkey),
		remote_addr: C.uint64_t(w.remoteAddr), rkey: C.uint32_t(w.rkey), opcode: C.int(w.opcode), flags: C.int(w.flags),
	}))
}

func (id cmID) bindWindow(w window, mr region, token, addr, length uint64, access, flags int) (uint32, error) {
	r := C.bind_mw(id.c.qp, w.c, mr.c, C.struct_bind_wr{
		wr_id: C.uint64_t(token), addr: C.uint64_t(addr), length: C.uint64_t(length), access: C.int(access), flags: C.int(flags),
	})
	return uint32(r.rkey), positiveErrno(r.rc)
}
