//go:build verbs

// The connection manager's part of the C side.

#include "libs.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>

struct cm_event_result get_cm_event(struct rdma_event_channel *ch)
{
	struct cm_event_result r = {0};
	struct rdma_cm_event *e;

	r.rc = dl_rdma_get_cm_event(ch, &e);
	if (r.rc)
		return r;
	r.type = e->event;
	r.status = e->status;
	r.id = e->id;
	r.key = e->id ? (uintptr_t)e->id->context : 0;
	r.listener = e->listen_id ? (uintptr_t)e->listen_id->context : 0;
	if (e->event != RDMA_CM_EVENT_ADDR_RESOLVED && e->event != RDMA_CM_EVENT_ROUTE_RESOLVED) {
		r.peer_qp = e->param.conn.qp_num;
		r.responder_resources = e->param.conn.responder_resources;
		r.initiator_depth = e->param.conn.initiator_depth;
		r.private_len = e->param.conn.private_data ? e->param.conn.private_data_len : 0;
		memcpy(r.private_data, e->param.conn.private_data ? e->param.conn.private_data : "", r.private_len);
	}
	dl_rdma_ack_cm_event(e);
	return r;
}

struct id_result create_id(struct rdma_event_channel *ch, uint64_t key)
{
	struct id_result r = {0};

	r.rc = dl_rdma_create_id(ch, &r.id, (void *)(uintptr_t)key, RDMA_PS_TCP);
	return r;
}

void set_key(struct rdma_cm_id *id, uint64_t key) { id->context = (void *)(uintptr_t)key; }

static struct sockaddr_storage to_sockaddr(struct address a)
{
	struct sockaddr_storage s = {0};

	if (a.family == AF_INET) {
		struct sockaddr_in *in = (struct sockaddr_in *)&s;
		in->sin_family = AF_INET;
		in->sin_port = htons(a.port);
		memcpy(&in->sin_addr, a.ip, 4);
		return s;
	}
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&s;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(a.port);
	in6->sin6_scope_id = a.scope;
	memcpy(&in6->sin6_addr, a.ip, 16);
	return s;
}

static struct address from_sockaddr(const struct sockaddr *s)
{
	struct address a = {.family = s->sa_family};

	if (s->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)s;
		a.port = ntohs(in->sin_port);
		memcpy(a.ip, &in->sin_addr, 4);
	} else if (s->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)s;
		a.port = ntohs(in6->sin6_port);
		a.scope = in6->sin6_scope_id;
		memcpy(a.ip, &in6->sin6_addr, 16);
	}
	return a;
}

int bind_addr(struct rdma_cm_id *id, struct address a)
{
	struct sockaddr_storage s = to_sockaddr(a);

	return dl_rdma_bind_addr(id, (struct sockaddr *)&s);
}

int resolve_addr(struct rdma_cm_id *id, struct address to, int ms)
{
	struct sockaddr_storage s = to_sockaddr(to);

	return dl_rdma_resolve_addr(id, NULL, (struct sockaddr *)&s, ms);
}

int set_byte_option(struct rdma_cm_id *id, int name, uint8_t value)
{
	return dl_rdma_set_option(id, RDMA_OPTION_ID, name, &value, sizeof value);
}

struct address local_address(struct rdma_cm_id *id) { return from_sockaddr(&id->route.addr.src_addr); }

struct address peer_address(struct rdma_cm_id *id) { return from_sockaddr(&id->route.addr.dst_addr); }

// The call with every signal of the thread held back until it returns, errno of the call. Over iWARP it
// can wait for the peer's TCP. After a signal, which Go's scheduler may send at any time, the kernel gives
// up the TCP connection and asks for another; and siw's listener does not survive a connection that is
// closed before it is taken.
static int connect_without_signals(struct rdma_cm_id *id, struct rdma_conn_param *c)
{
	sigset_t all, before;
	int rc, error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = dl_rdma_connect(id, c);
	error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return rc;
}

int connect_id(struct rdma_cm_id *id, bool passive, struct conn_param p, const void *data)
{
	struct rdma_conn_param c = {
		.private_data = data,
		.private_data_len = p.private_len,
		.responder_resources = p.responder_resources,
		.initiator_depth = p.initiator_depth,
		.retry_count = p.retry_count,
		.rnr_retry_count = p.rnr_retry_count,
	};

	return passive ? dl_rdma_accept(id, &c) : connect_without_signals(id, &c);
}

int reject_id(struct rdma_cm_id *id, bool consumer, const void *data, uint8_t n)
{
	return consumer ? dl_rdma_reject(id, data, n) : dl_rdma_reject_ece(id, data, n);
}
