// The yardstick of the verbs engine's speed: a C program that makes the calls of libibverbs
// and librdmacm that the engine makes, both ends of every connection in one process, as
// directly as the libraries allow.
#ifndef DATAPI_REFERENCE_H
#define DATAPI_REFERENCE_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The sizes of the engine's endpoints that the benchmarks create.
enum { recvs = 8, requests = 8, reserve = 1, reads = 4, cq_size = 64 };

// end is one end of a connection, with a completion queue of its own as an endpoint with an
// EVD of its own has it.
struct end {
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	// memory is registered as mr; buffer is what messages are sent from and received to.
	struct ibv_mr *mr;
	char *buffer;
	bool established, disconnected;
	uint32_t inline_data;
	// received and sent count completions.
	long received, sent;
};

// pair is a connection with both of its ends.
struct pair { struct end active, passive; };

extern struct rdma_event_channel *cm;
extern struct ibv_pd *pd;
extern struct ibv_comp_channel *comp;

// must ends the program with the name of what failed where ok is false.
void must(bool ok, const char *what);
// now returns the monotonic time in ns.
int64_t now(void);

// open_device listens on an address, and opens the device behind it.
void open_device(const char *address);
// init_end creates the queue and, where size is not 0, the memory of an end.
void init_end(struct end *e, size_t size, int access);
// connect_pair connects the two ends; disconnect_pair disconnects them, first the active
// one, and destroys their queue pairs and ids.
void connect_pair(struct pair *p);
void disconnect_pair(struct pair *p);

// post_recv and post_send post a message of size bytes.
void post_recv(struct end *e, uint32_t size);
void post_send(struct end *e, uint32_t size);
// take counts the completions that are in the queue of an end. It returns how many.
int take(struct end *e);
// await_event waits until the completion channel has an event, takes it, asks for the next
// of its queue, and counts what is in the queue.
void await_event(void);

#endif
