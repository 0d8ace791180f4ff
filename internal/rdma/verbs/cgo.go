//go:build verbs

package verbs

// #cgo CFLAGS: -D_GNU_SOURCE -Wall
// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "libs.h"
import "C"

import (
	"errors"
	"net/netip"
	"syscall"
	"unsafe"
)

// Each function says which function of libibverbs or librdmacm it calls. Those that are
// inline functions or need a struct are wrapped in libs.c and cm.c.

// openLibraries opens libibverbs and librdmacm at run time; the error says what is missing.
func openLibraries() error {
	text := C.libs_open()
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return errors.New(C.GoString(text))
}

// The handles of the libraries; each holds the C pointer.
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

// number returns a pointer of C as a number: cgo looks at each pointer that it is given.
func number[T any](p *T) C.uintptr_t { return C.uintptr_t(uintptr(unsafe.Pointer(p))) }

// getDevices returns the open contexts of all devices. Calls rdma_get_devices.
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

// free ends the use of the list. Calls rdma_free_devices.
func (l deviceList) free() {
	if l.c != nil {
		C.dl_rdma_free_devices(l.c)
	}
}

// name returns the device's name. Calls ibv_get_device_name.
func (v verbsContext) name() string   { return C.GoString(C.dl_ibv_get_device_name(v.c.device)) }
func (v verbsContext) vectors() int   { return int(v.c.num_comp_vectors) }
func (v verbsContext) maxInline() int { return int(C.max_inline(v.c)) } // calls ibv_create_qp, and what that needs
func (v verbsContext) asyncFD() int   { return int(v.c.async_fd) }
func (v verbsContext) isIWARP() bool  { return v.c.device.transport_type == C.IBV_TRANSPORT_IWARP }

// query returns the limits. Calls ibv_query_device, ibv_get_device_guid.
func (v verbsContext) query() (deviceAttr, error) {
	r := C.query_device(v.c)
	a := r.attr
	return deviceAttr{
		iwarp: v.isIWARP(), nodeGUID: uint64(r.guid), fwVer: C.GoString(&a.fw_ver[0]), hwVer: uint32(a.hw_ver),
		vendorID: uint32(a.vendor_id), vendorPartID: uint32(a.vendor_part_id), ports: int(a.phys_port_cnt),
		maxMRSize: uint64(a.max_mr_size), maxQP: int64(a.max_qp), maxQPWR: int64(a.max_qp_wr),
		maxSGE: int64(a.max_sge), maxSGERead: int64(a.max_sge_rd), maxCQ: int64(a.max_cq), maxCQE: int64(a.max_cqe),
		maxReadIn: int64(a.max_qp_rd_atom), maxReadInAll: int64(a.max_res_rd_atom), maxReadOut: int64(a.max_qp_init_rd_atom),
		maxSRQ: int64(a.max_srq), maxSRQWR: int64(a.max_srq_wr), maxMR: int64(a.max_mr), maxPD: int64(a.max_pd), maxMW: int64(a.max_mw),
	}, positiveErrno(r.rc)
}

// port returns a port's state and sizes. Calls ibv_query_port.
func (v verbsContext) port(n int) (portAttr, error) {
	r := C.query_port(v.c, C.uint8_t(n))
	a := r.attr
	return portAttr{
		state: uint8(a.state), physState: uint8(a.phys_state), linkLayer: uint8(a.link_layer), maxMTU: uint8(a.max_mtu), activeMTU: uint8(a.active_mtu),
		maxMessage: uint32(a.max_msg_sz), gids: int(a.gid_tbl_len), lid: uint16(a.lid),
	}, positiveErrno(r.rc)
}

