//go:build verbs

#include "libs.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORWARD(ret, name, params, args) \
	static ret(*real_##name) params;     \
	ret dl_##name params { return real_##name args; }
LIBIBVERBS(FORWARD)
LIBRDMACM(FORWARD)

struct symbol {
	const char *name;
	void **to;
};
#define SYMBOL(ret, name, params, args) {#name, (void **)&real_##name},
static const struct symbol verbs_symbols[] = {LIBIBVERBS(SYMBOL){0}};
static const struct symbol rdmacm_symbols[] = {LIBRDMACM(SYMBOL){0}};

static char *open_one(const char *file, const struct symbol *s)
{
	char *text = NULL;
	void *lib = dlopen(file, RTLD_NOW | RTLD_GLOBAL);

	if (!lib)
		return asprintf(&text, "%s", dlerror()) < 0 ? strdup(file) : text;
	for (; s->name; s++) {
		*s->to = dlsym(lib, s->name);
		if (!*s->to)
			return asprintf(&text, "%s has no %s", file, s->name) < 0 ? strdup(file) : text;
	}
	return NULL;
}

char *libs_open(void)
{
	char *missing = open_one("libibverbs.so.1", verbs_symbols);

	return missing ? missing : open_one("librdmacm.so.1", rdmacm_symbols);
}

struct device_result query_device(struct ibv_context *c)
{
	struct device_result r = {0};

	r.rc = dl_ibv_query_device(c, &r.attr);
	r.guid = be64toh(dl_ibv_get_device_guid(c->device));
	return r;
}

// The symbol fills the part of the struct that old programs know, which has all that is used here.
int (ibv_query_port)(struct ibv_context *, uint8_t, struct _compat_ibv_port_attr *);

struct port_result query_port(struct ibv_context *c, uint8_t port)
{
	static int (*real)(struct ibv_context *, uint8_t, struct _compat_ibv_port_attr *);
	struct port_result r = {0};

	if (!real)
		real = dlsym(RTLD_DEFAULT, "ibv_query_port");
	r.rc = real ? real(c, port, (struct _compat_ibv_port_attr *)&r.attr) : ENOSYS;
	return r;
}

static uint64_t async_key(const struct ibv_async_event *e)
{
	switch (e->event_type) {
	case IBV_EVENT_CQ_ERR:
		return (uintptr_t)e->element.cq->cq_context;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return (uintptr_t)e->element.srq->srq_context;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return (uintptr_t)e->element.qp->qp_context;
	default:
		return 0;
	}
}

struct async_result get_async_event(struct ibv_context *c)
{
	struct async_result r = {0};
	struct ibv_async_event e;

	r.rc = dl_ibv_get_async_event(c, &e);
	if (r.rc)
		return r;
	r.type = e.event_type;
	r.key = async_key(&e);
	if (!r.key)
		r.port = e.element.port_num;
	dl_ibv_ack_async_event(&e);
	return r;
}

// abandon closes the files of a vanished device. The connection manager's library keeps
// the context that it opened, and some kernels wait until the last file of it is closed
// before the device can go. So the files are replaced by /dev/null, which the library may
// close whenever it does.
void abandon(struct ibv_context *c)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return;
	dup3(null, c->async_fd, O_CLOEXEC);
	dup3(null, c->cmd_fd, O_CLOEXEC);
	close(null);
}

struct cq_event_result get_cq_event(struct ibv_comp_channel *ch)
{
	struct cq_event_result r = {0};
	struct ibv_cq *cq;
	void *key;

	if (dl_ibv_get_cq_event(ch, &cq, &key)) {
		r.error = errno;
		return r;
	}
	dl_ibv_ack_cq_events(cq, 1);
	r.key = (uintptr_t)key;
	return r;
}

struct ibv_cq *create_cq(struct ibv_context *c, int cqe, uint64_t key, struct ibv_comp_channel *ch, int vector)
{
	return dl_ibv_create_cq(c, cqe, (void *)(uintptr_t)key, ch, vector);
}

int arm_cq(struct ibv_cq *cq, bool solicited_only) { return ibv_req_notify_cq(cq, solicited_only); }

int query_gids(struct ibv_context *c, struct ibv_gid_entry *to, size_t n)
{
	return (int)dl__ibv_query_gid_table(c, to, n, 0, sizeof(*to));
}

int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc) { return ibv_poll_cq(cq, n, wc); }

struct next_result next_completions(struct next_of of, bool solicited_only, int n)
{
	struct next_result r;

	arm_cq((struct ibv_cq *)of.cq, solicited_only);
	r.count = poll_cq((struct ibv_cq *)of.cq, n, (struct ibv_wc *)of.wc);
	r.event = get_cq_event((struct ibv_comp_channel *)of.ch);
	return r;
}

struct ibv_srq *create_srq(struct ibv_pd *pd, uint32_t wr, uint32_t sge, uint64_t key)
{
	struct ibv_srq_init_attr a = {
		.srq_context = (void *)(uintptr_t)key, .attr = {.max_wr = wr, .max_sge = sge}};

