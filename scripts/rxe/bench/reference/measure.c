// reference ADDRESS WHAT N: do one thing N times, and print how long one takes.
//
// The output has the form of a Go benchmark's. WHAT is pair, pingpong-events,
// pingpong-thread, pingpong-polling, writes or waiting.

#include "reference.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { message = 64, write_size = 1 << 20, outstanding = 8 };

static struct pair p;

// pairs connects, disconnects and frees pairs.
static void pairs(long n)
{
	for (long i = 0; i < n; i++) {
		connect_pair(&p);
		disconnect_pair(&p);
	}
}

// The three ways to wait until an end has received as many messages as it should.

static void by_events(struct end *e, long want)
{
	while (e->received < want)
		await_event();
}

static void by_polling(struct end *e, long want)
{
	while (e->received < want) {
		take(&p.active);
		take(&p.passive);
	}
}

// A second thread takes the events and hands over what it has counted.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long handed[2];

static void *hand_over(void *unused)
{
	for (;;) {
		await_event();
		pthread_mutex_lock(&lock);
		handed[0] = p.active.received;
		handed[1] = p.passive.received;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void by_thread(struct end *e, long want)
{
	static bool started;
	pthread_t thread;
	long *count = &handed[e == &p.passive];

	if (!started)
		must(!pthread_create(&thread, NULL, hand_over, NULL), "pthread_create");
	started = true;
	pthread_mutex_lock(&lock);
	while (*count < want)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

// await waits until an end has received as many messages as wanted since it was created.
static void (*await)(struct end *, long);

// pingpong sends a message there and back.
static void pingpong(long n)
{
	static long done;

	for (long i = 0; i < n; i++) {
		done++;
		post_send(&p.active, message);
		await(&p.passive, done);
		post_recv(&p.passive, message);
		post_send(&p.passive, message);
		await(&p.active, done);
		post_recv(&p.active, message);
	}
}

static void post_write(void)
{
	struct ibv_sge sge = {.addr = (uintptr_t)p.active.buffer, .length = write_size, .lkey = p.active.mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {.remote_addr = (uintptr_t)p.passive.buffer, .rkey = p.passive.mr->rkey}}, *bad;

	must(!ibv_post_send(p.active.id->qp, &wr, &bad), "ibv_post_send");
}

// writes writes to the peer's memory, as many at a time as may be outstanding.
static void writes(long n)
{
	long begin = p.active.sent;

	for (long posted = 0; p.active.sent < begin + n;) {
		for (; posted < n && posted < p.active.sent - begin + outstanding; posted++)
			post_write();
		await_event();
	}
}

// waiting waits twice for an event of a descriptor that is no device's.
static void waiting(long n)
{
	static int fd = -1;
	uint64_t count = 1;

	if (fd < 0)
		fd = eventfd(0, EFD_NONBLOCK);
	struct pollfd events = {.fd = fd, .events = POLLIN};
	for (long i = 0; i < 2 * n; i++) {
		must(write(fd, &count, sizeof(count)) == sizeof(count), "write");
		must(poll(&events, 1, -1) == 1, "poll");
		must(read(fd, &count, sizeof(count)) == sizeof(count), "read");
	}
}

static const struct {
	const char *what;
	void (*run)(long);
	void (*await)(struct end *, long);
	size_t memory;
	bool connected;
} all[] = {
	{"pair", pairs, NULL, 0, false},
	{"pingpong-events", pingpong, by_events, message, true},
	{"pingpong-thread", pingpong, by_thread, message, true},
	{"pingpong-polling", pingpong, by_polling, message, true},
	{"writes", writes, NULL, write_size, true},
	{"waiting", waiting, NULL, 0, false},
};

int main(int argc, char **argv)
{
	long n = argc == 4 ? atol(argv[3]) : 0;
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	for (size_t i = 0; n > 0 && i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(argv[2], all[i].what))
			continue;
		open_device(argv[1]);
		init_end(&p.active, all[i].memory, access);
		init_end(&p.passive, all[i].memory, access);
		await = all[i].await;
		if (all[i].connected) {
			connect_pair(&p);
			for (int r = 0; await && r < recvs; r++) {
				post_recv(&p.active, message);
				post_recv(&p.passive, message);
			}
		}
		all[i].run(n / 10 + 1);
		int64_t begin = now();
		all[i].run(n);
		printf("Benchmark/%s\t%ld\t%ld ns/op\n", all[i].what, n, (long)(now() - begin) / n);
		fflush(stdout);
		_exit(0); // the kernel frees what is left
	}
	fprintf(stderr, "usage: reference ADDRESS WHAT N\n");
	return 2;
}
