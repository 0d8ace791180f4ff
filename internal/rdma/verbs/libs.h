// The C side of the verbs provider: every function of libibverbs and librdmacm
// that it calls, opened at run time, and the inline functions of their headers,
// which are no symbols, as functions. What comes back in more than one value
// comes back as a struct, so that no Go pointer is given to C.
#ifndef DATAPI_VERBS_LIBS_H
#define DATAPI_VERBS_LIBS_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

// LIBIBVERBS and LIBRDMACM list what is looked up: return type, name, parameters, arguments.
#define LIBIBVERBS(X) \
	X(int, ibv_query_device, (struct ibv_context *c, struct ibv_device_attr *a), (c, a)) \
	X(const char *, ibv_get_device_name, (struct ibv_device *d), (d)) \
	X(__be64, ibv_get_device_guid, (struct ibv_device *d), (d)) \
	X(int, ibv_get_async_event, (struct ibv_context *c, struct ibv_async_event *e), (c, e)) \
	X(void, ibv_ack_async_event, (struct ibv_async_event *e), (e)) \
	X(struct ibv_pd *, ibv_alloc_pd, (struct ibv_context *c), (c)) \
	X(int, ibv_dealloc_pd, (struct ibv_pd *pd), (pd)) \
	X(struct ibv_mr *, ibv_reg_mr_iova2, (struct ibv_pd *pd, void *p, size_t n, uint64_t iova, unsigned int access), (pd, p, n, iova, access)) \
	X(int, ibv_dereg_mr, (struct ibv_mr *mr), (mr)) \
	X(struct ibv_comp_channel *, ibv_create_comp_channel, (struct ibv_context *c), (c)) \
	X(int, ibv_destroy_comp_channel, (struct ibv_comp_channel *ch), (ch)) \
	X(struct ibv_cq *, ibv_create_cq, (struct ibv_context *c, int cqe, void *key, struct ibv_comp_channel *ch, int vector), (c, cqe, key, ch, vector)) \
	X(int, ibv_resize_cq, (struct ibv_cq *cq, int cqe), (cq, cqe)) \
	X(int, ibv_destroy_cq, (struct ibv_cq *cq), (cq)) \
	X(int, ibv_get_cq_event, (struct ibv_comp_channel *ch, struct ibv_cq **cq, void **key), (ch, cq, key)) \
	X(void, ibv_ack_cq_events, (struct ibv_cq *cq, unsigned int n), (cq, n)) \
	X(struct ibv_srq *, ibv_create_srq, (struct ibv_pd *pd, struct ibv_srq_init_attr *a), (pd, a)) \
	X(int, ibv_modify_srq, (struct ibv_srq *srq, struct ibv_srq_attr *a, int mask), (srq, a, mask)) \
	X(int, ibv_destroy_srq, (struct ibv_srq *srq), (srq)) \
	X(struct ibv_qp *, ibv_create_qp, (struct ibv_pd *pd, struct ibv_qp_init_attr *a), (pd, a)) \
	X(int, ibv_destroy_qp, (struct ibv_qp *qp), (qp)) \
	X(int, ibv_query_qp, (struct ibv_qp *qp, struct ibv_qp_attr *a, int mask, struct ibv_qp_init_attr *i), (qp, a, mask, i)) \
	X(int, ibv_modify_qp, (struct ibv_qp *qp, struct ibv_qp_attr *a, int mask), (qp, a, mask)) \
	X(ssize_t, _ibv_query_gid_table, (struct ibv_context *c, struct ibv_gid_entry *e, size_t n, uint32_t flags, size_t size), (c, e, n, flags, size))

#define LIBRDMACM(X) \
	X(struct ibv_context **, rdma_get_devices, (int *n), (n)) \
	X(void, rdma_free_devices, (struct ibv_context **list), (list)) \
	X(struct rdma_event_channel *, rdma_create_event_channel, (void), ()) \
	X(void, rdma_destroy_event_channel, (struct rdma_event_channel *ch), (ch)) \
	X(int, rdma_get_cm_event, (struct rdma_event_channel *ch, struct rdma_cm_event **e), (ch, e)) \
	X(int, rdma_ack_cm_event, (struct rdma_cm_event *e), (e)) \
	X(int, rdma_create_id, (struct rdma_event_channel *ch, struct rdma_cm_id **id, void *key, enum rdma_port_space ps), (ch, id, key, ps)) \
	X(int, rdma_destroy_id, (struct rdma_cm_id *id), (id)) \
	X(int, rdma_bind_addr, (struct rdma_cm_id *id, struct sockaddr *a), (id, a)) \
	X(int, rdma_resolve_addr, (struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst, int ms), (id, src, dst, ms)) \
	X(int, rdma_resolve_route, (struct rdma_cm_id *id, int ms), (id, ms)) \
	X(int, rdma_create_qp, (struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *a), (id, pd, a)) \
	X(void, rdma_destroy_qp, (struct rdma_cm_id *id), (id)) \
	X(int, rdma_connect, (struct rdma_cm_id *id, struct rdma_conn_param *p), (id, p)) \
	X(int, rdma_listen, (struct rdma_cm_id *id, int backlog), (id, backlog)) \
	X(int, rdma_accept, (struct rdma_cm_id *id, struct rdma_conn_param *p), (id, p)) \
	X(int, rdma_reject, (struct rdma_cm_id *id, const void *data, uint8_t n), (id, data, n)) \
	X(int, rdma_reject_ece, (struct rdma_cm_id *id, const void *data, uint8_t n), (id, data, n)) \
	X(int, rdma_disconnect, (struct rdma_cm_id *id), (id)) \
	X(int, rdma_notify, (struct rdma_cm_id *id, enum ibv_event_type t), (id, t)) \
	X(int, rdma_set_option, (struct rdma_cm_id *id, int level, int name, void *v, size_t n), (id, level, name, v, n))

