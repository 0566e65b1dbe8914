/* conn - see conn.h. */
#include "libpcp/conn.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "libbase/clock.h"
#include "libbase/ready.h"
#include "libpcp/pdu_io.h"
#include "libpcp/trace.h"
#include "libwire/result.h"

enum {
	RECV_ROOM = 16 << 10,  /* the least that a receive has room for */
	MEMORY_KEEP = 1 << 20, /* what a connection keeps of the memory that a large reply took */
	NOTICES_MAX = 16,      /* state changes in front of one reply; there should be one */
};

/* How many forks led from the first process to this one. */
static unsigned int forks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
	forks++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

bool conn_is_open(struct conn *c)
{
	if (c->fd >= 0 && c->forks != forks) {
		close(c->fd);
		c->fd = -1;
		c->error = PM_ERR_IPC;
	}
	return c->fd >= 0;
}

void conn_init(struct conn *c)
{
	*c = (struct conn){.fd = -1, .error = PM_ERR_IPC};
}

void conn_done(struct conn *c)
{
	conn_close(c, PM_ERR_IPC);
	buffer_done(&c->in);
	buffer_done(&c->out);
	arena_done(&c->mem);
}

void conn_open(struct conn *c, int fd)
{
	buffer_reset(&c->in);
	buffer_reset(&c->out);
	pthread_once(&once, watch_forks);
	c->fd = fd;
	c->forks = forks;
	c->taken = 0;
	c->features = 0;
	c->untried = false;
}

void conn_close(struct conn *c, int error)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = 1};

	if (!conn_is_open(c))
		return;
	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(c->fd);
	c->fd = -1;
	c->error = error;
}

int conn_detach(struct conn *c, unsigned int *ret_features)
{
	int fd = c->fd;

	if (!conn_is_open(c))
		return c->error;
	if (buffer_pending(&c->in) > c->taken) {
		conn_close(c, PM_ERR_IPC);
		return PM_ERR_IPC;
	}
	*ret_features = c->features;
	c->fd = -1;
	c->error = PM_ERR_IPC;
	return fd;
}

