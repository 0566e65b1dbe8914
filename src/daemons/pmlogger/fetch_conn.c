/* fetch_conn - see fetch_conn.h. */
#include "daemons/pmlogger/fetch_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pcp/libpcp.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/timing.h"
#include "libbase/cleanup.h"
#include "libwire/pdu.h"

enum {
	RECEIVE_ROOM = 16 << 10, /* the least that a read has room for */
	MEMORY_KEEP = 1 << 20,
};

/* The connection; freed when the loop has let go of it. */
struct conn_socket {
	uv_poll_t poll;
	int fd;
	bool writing; /* waits for room */
};

static void fetch_conn_on_closed(uv_handle_t *handle)
{
	struct conn_socket *s = CONTAINER_OF(handle, struct conn_socket, poll);

	close(s->fd);
	free(s);
}

void fetch_conn_close(struct fetch_conn *conn)
{
	if (conn->socket == NULL)
		return;
	deadline_stop(&conn->deadline);
	uv_close((uv_handle_t *)&conn->socket->poll, fetch_conn_on_closed);
	conn->socket = NULL;
	conn->asked = false;
	buffer_reset(&conn->out);
	buffer_reset(&conn->in);
}

static void fetch_conn_tell(struct fetch_conn *conn, const struct fetch_reply *reply)
{
	deadline_stop(&conn->deadline);
	conn->asked = false;
	conn->answered(conn, reply);
}

static void fetch_conn_lose(struct fetch_conn *conn, int err)
{
	const struct fetch_reply reply = {.err = err, .lost = true};
	bool asked = conn->asked;

	fetch_conn_close(conn);
	if (asked)
		fetch_conn_tell(conn, &reply);
	else
		conn->hung_up(conn, err);
}

/*
 * In
 */

