/* fetch_line - see fetch_line.h. */
#include "daemons/pmlogger/fetch_line.h"

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
struct line_socket {
	uv_poll_t poll;
	int fd;
	bool writing; /* waits for room */
};

static void fetch_line_on_closed(uv_handle_t *handle)
{
	struct line_socket *s = CONTAINER_OF(handle, struct line_socket, poll);

	close(s->fd);
	free(s);
}

void fetch_line_close(struct fetch_line *line)
{
	if (line->socket == NULL)
		return;
	deadline_stop(&line->deadline);
	uv_close((uv_handle_t *)&line->socket->poll, fetch_line_on_closed);
	line->socket = NULL;
	line->asked = false;
	buffer_reset(&line->out);
	buffer_reset(&line->in);
}

static void fetch_line_tell(struct fetch_line *line, const struct line_reply *reply)
{
	deadline_stop(&line->deadline);
	line->asked = false;
	line->answered(line, reply);
}

static void fetch_line_lose(struct fetch_line *line, int err)
{
	const struct line_reply reply = {.err = err, .lost = true};
	bool asked = line->asked;

	fetch_line_close(line);
	if (asked)
		fetch_line_tell(line, &reply);
	else
		line->hung_up(line, err);
}

/*
 * In
 */

static int fetch_line_read_some(struct fetch_line *line, size_t need)
{
	size_t have = buffer_pending(&line->in);
	size_t room = need > have + RECEIVE_ROOM ? need - have : RECEIVE_ROOM;
	uint8_t *p = buffer_reserve(&line->in, room);
	ssize_t n;

	if (p == NULL)
		return -ENOMEM;
	n = recv(line->socket->fd, p, line->in.cap - line->in.len, MSG_DONTWAIT);
	if (n > 0)
		buffer_commit(&line->in, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		return PM_ERR_IPC;
	return n > 0;
}

/* The length of the PDU at the front of in, 0 while its header is not whole; an error. */
static int64_t front(const struct fetch_line *line, struct pdu_header *ret_header)
{
	if (buffer_pending(&line->in) < PDU_HEADER_LEN)
		return 0;
	if (pdu_header_get(buffer_head(&line->in), ret_header) < 0 ||
	    ret_header->len > PDU_PEER_MAX)
		return PM_ERR_IPC;
	return ret_header->len;
}

/* The mask of changes, or why there is no result. 1; 0 if that was the reply; an error. */
static int take_error(struct fetch_line *line, size_t len)
{
	union pdu_body body;
	struct line_reply reply = {0};

	arena_reset(&line->mem);
	if (pdu_decode(buffer_head(&line->in), len, &line->mem, &body) < 0 || body.error.code == 0)
		return PM_ERR_IPC;
	buffer_consume(&line->in, len);
	if (body.error.code > 0) {
		line->changes |= (unsigned int)body.error.code;
		return 1;
	}
	if (line->profile_new) /* it may be that which is refused, and the reply is still to come */
		return body.error.code;
	if (buffer_pending(&line->in) > 0)
		return PM_ERR_IPC;
	reply.err = body.error.code;
	fetch_line_tell(line, &reply);
	return 0;
}

static int fetch_line_take_result(struct fetch_line *line, size_t len)
{
	struct line_reply reply = {
	    .changes = line->changes, .pdu = buffer_head(&line->in), .len = len};

	if (buffer_pending(&line->in) > len)
		return PM_ERR_IPC; /* it was not requested */
	line->profile_new = false;
	buffer_reset(&line->in); /* the bytes stay where they are until the next fetch is sent */
	fetch_line_tell(line, &reply);
	return 0;
}

/* The PDUs that are there. 0: no more is to be done; 1: more is to come; an error. */
static int fetch_line_take(struct fetch_line *line, size_t *ret_need)
{
	uint32_t want = line->highres ? PDU_HIGHRES_RESULT : PDU_RESULT;
	struct pdu_header header;
	int r = 1;

	while (r == 1) {
		int64_t len = front(line, &header);

		*ret_need = len > 0 ? (size_t)len : PDU_HEADER_LEN;
		if (len < 0 || (!line->asked && buffer_pending(&line->in) > 0))
			return PM_ERR_IPC;
		if (buffer_pending(&line->in) < *ret_need)
			return 1;
		if (header.type == PDU_ERROR)
			r = take_error(line, header.len);
		else
			r = header.type == want ? fetch_line_take_result(line, header.len)
						: PM_ERR_IPC;
	}
	return r;
}

static void fetch_line_receive(struct fetch_line *line)
{
	struct pdu_header header;
	int64_t len = front(line, &header);
	size_t need = len > 0 ? (size_t)len : PDU_HEADER_LEN;
	int r = fetch_line_read_some(line, need);

	if (r > 0)
		r = fetch_line_take(line, &need);
	if (r < 0)
		fetch_line_lose(line, r);
}

/*
 * Out
 */

static void fetch_line_on_ready(uv_poll_t *poll, int status, int events);

static int fetch_line_flush(struct fetch_line *line)
{
	struct line_socket *s = line->socket;
	ssize_t n;
	bool rest;

	do {
		n = send(s->fd, buffer_head(&line->out), buffer_pending(&line->out),
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0)
			buffer_consume(&line->out, (size_t)n);
		else if (errno != EINTR && errno != EAGAIN)
			return PM_ERR_IPC;
		rest = buffer_pending(&line->out) > 0;
	} while (rest && (n > 0 || errno == EINTR));
	if (rest != s->writing)
		uv_poll_start(&s->poll, rest ? UV_READABLE | UV_WRITABLE : UV_READABLE,
			      fetch_line_on_ready);
	s->writing = rest;
	return 0;
}

static void fetch_line_on_ready(uv_poll_t *poll, int status, int events)
{
	struct fetch_line *line = poll->data;
	int r = 0;

	if (status == 0 && (events & UV_WRITABLE) != 0 && line->socket->writing)
		r = fetch_line_flush(line);
	if (r < 0)
		fetch_line_lose(line, r);
	else if (status < 0 || (events & UV_READABLE) != 0)
		fetch_line_receive(line);
}

/* All instances, but those of some domains that the group wants some of. */
static int put_profile(struct fetch_line *line, const struct fetch_group *g)
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
	return pdu_encode(&line->out, PDU_PROFILE, line->from, &body);
}