// gids returns the entries in use of all ports' GID tables, n at most. Calls ibv_query_gid_table.
func (v verbsContext) gids(n int) (all []gid, err error) {
	entries := (*C.struct_ibv_gid_entry)(C.calloc(C.size_t(n), C.sizeof_struct_ibv_gid_entry))
	defer C.free(unsafe.Pointer(entries))
	used, err := countOrNegative(C.query_gids(v.c, entries, C.size_t(n)))
	for _, e := range unsafe.Slice(entries, n)[:used] {
		all = append(all, gid{int(e.port_num), int(e.ndev_ifindex), netip.AddrFrom16(*(*[16]byte)(unsafe.Pointer(&e.gid)))})
	}
	return all, err
}

// asyncEvent takes and acknowledges one event; EAGAIN if there is none.
// Calls ibv_get_async_event, ibv_ack_async_event.
func (v verbsContext) asyncEvent() (asyncEvent, error) {
	r, err := C.get_async_event(v.c)
	return asyncEvent{kind: int(r._type), key: uint64(r.key), port: int(r.port)}, minusOneErrno(r.rc, err)
}

// abandon closes the files of a vanished device. Calls neither library.
func (v verbsContext) abandon() { C.abandon(v.c) }

// allocPD calls ibv_alloc_pd.
func (v verbsContext) allocPD() (protection, error) {
	c, err := C.dl_ibv_alloc_pd(v.c)
	p, err := nullErrno(c, err)
	return protection{p}, err
}
func (p protection) free() error { return positiveErrno(C.dl_ibv_dealloc_pd(p.c)) } // calls ibv_dealloc_pd

// register registers memory outside of Go's heap. Calls ibv_reg_mr_iova2.
func (p protection) register(memory []byte, access uint) (region, error) {
	at := unsafe.Pointer(unsafe.SliceData(memory))
	c, err := C.dl_ibv_reg_mr_iova2(p.c, at, C.size_t(len(memory)), C.uint64_t(uintptr(at)), C.uint(access))
	m, err := nullErrno(c, err)
	return region{m}, err
}

func (r region) lkey() uint32 { return uint32(r.c.lkey) }
func (r region) rkey() uint32 { return uint32(r.c.rkey) }
func (r region) free() error  { return positiveErrno(C.dl_ibv_dereg_mr(r.c)) } // calls ibv_dereg_mr

// allocWindow calls ibv_alloc_mw.
func (p protection) allocWindow() (window, error) {
	c, err := C.alloc_mw(p.c)
	w, err := nullErrno(c, err)
	return window{w}, err
}
func (w window) free() error { return positiveErrno(C.dealloc_mw(w.c)) } // calls ibv_dealloc_mw

// createCompChannel calls ibv_create_comp_channel.
func (v verbsContext) createCompChannel() (compChannel, error) {
	c, err := C.dl_ibv_create_comp_channel(v.c)
	ch, err := nullErrno(c, err)
	return compChannel{ch}, err
}

func (ch compChannel) fd() int     { return int(ch.c.fd) }
func (ch compChannel) free() error { return positiveErrno(C.dl_ibv_destroy_comp_channel(ch.c)) } // calls ibv_destroy_comp_channel

// event takes and acknowledges one completion event and returns its queue's key; EAGAIN if
// there is none. Calls ibv_get_cq_event, ibv_ack_cq_events.
func (ch compChannel) event() (uint64, error) {
	r := C.get_cq_event(ch.c)
	return uint64(r.key), positiveErrno(r.error)
}

// createCQ calls ibv_create_cq.
func (v verbsContext) createCQ(cqe int, key uint64, ch compChannel, vector int) (completionQ, error) {
	c, err := C.create_cq(v.c, C.int(cqe), C.uint64_t(key), ch.c, C.int(vector))
	q, err := nullErrno(c, err)
	if err != nil {
		return completionQ{}, err
	}
	return completionQ{q, (*C.struct_ibv_wc)(C.calloc(pollBatch, C.sizeof_struct_ibv_wc))}, nil
}

func (q completionQ) size() int            { return int(q.c.cqe) }                                       // the room of the queue in completions
func (q completionQ) resize(cqe int) error { return positiveErrno(C.dl_ibv_resize_cq(q.c, C.int(cqe))) } // calls ibv_resize_cq