static int fetch_conn_read_some(struct fetch_conn *conn, size_t need)
{
	size_t have = buffer_pending(&conn->in);
	size_t room = need > have + RECEIVE_ROOM ? need - have : RECEIVE_ROOM;
	uint8_t *p = buffer_reserve(&conn->in, room);
	ssize_t n;

	if (p == NULL)
		return -ENOMEM;
	n = recv(conn->socket->fd, p, conn->in.cap - conn->in.len, MSG_DONTWAIT);
	if (n > 0)
		buffer_commit(&conn->in, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		return PM_ERR_IPC;
	return n > 0;
}

/* The length of the PDU at the front of in, 0 while its header is not whole; an error. */
static int64_t front(const struct fetch_conn *conn, struct pdu_header *ret_header)
{
	if (buffer_pending(&conn->in) < PDU_HEADER_LEN)
		return 0;
	if (pdu_header_get(buffer_head(&conn->in), ret_header) < 0 ||
	    ret_header->len > PDU_PEER_MAX)
		return PM_ERR_IPC;
	return ret_header->len;
}

/* The mask of changes, or why there is no result. 1; 0 if that was the reply; an error. */
static int take_error(struct fetch_conn *conn, size_t len)
{
	union pdu_body body;
	struct fetch_reply reply = {0};

	arena_reset(&conn->mem);
	if (pdu_decode(buffer_head(&conn->in), len, &conn->mem, &body) < 0 || body.error.code == 0)
		return PM_ERR_IPC;
	buffer_consume(&conn->in, len);
	if (body.error.code > 0) {
		conn->changes |= (unsigned int)body.error.code;
		return 1;
	}
	if (conn->profile_new) /* it may be that which is refused, and the reply is still to come */
		return body.error.code;
	if (buffer_pending(&conn->in) > 0)
		return PM_ERR_IPC;
	reply.err = body.error.code;
	fetch_conn_tell(conn, &reply);
	return 0;
}

static int fetch_conn_take_result(struct fetch_conn *conn, size_t len)
{
	struct fetch_reply reply = {
	    .changes = conn->changes, .pdu = buffer_head(&conn->in), .len = len};

	if (buffer_pending(&conn->in) > len)
		return PM_ERR_IPC; /* it was not requested */
	conn->profile_new = false;
	buffer_reset(&conn->in); /* the bytes stay where they are until the next fetch is sent */
	fetch_conn_tell(conn, &reply);
	return 0;
}

/* The PDUs that are there. 0: no more is to be done; 1: more is to come; an error. */
static int fetch_conn_take(struct fetch_conn *conn, size_t *ret_need)
{
	uint32_t want = conn->highres ? PDU_HIGHRES_RESULT : PDU_RESULT;
	struct pdu_header header;
	int r = 1;

	while (r == 1) {
		int64_t len = front(conn, &header);

		*ret_need = len > 0 ? (size_t)len : PDU_HEADER_LEN;
		if (len < 0 || (!conn->asked && buffer_pending(&conn->in) > 0))
			return PM_ERR_IPC;
		if (buffer_pending(&conn->in) < *ret_need)
			return 1;
		if (header.type == PDU_ERROR)
			r = take_error(conn, header.len);
		else
			r = header.type == want ? fetch_conn_take_result(conn, header.len)
						: PM_ERR_IPC;
	}
	return r;
}

static void fetch_conn_receive(struct fetch_conn *conn)
{
	struct pdu_header header;
	int64_t len = front(conn, &header);
	size_t need = len > 0 ? (size_t)len : PDU_HEADER_LEN;
	int r = fetch_conn_read_some(conn, need);

	if (r > 0)
		r = fetch_conn_take(conn, &need);
	if (r < 0)
		fetch_conn_lose(conn, r);
}

/*
 * Out
 */

static void fetch_conn_on_ready(uv_poll_t *poll, int status, int events);

static int fetch_conn_flush(struct fetch_conn *conn)
{
	struct conn_socket *s = conn->socket;
	ssize_t n;
	bool rest;

	do {
		n = send(s->fd, buffer_head(&conn->out), buffer_pending(&conn->out),
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0)
			buffer_consume(&conn->out, (size_t)n);
		else if (errno != EINTR && errno != EAGAIN)
			return PM_ERR_IPC;
		rest = buffer_pending(&conn->out) > 0;
	} while (rest && (n > 0 || errno == EINTR));
	if (rest != s->writing)
		uv_poll_start(&s->poll, rest ? UV_READABLE | UV_WRITABLE : UV_READABLE,
			      fetch_conn_on_ready);
	s->writing = rest;
	return 0;
}

static void fetch_conn_on_ready(uv_poll_t *poll, int status, int events)
{
	struct fetch_conn *conn = poll->data;
	int r = 0;

	if (status == 0 && (events & UV_WRITABLE) != 0 && conn->socket->writing)
		r = fetch_conn_flush(conn);
	if (r < 0)
		fetch_conn_lose(conn, r);
	else if (status < 0 || (events & UV_READABLE) != 0)
		fetch_conn_receive(conn);
}

/* All instances, but those of some domains that the group wants some of. */
static int put_profile(struct fetch_conn *conn, const struct fetch_group *g)
{
	AUTO_FREE pmInDomProfile *domains = calloc(g->nwant + 1, sizeof(*domains));
	const union pdu_body body = {.profile = {.profile = {.state = PM_PROFILE_INCLUDE,
							     .profile_len = (int)g->nwant,
							     .profile = domains}}};

	if (domains == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < g->nwant; i++)
		domains[i] = (pmInDomProfile){.indom = g->wants[i].indom,
					      .state = PM_PROFILE_EXCLUDE,
					      .instances_len = (int)g->wants[i].n,
					      .instances = g->wants[i].insts};
	return pdu_encode(&conn->out, PDU_PROFILE, conn->from, &body);
}

/*
 * A group that wants some instances has a profile of its own; all others share that of all
 * instances, so that in the common case none is ever sent again.
 */
static int put_fetch(struct fetch_conn *conn, const struct fetch_group *g)
{
	const union pdu_body body = {.fetch = {.numpmid = (uint32_t)g->n, .pmids = g->pmids}};
	uint64_t owner = g->nwant > 0 ? g->id : 0;
	int r = 0;

	if (conn->profile != owner) {
		r = put_profile(conn, g);
		conn->profile = owner;
		conn->profile_new = true;
	}
	return r < 0 ? r
		     : pdu_encode(&conn->out, conn->highres ? PDU_HIGHRES_FETCH : PDU_FETCH,
				  conn->from, &body);
}

static void fetch_conn_on_limit(uv_timer_t *timer)
{
	struct fetch_conn *conn = timer->data;

	if (conn->failed == 0 && deadline_renewed(&conn->deadline))
		return;
	fetch_conn_lose(conn, conn->failed < 0 ? conn->failed : PM_ERR_TIMEOUT);
}

/* A failure is reported like a reply, and not from within the call. */
void fetch_conn_send(struct fetch_conn *conn, const struct fetch_group *group)
{
	int r;

	if (conn->in.cap > MEMORY_KEEP)
		buffer_trim(&conn->in, MEMORY_KEEP);
	conn->changes = 0;
	conn->failed = 0;
	conn->asked = true;
	r = put_fetch(conn, group);
	if (r == 0)
		r = fetch_conn_flush(conn);
	if (r < 0)
		conn->failed = r;
	if (r < 0 || conn->limit_ms > 0)
		deadline_start(&conn->deadline, fetch_conn_on_limit,
			       r < 0 ? 0 : (uint64_t)conn->limit_ms);
}

/*
 * Opening
 */

/* In the worker thread. */
static int open_run(struct worker_job *job, struct worker *worker)
{
	struct fetch_conn *conn = CONTAINER_OF(job, struct fetch_conn, job);
	int r = conn->opened > 0 ? worker_renew(worker) : worker_ready(worker);
	int own = pmWhichContext(), other;

	if (r < 0)
		return r;
	other = pmDupContext();
	if (other < 0)
		return other;
	conn->from = other;
	conn->opened_fd = pitot_context_detach(other, &conn->opened_features, &conn->limit_ms);
	pmDestroyContext(other);
	pmUseContext(own);
	return conn->opened_fd < 0 ? conn->opened_fd : 0;
}

static int fetch_conn_take_socket(struct fetch_conn *conn)
{
	struct conn_socket *s = calloc(1, sizeof(*s));
	int r;

	if (s == NULL) {
		close(conn->opened_fd);
		return -ENOMEM;
	}
	s->fd = conn->opened_fd;
	r = uv_poll_init(conn->loop, &s->poll, s->fd);
	if (r < 0) {
		close(s->fd);
		free(s);
		return r;
	}
	s->poll.data = conn;
	conn->socket = s;
	conn->highres = (conn->opened_features & PDU_FEATURE_HIGHRES) != 0;
	conn->opened++;
	conn->profile = UINT64_MAX; /* it has none, and 6.0.3 wants one */
	return uv_poll_start(&s->poll, UV_READABLE, fetch_conn_on_ready);
}

static void on_opened(struct worker_job *job)
{
	struct fetch_conn *conn = CONTAINER_OF(job, struct fetch_conn, job);
	int r = job->err;

	if (r == 0)
		r = fetch_conn_take_socket(conn);
	conn->ready(conn, r);
}

void fetch_conn_open(struct fetch_conn *conn)
{
	worker_post(conn->worker, &conn->job);
}

void fetch_conn_init(struct fetch_conn *conn, uv_loop_t *loop, struct worker *worker)
{
	*conn = (struct fetch_conn){.loop = loop, .worker = worker, .mem = ARENA_INIT};
	conn->job = (struct worker_job){.run = open_run, .done = on_opened};
	deadline_init(&conn->deadline, loop);
	conn->deadline.timer.data = conn;
}

void fetch_conn_done(struct fetch_conn *conn)
{
	if (conn->loop == NULL)
		return;
	fetch_conn_close(conn);
	if (!uv_is_closing((uv_handle_t *)&conn->deadline.timer))
		timing_close(&conn->deadline.timer, NULL);
	buffer_done(&conn->out);
	buffer_done(&conn->in);
	arena_done(&conn->mem);
}