	return dl_ibv_create_srq(pd, &a);
}

int modify_srq(struct ibv_srq *srq, uint32_t wr, uint32_t limit, int mask)
{
	struct ibv_srq_attr a = {.max_wr = wr, .srq_limit = limit};

	return dl_ibv_modify_srq(srq, &a, mask);
}

int post_srq_recv(struct ibv_srq *srq, uint64_t wr_id, uint64_t addr, uint32_t length, uint32_t lkey)
{
	struct ibv_sge sge = {.addr = addr, .length = length, .lkey = lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = length ? 1 : 0}, *bad;

	return ibv_post_srq_recv(srq, &wr, &bad);
}

struct ibv_mw *alloc_mw(struct ibv_pd *pd) { return ibv_alloc_mw(pd, IBV_MW_TYPE_1); }

int dealloc_mw(struct ibv_mw *mw) { return ibv_dealloc_mw(mw); }

struct bind_result bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mr *mr, struct bind_wr b)
{
	struct ibv_mw_bind bind = {.wr_id = b.wr_id,
		.send_flags = b.flags,
		.bind_info = {.mr = mr, .addr = b.addr, .length = b.length, .mw_access_flags = b.access}};
	struct bind_result r;

	r.rc = ibv_bind_mw(qp, mw, &bind);
	r.rkey = mw->rkey;
	return r;
}

struct create_qp_result create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_cq *send, struct ibv_cq *recv,
	struct ibv_srq *srq, struct qp_caps caps, uint64_t key)
{
	struct ibv_qp_init_attr a = {
		.qp_context = (void *)(uintptr_t)key,
		.send_cq = send,
		.recv_cq = recv,
		.srq = srq,
		.cap = {.max_send_wr = caps.send_wr,
			.max_recv_wr = caps.recv_wr,
			.max_send_sge = caps.send_sge,
			.max_recv_sge = caps.recv_sge,
			.max_inline_data = caps.inline_data},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	int rc = dl_rdma_create_qp(id, pd, &a);

	return (struct create_qp_result){rc, a.cap.max_inline_data};
}

// max_inline tries how much a send may carry inline: devices do not declare it, and refuse what is too much.
int max_inline(struct ibv_context *c)
{
	static const uint32_t sizes[] = {1024, 512, 256, 128, 64, 32};
	struct ibv_pd *pd = dl_ibv_alloc_pd(c);
	struct ibv_cq *cq = pd ? dl_ibv_create_cq(c, 2, NULL, NULL, 0) : NULL;
	int found = 0;

	for (size_t i = 0; cq && !found && i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct ibv_qp_init_attr a = {
			.send_cq = cq,
			.recv_cq = cq,
			.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = sizes[i]},
			.qp_type = IBV_QPT_RC,
		};
		struct ibv_qp *qp = dl_ibv_create_qp(pd, &a);

		if (qp) {
			found = sizes[i];
			dl_ibv_destroy_qp(qp);
		}
	}
	if (cq)
		dl_ibv_destroy_cq(cq);
	if (pd)
		dl_ibv_dealloc_pd(pd);
	return found;
}

int qp_min_rnr_timer(struct ibv_qp *qp, uint8_t timer)
{
	struct ibv_qp_attr a = {.min_rnr_timer = timer};

	return dl_ibv_modify_qp(qp, &a, IBV_QP_MIN_RNR_TIMER);
}

int qp_min_rnr_timer_of(struct ibv_qp *qp)
{
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr i;

	return dl_ibv_query_qp(qp, &a, IBV_QP_MIN_RNR_TIMER, &i) ? -1 : a.min_rnr_timer;
}

int qp_to_error(struct ibv_qp *qp)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_ERR};

	return dl_ibv_modify_qp(qp, &a, IBV_QP_STATE);
}

struct qp_state_result qp_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr i;
	struct ibv_qp_attr a = {0};
	struct qp_state_result r = {0};

	r.rc = dl_ibv_query_qp(qp, &a, IBV_QP_STATE, &i);
	r.state = a.qp_state;
	return r;
}

int post_recv(uintptr_t qp, uint64_t wr_id, uint64_t addr, uint32_t length, uint32_t lkey)
{
	struct ibv_sge sge = {.addr = addr, .length = length, .lkey = lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = length ? 1 : 0}, *bad;

	return ibv_post_recv((struct ibv_qp *)qp, &wr, &bad);
}

int post_send(uintptr_t qp, struct send_wr w)
{
	struct ibv_sge sge = {.addr = w.addr, .length = w.length, .lkey = w.lkey};
	struct ibv_send_wr wr = {.wr_id = w.wr_id,
		.sg_list = &sge,
		.num_sge = w.length ? 1 : 0,
		.opcode = w.opcode,
		.send_flags = w.flags,
		.wr.rdma = {.remote_addr = w.remote_addr, .rkey = w.rkey}},
		*bad;

	return ibv_post_send((struct ibv_qp *)qp, &wr, &bad);
}