void conn_set_timeout(struct conn *c, int timeout_ms)
{
	const struct timeval limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

	c->timeout_ms = timeout_ms;
	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

/* Closes with the error that it returns. */
static int lost(struct conn *c, int error)
{
	conn_close(c, PM_ERR_IPC);
	return error;
}

static uint64_t deadline_start(const struct conn *c)
{
	return c->timeout_ms == 0 ? 0 : clock_mono_ms() + (uint64_t)c->timeout_ms;
}

/*
 * Waits for the rest of something: the first system call for it has the kernel's own time limit
 * and needs no poll. 0, PM_ERR_TIMEOUT or PM_ERR_IPC.
 */
static int conn_wait_for(const struct conn *c, short events, uint64_t deadline_ms)
{
	int r = ready_wait(c->fd, events, deadline_ms);

	return r == -ETIMEDOUT ? PM_ERR_TIMEOUT : r < 0 && r != -EBADF ? PM_ERR_IPC : 0;
}

/* After a failure nothing is left of the whole batch. */
static int was_put(struct conn *c, enum pdu_type type, size_t before, int r)
{
	if (r < 0) {
		buffer_reset(&c->out);
		return r;
	}
	pdu_count_out(type);
	trace_pdu(true, c->fd, buffer_head(&c->out) + before, buffer_pending(&c->out) - before);
	return r;
}

int conn_put(struct conn *c, enum pdu_type type, const union pdu_body *body)
{
	size_t before = buffer_pending(&c->out);

	if (!conn_is_open(c))
		return c->error;
	return was_put(c, type, before, pdu_encode(&c->out, type, c->from, body));
}

int conn_put_result(struct conn *c, int64_t sec, int64_t usec, const struct result_source *sources,
		    size_t n)
{
	size_t before = buffer_pending(&c->out);

	if (!conn_is_open(c))
		return c->error;
	return was_put(c, PDU_RESULT, before,
		       result_encode(&c->out, PDU_RESULT, c->from, sec, usec, sources, n));
}

int conn_flush(struct conn *c)
{
	uint64_t deadline_ms = deadline_start(c);
	ssize_t n;
	int r;

	if (!conn_is_open(c))
		return c->error;
	/* A PDU that arrives unasked does not answer any request. */
	if (buffer_pending(&c->in) > c->taken)
		return lost(c, PM_ERR_IPC);
	while (buffer_pending(&c->out) > 0) {
		n = send(c->fd, buffer_head(&c->out), buffer_pending(&c->out), MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			return lost(c, PM_ERR_TIMEOUT);
		if (n < 0 && errno != EINTR)
			return lost(c, PM_ERR_IPC);
		if (n > 0)
			buffer_consume(&c->out, (size_t)n);
		if (buffer_pending(&c->out) > 0) {
			r = conn_wait_for(c, POLLOUT, deadline_ms);
			if (r < 0)
				return lost(c, r);
		}
	}
	return 0;
}

/* The PDU given out last is done with. */
static void drop_taken(struct conn *c)
{
	if (c->taken == 0)
		return;
	buffer_consume(&c->in, c->taken);
	c->taken = 0;
	if (buffer_pending(&c->in) == 0 && c->in.cap > MEMORY_KEEP)
		buffer_trim(&c->in, MEMORY_KEEP);
	if (c->mem.used > MEMORY_KEEP)
		arena_done(&c->mem);
}

/* Receives until need bytes are there. first: nothing was waited for yet. */
static int conn_receive(struct conn *c, size_t need, bool first, uint64_t deadline_ms)
{
	size_t room;
	uint8_t *p;
	ssize_t n;
	int r;

	while (buffer_pending(&c->in) < need) {
		room = need - buffer_pending(&c->in);
		if (room < RECV_ROOM)
			room = RECV_ROOM;
		p = buffer_reserve(&c->in, room);
		if (p == NULL)
			return lost(c, -ENOMEM);
		if (!first) {
			r = conn_wait_for(c, POLLIN, deadline_ms);
			if (r < 0)
				return lost(c, r);
		}
		first = false;
		n = recv(c->fd, p, c->in.cap - c->in.len, 0);
		if (n == 0)
			return lost(c, PM_ERR_IPC);
		if (n > 0)
			buffer_commit(&c->in, (size_t)n);
		else if (errno == EAGAIN)
			return lost(c, PM_ERR_TIMEOUT);
		else if (errno != EINTR)
			return lost(c, PM_ERR_IPC);
	}
	return 0;
}

int conn_peek(struct conn *c, size_t need, const uint8_t **ret_bytes, size_t *ret_len)
{
	int r;

	if (!conn_is_open(c))
		return c->error;
	drop_taken(c);
	r = conn_receive(c, need, true, deadline_start(c));
	if (r < 0)
		return r;
	*ret_bytes = buffer_head(&c->in);
	*ret_len = buffer_pending(&c->in);
	return 0;
}

void conn_skip(struct conn *c, size_t len)
{
	buffer_consume(&c->in, len);
}

/* One whole PDU, at the front of in. */
static int next_pdu(struct conn *c, struct pdu_header *ret_header)
{
	uint64_t deadline_ms;
	int r;

	if (!conn_is_open(c))
		return c->error;
	drop_taken(c);
	deadline_ms = deadline_start(c);
	r = conn_receive(c, PDU_HEADER_LEN, true, deadline_ms);
	if (r < 0)
		return r;
	r = pdu_header_get(buffer_head(&c->in), ret_header);
	if (r < 0)
		return lost(c, PM_ERR_IPC);
	if (ret_header->len > PDU_PEER_MAX)
		return lost(c, PM_ERR_TOOBIG);
	r = conn_receive(c, ret_header->len, false, deadline_ms);
	if (r < 0)
		return r;
	c->taken = ret_header->len;
	pdu_count_in(ret_header->type);
	trace_pdu(false, c->fd, buffer_head(&c->in), ret_header->len);
	return 0;
}

/*
 * The collector refused. After a request that is answered only by a refusal, it is unknown whether
 * this is that refusal, with the answer to the next request still to come, so the connection ends.
 */
static int refused(struct conn *c, int code)
{
	if (c->untried && (code == PM_ERR_PERMISSION || code == PM_ERR_CONNLIMIT))
		conn_close(c, code);
	c->untried = false;
	return code;
}

/* The code of the ERROR at the front of in. 0, or PM_ERR_IPC for one that is malformed. */
static int read_error(struct conn *c, size_t len, int *ret_code)
{
	union pdu_body body;
	int r;

	arena_reset(&c->mem);
	r = pdu_decode(buffer_head(&c->in), len, &c->mem, &body);
	if (r < 0)
		return r;
	*ret_code = body.error.code;
	return 0;
}

int conn_reply_raw(struct conn *c, enum pdu_type want, int *ret_changes, const uint8_t **ret_pdu,
		   size_t *ret_len)
{
	struct pdu_header header;
	int code = 0;
	int r;

	for (int notices = 0; notices <= NOTICES_MAX; notices++) {
		r = next_pdu(c, &header);
		if (r < 0)
			return r;
		if (header.type == PDU_ERROR) {
			r = read_error(c, header.len, &code);
			if (r < 0)
				return lost(c, r);
			if (code < 0)
				return refused(c, code);
		}
		if (header.type == want) {
			c->untried = false;
			*ret_pdu = buffer_head(&c->in);
			*ret_len = header.len;
			return 0;
		}
		if (header.type != PDU_ERROR || ret_changes == NULL || code == 0)
			break;
		*ret_changes |= code;
	}
	return lost(c, PM_ERR_IPC);
}

int conn_reply(struct conn *c, enum pdu_type want, int *ret_changes, union pdu_body *ret_body)
{
	const uint8_t *pdu;
	size_t len;
	int r;

	r = conn_reply_raw(c, want, ret_changes, &pdu, &len);
	if (r < 0)
		return r;
	arena_reset(&c->mem);
	return pdu_decode(pdu, len, &c->mem, ret_body);
}

int conn_call(struct conn *c, enum pdu_type type, const union pdu_body *request, enum pdu_type want,
	      union pdu_body *ret_body)
{
	int r = conn_put(c, type, request);

	if (r == 0)
		r = conn_flush(c);
	if (r == 0)
		r = conn_reply(c, want, NULL, ret_body);
	return r;
}