// arm asks for the next event. Calls ibv_req_notify_cq.
func (q completionQ) arm(solicited bool) error {
	return positiveErrno(C.arm_cq(q.c, C.bool(solicited)))
}

// free calls ibv_destroy_cq.
func (q completionQ) free() error {
	defer C.free(unsafe.Pointer(q.wc))
	return positiveErrno(C.dl_ibv_destroy_cq(q.c))
}

// poll appends the next completions, pollBatch at most. full: there may be more. Calls ibv_poll_cq.
func (q completionQ) poll(into []completion) (all []completion, full bool) {
	return q.take(into, C.poll_cq(q.c, pollBatch, q.wc))
}

// next is what arm, poll and then the channel's event do, in one call of C. Calls
// ibv_req_notify_cq, ibv_poll_cq, ibv_get_cq_event, ibv_ack_cq_events.
func (q completionQ) next(solicited bool, into []completion, ch compChannel) (all []completion, full bool, key uint64, err error) {
	r := C.next_completions(C.struct_next_of{cq: number(q.c), wc: number(q.wc), ch: number(ch.c)}, C.bool(solicited), pollBatch)
	into, full = q.take(into, r.count)
	return into, full, uint64(r.event.key), positiveErrno(r.event.error)
}

// take appends what a poll gave, which returned n: a count, or negative after an error.
func (q completionQ) take(into []completion, n C.int) (all []completion, full bool) {
	for _, w := range unsafe.Slice(q.wc, max(n, 0)) {
		into = append(into, completion{token: uint64(w.wr_id), status: uint8(w.status), length: uint32(w.byte_len), qpNum: uint32(w.qp_num)})
	}
	return into, n == pollBatch
}

// createSRQ calls ibv_create_srq.
func (p protection) createSRQ(wr, sge uint32, key uint64) (sharedQueue, error) {
	c, err := C.create_srq(p.c, C.uint32_t(wr), C.uint32_t(sge), C.uint64_t(key))
	s, err := nullErrno(c, err)
	return sharedQueue{s}, err
}

// resize and setLimit, which arms the limit event, call ibv_modify_srq with IBV_SRQ_MAX_WR and IBV_SRQ_LIMIT.
func (s sharedQueue) resize(wr uint32) error  { return s.modify(wr, 0, C.IBV_SRQ_MAX_WR) }
func (s sharedQueue) setLimit(n uint32) error { return s.modify(0, n, C.IBV_SRQ_LIMIT) }
func (s sharedQueue) modify(wr, limit uint32, mask C.int) error {
	return positiveErrno(C.modify_srq(s.c, C.uint32_t(wr), C.uint32_t(limit), mask))
}

// postRecv calls ibv_post_srq_recv.
func (s sharedQueue) postRecv(token uint64, b buffer, size uint32) error {
	return positiveErrno(C.post_srq_recv(s.c, C.uint64_t(token), C.uint64_t(b.addr()), C.uint32_t(size), C.uint32_t(b.lkey)))
}
func (s sharedQueue) free() error { return positiveErrno(C.dl_ibv_destroy_srq(s.c)) } // calls ibv_destroy_srq

// createEventChannel calls rdma_create_event_channel.
func createEventChannel() (eventChannel, error) {
	c, err := C.dl_rdma_create_event_channel()
	ch, err := nullErrno(c, err)
	return eventChannel{ch}, err
}
func (ch eventChannel) fd() int { return int(ch.c.fd) }
func (ch eventChannel) free()   { C.dl_rdma_destroy_event_channel(ch.c) } // calls rdma_destroy_event_channel

