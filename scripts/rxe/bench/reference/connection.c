// Connections of the yardstick: opened, connected, disconnected and freed by one thread.

#include "reference.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct rdma_event_channel *cm;
struct ibv_pd *pd;
struct ibv_comp_channel *comp;

static struct rdma_cm_id *listener;
static struct sockaddr_in address;

void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "reference: %s: %s\n", what, strerror(errno));
	exit(1);
}

int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void open_device(const char *text)
{
	cm = rdma_create_event_channel();
	must(cm, "rdma_create_event_channel");
	address.sin_family = AF_INET;
	must(inet_pton(AF_INET, text, &address.sin_addr) == 1, "inet_pton");
	must(!rdma_create_id(cm, &listener, NULL, RDMA_PS_TCP), "rdma_create_id");
	must(!rdma_bind_addr(listener, (struct sockaddr *)&address), "rdma_bind_addr");
	must(!rdma_listen(listener, 1024), "rdma_listen");
	pd = ibv_alloc_pd(listener->verbs);
	must(pd, "ibv_alloc_pd");
	comp = ibv_create_comp_channel(listener->verbs);
	must(comp, "ibv_create_comp_channel");
}

void init_end(struct end *e, size_t size, int access)
{
	*e = (struct end){0};
	e->cq = ibv_create_cq(listener->verbs, cq_size, e, comp, 0);
	must(e->cq, "ibv_create_cq");
	must(!ibv_req_notify_cq(e->cq, 0), "ibv_req_notify_cq");
	if (!size)
		return;
	e->buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(e->buffer != MAP_FAILED, "mmap");
	e->mr = ibv_reg_mr(pd, e->buffer, size, access);
	must(e->mr, "ibv_reg_mr");
}

// create_qp creates the queue pair of an end that has its id.
static void create_qp(struct end *e)
{
	struct ibv_qp_init_attr a = {.send_cq = e->cq, .recv_cq = e->cq, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = requests + reserve, .max_recv_wr = recvs, .max_send_sge = 1, .max_recv_sge = 1}};

	must(!rdma_create_qp(e->id, pd, &a), "rdma_create_qp");
	e->inline_data = a.cap.max_inline_data;
}

// handle does what an event of the connection manager asks for.
static void handle(struct rdma_cm_event *event, struct pair *p)
{
	struct rdma_conn_param param = {.responder_resources = reads, .initiator_depth = reads, .retry_count = 7, .rnr_retry_count = 6};
	struct rdma_cm_id *id = event->id;
	struct end *e = id == p->active.id ? &p->active : &p->passive;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		must(!rdma_resolve_route(id, 3000), "rdma_resolve_route");
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		must(!rdma_connect(id, &param), "rdma_connect");
		break;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		p->passive.id = id;
		create_qp(&p->passive);
		must(!rdma_accept(id, &param), "rdma_accept");
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		e->established = true;
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		e->disconnected = true;
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		errno = -event->status;
		must(false, rdma_event_str(event->event));
	}
}

// next takes one event of the connection manager.
static void next(struct pair *p)
{
	struct rdma_cm_event *event;
	struct rdma_cm_event copy;

	must(!rdma_get_cm_event(cm, &event), "rdma_get_cm_event");
	copy = *event;
	must(!rdma_ack_cm_event(event), "rdma_ack_cm_event");
	handle(&copy, p);
}

void connect_pair(struct pair *p)
{
	struct end *e = &p->active;
	struct sockaddr_in from = address, to = address;

	from.sin_port = 0;
	to.sin_port = rdma_get_src_port(listener);
	p->active.established = p->active.disconnected = false;
	p->passive.established = p->passive.disconnected = false;
	must(!rdma_create_id(cm, &e->id, NULL, RDMA_PS_TCP), "rdma_create_id");
	must(!rdma_bind_addr(e->id, (struct sockaddr *)&from), "rdma_bind_addr");
	create_qp(e);
	must(!rdma_resolve_addr(e->id, NULL, (struct sockaddr *)&to, 3000), "rdma_resolve_addr");
	while (!p->active.established || !p->passive.established)
		next(p);
}

// finish flushes and destroys the queue pair of an end.
static void finish(struct end *e)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_ERR};

	ibv_modify_qp(e->id->qp, &a, IBV_QP_STATE);
	take(e);
	rdma_destroy_qp(e->id);
}

void disconnect_pair(struct pair *p)
{
	must(!rdma_disconnect(p->active.id), "rdma_disconnect");
	finish(&p->active);
	while (!p->passive.disconnected)
		next(p);
	finish(&p->passive);
	must(!rdma_destroy_id(p->passive.id), "rdma_destroy_id");
	p->passive.id = NULL;
	while (!p->active.disconnected)
		next(p);
	must(!rdma_destroy_id(p->active.id), "rdma_destroy_id");
	p->active.id = NULL;
}

void post_recv(struct end *e, uint32_t size)
{
	struct ibv_sge sge = {.addr = (uintptr_t)e->buffer, .length = size, .lkey = e->mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	must(!ibv_post_recv(e->id->qp, &wr, &bad), "ibv_post_recv");
}

void post_send(struct end *e, uint32_t size)
{
	struct ibv_sge sge = {.addr = (uintptr_t)e->buffer, .length = size, .lkey = e->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}, *bad;

	if (size <= e->inline_data)
		wr.send_flags |= IBV_SEND_INLINE;
	must(!ibv_post_send(e->id->qp, &wr, &bad), "ibv_post_send");
}

int take(struct end *e)
{
	struct ibv_wc wc[64];
	int n = ibv_poll_cq(e->cq, 64, wc);

	must(n >= 0, "ibv_poll_cq");
	for (int i = 0; i < n; i++) {
		must(wc[i].status == IBV_WC_SUCCESS, ibv_wc_status_str(wc[i].status));
		if (wc[i].opcode == IBV_WC_RECV)
			e->received++;
		else
			e->sent++;
	}
	return n;
}

void await_event(void)
{
	struct pollfd fd = {.fd = comp->fd, .events = POLLIN};
	struct ibv_cq *cq;
	void *e;

	must(poll(&fd, 1, -1) == 1, "poll");
	must(!ibv_get_cq_event(comp, &cq, &e), "ibv_get_cq_event");
	ibv_ack_cq_events(cq, 1);
	must(!ibv_req_notify_cq(cq, 0), "ibv_req_notify_cq");
	while (take(e) == 64)
		;
}