#define DECLARE(ret, name, params, args) ret dl_##name params;
LIBIBVERBS(DECLARE)
LIBRDMACM(DECLARE)
#undef DECLARE

// libs_open opens both libraries; the answer is NULL or what is missing, in memory of its own.
char *libs_open(void);

struct device_result { int rc; struct ibv_device_attr attr; uint64_t guid; };
struct port_result { int rc; struct ibv_port_attr attr; };
struct async_result { int rc; int type; uint64_t key; int port; };
struct cq_event_result { int error; uint64_t key; };
// next_of names a queue, the memory for its completions and its channel, as numbers: cgo looks at
// each pointer that it is given.
struct next_of { uintptr_t cq, wc, ch; };
struct next_result { int count; struct cq_event_result event; };
struct id_result { int rc; struct rdma_cm_id *id; };
struct qp_state_result { int rc; int state; };
struct create_qp_result { int rc; uint32_t inline_data; };
struct cm_event_result {
	int rc, type, status;
	uint64_t key, listener;
	struct rdma_cm_id *id;
	uint32_t peer_qp;
	uint8_t responder_resources, initiator_depth, private_len;
	uint8_t private_data[256];
};
struct address { uint8_t family; uint8_t ip[16]; uint32_t scope; uint16_t port; };
struct qp_caps { uint32_t send_wr, recv_wr, send_sge, recv_sge, inline_data; };
struct conn_param { uint8_t responder_resources, initiator_depth, retry_count, rnr_retry_count, private_len; };
struct send_wr {
	uint64_t wr_id, addr, remote_addr;
	uint32_t length, lkey, rkey;
	int opcode, flags;
};
struct bind_wr { uint64_t wr_id, addr, length; int access, flags; };
struct bind_result { int rc; uint32_t rkey; };

struct device_result query_device(struct ibv_context *c);
struct port_result query_port(struct ibv_context *c, uint8_t port);
struct async_result get_async_event(struct ibv_context *c);
void abandon(struct ibv_context *c);

struct cq_event_result get_cq_event(struct ibv_comp_channel *ch);
struct ibv_cq *create_cq(struct ibv_context *c, int cqe, uint64_t key, struct ibv_comp_channel *ch, int vector);
int arm_cq(struct ibv_cq *cq, bool solicited_only);
int query_gids(struct ibv_context *c, struct ibv_gid_entry *to, size_t n);
int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
struct next_result next_completions(struct next_of of, bool solicited_only, int n);

struct ibv_srq *create_srq(struct ibv_pd *pd, uint32_t wr, uint32_t sge, uint64_t key);
int modify_srq(struct ibv_srq *srq, uint32_t wr, uint32_t limit, int mask);
int post_srq_recv(struct ibv_srq *srq, uint64_t wr_id, uint64_t addr, uint32_t length, uint32_t lkey);

struct ibv_mw *alloc_mw(struct ibv_pd *pd);
int dealloc_mw(struct ibv_mw *mw);
struct bind_result bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mr *mr, struct bind_wr b);

struct cm_event_result get_cm_event(struct rdma_event_channel *ch);
struct id_result create_id(struct rdma_event_channel *ch, uint64_t key);
void set_key(struct rdma_cm_id *id, uint64_t key);
int bind_addr(struct rdma_cm_id *id, struct address a);
int resolve_addr(struct rdma_cm_id *id, struct address to, int ms);
int set_byte_option(struct rdma_cm_id *id, int name, uint8_t value);
struct address local_address(struct rdma_cm_id *id);
struct address peer_address(struct rdma_cm_id *id);
struct create_qp_result create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_cq *send, struct ibv_cq *recv,
	struct ibv_srq *srq, struct qp_caps caps, uint64_t key);
int connect_id(struct rdma_cm_id *id, bool passive, struct conn_param p, const void *data);
int reject_id(struct rdma_cm_id *id, bool consumer, const void *data, uint8_t n);
int qp_to_error(struct ibv_qp *qp);
int qp_min_rnr_timer(struct ibv_qp *qp, uint8_t timer);
int qp_min_rnr_timer_of(struct ibv_qp *qp);
int max_inline(struct ibv_context *c);
struct qp_state_result qp_state(struct ibv_qp *qp);
int post_recv(uintptr_t qp, uint64_t wr_id, uint64_t addr, uint32_t length, uint32_t lkey);
int post_send(uintptr_t qp, struct send_wr w);

#endif