// event takes, copies and acknowledges one event; EAGAIN if there is none.
// Calls rdma_get_cm_event, rdma_ack_cm_event.
func (ch eventChannel) event() (cmEvent, cmID, error) {
	r, err := C.get_cm_event(ch.c)
	e := cmEvent{
		kind: int(r._type), status: int(r.status), key: uint64(r.key), listener: uint64(r.listener),
		responderResources: uint8(r.responder_resources), initiatorDepth: uint8(r.initiator_depth),
		peerQPNum: uint32(r.peer_qp), privateData: append([]byte{}, (*[256]byte)(unsafe.Pointer(&r.private_data))[:r.private_len]...),
	}
	return e, cmID{r.id}, minusOneErrno(r.rc, err)
}

// createID calls rdma_create_id.
func (ch eventChannel) createID(key uint64) (cmID, error) {
	r, err := C.create_id(ch.c, C.uint64_t(key))
	return cmID{r.id}, minusOneErrno(r.rc, err)
}
func (id cmID) setKey(key uint64) { C.set_key(id.c, C.uint64_t(key)) } // the key of its events; calls neither library

// free calls rdma_destroy_id.
func (id cmID) free() error {
	rc, err := C.dl_rdma_destroy_id(id.c)
	return minusOneErrno(rc, err)
}

// bind calls rdma_bind_addr.
func (id cmID) bind(to netip.AddrPort, scope uint32) error {
	rc, err := C.bind_addr(id.c, toAddress(to, scope))
	return minusOneErrno(rc, err)
}

// isOf reports whether the id is bound to an address of a port. It calls neither library.
func (id cmID) isOf(v verbsContext, port int) bool {
	return id.c.verbs == v.c && int(id.c.port_num) == port
}

// listen calls rdma_listen.
func (id cmID) listen(backlog int) error {
	rc, err := C.dl_rdma_listen(id.c, C.int(backlog))
	return minusOneErrno(rc, err)
}

// local and peer return the addresses of the id. They call neither library.
func (id cmID) local() netip.AddrPort { return fromAddress(C.local_address(id.c)) }
func (id cmID) peer() netip.AddrPort  { return fromAddress(C.peer_address(id.c)) }

func toAddress(a netip.AddrPort, scope uint32) C.struct_address {
	c := C.struct_address{family: syscall.AF_INET6, port: C.uint16_t(a.Port()), scope: C.uint32_t(scope)}
	if a.Addr().Is4() {
		c.family = syscall.AF_INET
	}
	copy((*[16]byte)(unsafe.Pointer(&c.ip))[:], a.Addr().AsSlice())
	return c
}

func fromAddress(c C.struct_address) netip.AddrPort {
	return addressOf((*[16]byte)(unsafe.Pointer(&c.ip))[:], c.family == syscall.AF_INET, uint16(c.port))
}

// resolveAddr calls rdma_resolve_addr.
func (id cmID) resolveAddr(to netip.AddrPort, scope uint32, ms int) error {
	rc, err := C.resolve_addr(id.c, toAddress(to, scope), C.int(ms))
	return minusOneErrno(rc, err)
}

// resolveRoute calls rdma_resolve_route.
func (id cmID) resolveRoute(ms int) error {
	rc, err := C.dl_rdma_resolve_route(id.c, C.int(ms))
	return minusOneErrno(rc, err)
}

// setOption sets an option of one byte. Calls rdma_set_option with RDMA_OPTION_ID.
func (id cmID) setOption(name int, value uint8) error {
	rc, err := C.set_byte_option(id.c, C.int(name), C.uint8_t(value))
	return minusOneErrno(rc, err)
}

// createQP returns how much a send may carry inline, in bytes. Calls rdma_create_qp.
func (id cmID) createQP(pd protection, send, recv completionQ, srq sharedQueue, caps qpCaps, key uint64) (inline uint32, err error) {
	r, err := C.create_qp(id.c, pd.c, send.c, recv.c, srq.c, C.struct_qp_caps{
		send_wr: C.uint32_t(caps.sendWR), recv_wr: C.uint32_t(caps.recvWR),
		send_sge: C.uint32_t(caps.sendSGE), recv_sge: C.uint32_t(caps.recvSGE), inline_data: C.uint32_t(caps.inline),
	}, C.uint64_t(key))
	return uint32(r.inline_data), minusOneErrno(r.rc, err)
}