/*
 * A group that wants some instances has a profile of its own; all others share that of all
 * instances, so that in the common case none is ever sent again.
 */
static int put_fetch(struct fetch_line *line, const struct fetch_group *g)
{
	const union pdu_body body = {.fetch = {.numpmid = (uint32_t)g->n, .pmids = g->pmids}};
	uint64_t owner = g->nwant > 0 ? g->id : 0;
	int r = 0;

	if (line->profile != owner) {
		r = put_profile(line, g);
		line->profile = owner;
		line->profile_new = true;
	}
	return r < 0 ? r
		     : pdu_encode(&line->out, line->highres ? PDU_HIGHRES_FETCH : PDU_FETCH,
				  line->from, &body);
}

static void fetch_line_on_limit(uv_timer_t *timer)
{
	struct fetch_line *line = timer->data;

	if (line->failed == 0 && deadline_renewed(&line->deadline))
		return;
	fetch_line_lose(line, line->failed < 0 ? line->failed : PM_ERR_TIMEOUT);
}

/* A failure is reported like a reply, and not from within the call. */
void fetch_line_send(struct fetch_line *line, const struct fetch_group *group)
{
	int r;

	if (line->in.cap > MEMORY_KEEP)
		buffer_trim(&line->in, MEMORY_KEEP);
	line->changes = 0;
	line->failed = 0;
	line->asked = true;
	r = put_fetch(line, group);
	if (r == 0)
		r = fetch_line_flush(line);
	if (r < 0)
		line->failed = r;
	if (r < 0 || line->limit_ms > 0)
		deadline_start(&line->deadline, fetch_line_on_limit,
			       r < 0 ? 0 : (uint64_t)line->limit_ms);
}

/*
 * Opening
 */

/* In the link's thread. */
static int open_run(struct link_job *job, struct pmcd_link *link)
{
	struct fetch_line *line = CONTAINER_OF(job, struct fetch_line, job);
	int r = line->opened > 0 ? pmcd_link_renew(link) : pmcd_link_ready(link);
	int own = pmWhichContext(), other;

	if (r < 0)
		return r;
	other = pmDupContext();
	if (other < 0)
		return other;
	line->from = other;
	line->opened_fd = pitot_context_detach(other, &line->opened_features, &line->limit_ms);
	pmDestroyContext(other);
	pmUseContext(own);
	return line->opened_fd < 0 ? line->opened_fd : 0;
}

static int fetch_line_take_socket(struct fetch_line *line)
{
	struct line_socket *s = calloc(1, sizeof(*s));
	int r;

	if (s == NULL) {
		close(line->opened_fd);
		return -ENOMEM;
	}
	s->fd = line->opened_fd;
	r = uv_poll_init(line->loop, &s->poll, s->fd);
	if (r < 0) {
		close(s->fd);
		free(s);
		return r;
	}
	s->poll.data = line;
	line->socket = s;
	line->highres = (line->opened_features & PDU_FEATURE_HIGHRES) != 0;
	line->opened++;
	line->profile = UINT64_MAX; /* it has none, and 6.0.3 wants one */
	return uv_poll_start(&s->poll, UV_READABLE, fetch_line_on_ready);
}

static void on_opened(struct link_job *job)
{
	struct fetch_line *line = CONTAINER_OF(job, struct fetch_line, job);
	int r = job->err;

	if (r == 0)
		r = fetch_line_take_socket(line);
	line->ready(line, r);
}

void fetch_line_open(struct fetch_line *line)
{
	pmcd_link_post(line->link, &line->job);
}

void fetch_line_init(struct fetch_line *line, uv_loop_t *loop, struct pmcd_link *link)
{
	*line = (struct fetch_line){.loop = loop, .link = link, .mem = ARENA_INIT};
	line->job = (struct link_job){.run = open_run, .done = on_opened};
	deadline_init(&line->deadline, loop);
	line->deadline.timer.data = line;
}

void fetch_line_done(struct fetch_line *line)
{
	if (line->loop == NULL)
		return;
	fetch_line_close(line);
	if (!uv_is_closing((uv_handle_t *)&line->deadline.timer))
		timing_close(&line->deadline.timer, NULL);
	buffer_done(&line->out);
	buffer_done(&line->in);
	arena_done(&line->mem);
}