func (id cmID) destroyQP()           { C.dl_rdma_destroy_qp(id.c) }      // calls rdma_destroy_qp
func (id cmID) takeQP(of cmID)       { id.c.qp, of.c.qp = of.c.qp, nil } // moves the QP of an id that is not connected; calls neither library
func (id cmID) queuePair() queuePair { return queuePair{id.c.qp} }
func (q queuePair) free() error      { return positiveErrno(C.dl_ibv_destroy_qp(q.c)) } // calls ibv_destroy_qp

// connect calls rdma_connect on the active side, with the thread's signals held back, rdma_accept on the passive one.
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

// reject calls rdma_reject for the consumer, rdma_reject_ece for the provider.
func (id cmID) reject(consumer bool, data []byte) error {
	c := C.CBytes(data)
	defer C.free(c)
	rc, err := C.reject_id(id.c, C.bool(consumer), c, C.uint8_t(len(data)))
	return minusOneErrno(rc, err)
}

// disconnect calls rdma_disconnect.
func (id cmID) disconnect() error {
	rc, err := C.dl_rdma_disconnect(id.c)
	return minusOneErrno(rc, err)
}

// notifyEstablished calls rdma_notify with IBV_EVENT_COMM_EST.
func (id cmID) notifyEstablished() error {
	rc, err := C.dl_rdma_notify(id.c, C.IBV_EVENT_COMM_EST)
	return minusOneErrno(rc, err)
}
func (id cmID) qpNum() uint32 { return uint32(id.c.qp.qp_num) }

// qpState calls ibv_query_qp.
func (id cmID) qpState() (int, error) {
	r := C.qp_state(id.c.qp)
	return int(r.state), positiveErrno(r.rc)
}

// setMinRNRTimer calls ibv_modify_qp, minRNRTimer ibv_query_qp; -1 is unknown.
func (id cmID) setMinRNRTimer(t uint8) error {
	return positiveErrno(C.qp_min_rnr_timer(id.c.qp, C.uint8_t(t)))
}
func (id cmID) minRNRTimer() int { return int(C.qp_min_rnr_timer_of(id.c.qp)) }
func (id cmID) toError() error   { return positiveErrno(C.qp_to_error(id.c.qp)) } // moves the QP to the state ERR: ibv_modify_qp

// postRecv calls ibv_post_recv.
func (id cmID) postRecv(token uint64, b buffer, size uint32) error {
	return positiveErrno(C.post_recv(number(id.c.qp), C.uint64_t(token), C.uint64_t(b.addr()), C.uint32_t(size), C.uint32_t(b.lkey)))
}

// postSend calls ibv_post_send.
func (id cmID) postSend(w sendWR) error {
	return positiveErrno(C.post_send(number(id.c.qp), C.struct_send_wr{
		wr_id: C.uint64_t(w.token), addr: C.uint64_t(w.addr), length: C.uint32_t(w.length), lkey: C.uint32_t(w.lkey),
		remote_addr: C.uint64_t(w.remoteAddr), rkey: C.uint32_t(w.rkey), opcode: C.int(w.opcode), flags: C.int(w.flags),
	}))
}

// bindWindow binds a window and returns its new key. Calls ibv_bind_mw.
func (id cmID) bindWindow(w window, mr region, token, addr, length uint64, access, flags int) (uint32, error) {
	r := C.bind_mw(id.c.qp, w.c, mr.c, C.struct_bind_wr{
		wr_id: C.uint64_t(token), addr: C.uint64_t(addr), length: C.uint64_t(length), access: C.int(access), flags: C.int(flags),
	})
	return uint32(r.rkey), positiveErrno(r.rc)
}
