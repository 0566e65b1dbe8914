/* control_client - see control_client.h. */
#include "daemons/pmlogger/control_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/timing.h"
#include "libbase/cleanup.h"

enum {
	READ_ROOM = 64 << 10,
	KEEP = 64 << 10, /* of the memory that a large request or answer took */
};

static void ready(uv_poll_t *poll, int status, int events);
static void late(uv_timer_t *timer);
static void proceed(struct control_client *c);

/* ---- What it waits for ---------------------------------------------------------------------- */

/* Reads, writes, or only notices that the other end goes. */
static void control_client_watch(struct control_client *c)
{
	int events = UV_DISCONNECT;

	if (c->state == CONTROL_CLOSED)
		return;
	if (c->state == CONTROL_READS)
		events |= UV_READABLE;
	else if (c->state == CONTROL_SENDS && !c->held)
		events |= UV_WRITABLE;
	uv_poll_start(&c->poll, events, ready);
}

/* The deadline of the current step: each call starts it again. */
static void set_deadline(struct control_client *c)
{
	if (c->state == CONTROL_SENDS)
		deadline_start(&c->deadline, late, c->held ? CONTROL_QA_MS : CONTROL_STALL_MS);
	else if (c->state == CONTROL_READS && c->partial)
		deadline_start(&c->deadline, late, CONTROL_PDU_MS);
	else
		deadline_stop(&c->deadline);
}

static void late(uv_timer_t *timer)
{
	struct control_client *c = timer->data;

	if (deadline_renewed(&c->deadline))
		return;
	if (!c->held) {
		control_client_close(c);
		return;
	}
	c->held = false;
	proceed(c);
}

/* ---- Its end -------------------------------------------------------------------------------- */

static void client_handle_closed(uv_handle_t *handle)
{
	struct control_client *c = handle->data;

	if (--c->handles > 0)
		return;
	close(c->fd);
	buffer_done(&c->in);
	buffer_done(&c->out);
	free(c);
}

void control_client_close(struct control_client *c)
{
	if (c->state == CONTROL_CLOSED)
		return;
	c->state = CONTROL_CLOSED;
	control_request_forget(c);
	/* The owner is informed now, not in the loop's next turn. */
	shutdown(c->fd, SHUT_RDWR);
	uv_close((uv_handle_t *)&c->poll, client_handle_closed);
	timing_close(&c->deadline.timer, client_handle_closed);
	c->owner->ended(c->owner, c);
}

/* ---- Out ------------------------------------------------------------------------------------ */

/* Sends what the socket takes. False when the client is closed. */
static bool send_some(struct control_client *c)
{
	while (buffer_pending(&c->out) > 0) {
		ssize_t n = send(c->fd, buffer_head(&c->out), buffer_pending(&c->out),
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return true;
		if (n < 0) {
			control_client_close(c);
			return false;
		}
		buffer_consume(&c->out, (size_t)n);
		set_deadline(c);
	}
	return true;
}

/* True when the answer is out and the next request may come. */
static bool deliver(struct control_client *c)
{
	if (c->held || !send_some(c) || buffer_pending(&c->out) > 0)
		return false;
	if (c->last) {
		control_client_close(c);
		return false;
	}
	buffer_trim(&c->out, KEEP);
	c->state = CONTROL_READS;
	return true;
}

/* There is an answer in out. */
static void begin_sending(struct control_client *c)
{
	c->state = CONTROL_SENDS;
	c->held = c->qa;
	set_deadline(c);
}

/* ---- In ------------------------------------------------------------------------------------- */

/* The length of the PDU at the front: 0 if it is not whole yet, or a negative error. */
static long whole_pdu(const struct control_client *c)
{
	struct pdu_header header;
	int r;

	if (buffer_pending(&c->in) < PDU_HEADER_LEN)
		return 0;
	r = pdu_header_get(buffer_head(&c->in), &header);
	if (r < 0)
		return r;
	if (header.len > CONTROL_PDU_MAX)
		return PM_ERR_TOOBIG;
	return buffer_pending(&c->in) < header.len ? 0 : (long)header.len;
}

static void client_give_up(struct control_client *c, int error)
{
	buffer_reset(&c->out);
	c->qa = false;
	c->last = true;
	pdu_encode_error(&c->out, 0, error);
	begin_sending(c);
}

/* Serves the request at the front, if it is whole. False if there is nothing to do but wait. */
static bool serve_next(struct control_client *c)
{
	long len = whole_pdu(c);
	int r;

	c->partial = len == 0 && buffer_pending(&c->in) > 0;
	if (len < 0)
		client_give_up(c, PM_ERR_IPC);
	if (len <= 0)
		return len < 0;
	r = control_request_serve(c, buffer_head(&c->in), (size_t)len);
	buffer_consume(&c->in, (size_t)len);
	if (buffer_pending(&c->in) == 0)
		buffer_trim(&c->in, KEEP);
	if (r < 0)
		client_give_up(c, r);
	else if (buffer_pending(&c->out) > 0)
		begin_sending(c);
	return true;
}

/*
 * As far as it goes. Each request but credentials is answered before the next one is looked at, so
 * a flood of them is bounded by what one read took in.
 */
static void proceed(struct control_client *c)
{
	bool going = true;

	while (going && c->state != CONTROL_CLOSED) {
		if (c->state == CONTROL_SENDS)
			going = deliver(c);
		else if (c->state == CONTROL_READS)
			going = serve_next(c);
		else
			going = false;
	}
	if (c->state == CONTROL_CLOSED)
		return;
	set_deadline(c);
	control_client_watch(c);
}

static void client_answered(struct control_client *c)
{
	begin_sending(c);
	proceed(c);
}

static void client_receive(struct control_client *c)
{
	uint8_t *p = buffer_reserve(&c->in, READ_ROOM);
	bool had = c->partial;
	ssize_t n = p == NULL ? -1 : recv(c->fd, p, READ_ROOM, MSG_DONTWAIT);

	if (n < 0 && p != NULL && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		control_client_close(c);
		return;
	}
	buffer_commit(&c->in, (size_t)n);
	/* More of the same request does not move its deadline. */
	if (had && whole_pdu(c) == 0)
		return;
	proceed(c);
}

static void ready(uv_poll_t *poll, int status, int events)
{
	struct control_client *c = CONTAINER_OF(poll, struct control_client, poll);

	if (status < 0)
		control_client_close(c);
	else if (c->state == CONTROL_READS && (events & (UV_READABLE | UV_DISCONNECT)) != 0)
		client_receive(c);
	else if ((events & UV_DISCONNECT) != 0)
		control_client_close(c);
	else if ((events & UV_WRITABLE) != 0)
		proceed(c);
}

/* ---- Its beginning -------------------------------------------------------------------------- */

void control_client_refuse(int fd, int code)
{
	struct buffer out = BUFFER_INIT;

	if (pdu_encode_error(&out, 0, code) == 0)
		send(fd, buffer_head(&out), buffer_pending(&out), MSG_NOSIGNAL | MSG_DONTWAIT);
	buffer_done(&out);
	close(fd);
}

struct control_client *control_client_new(struct control_owner *owner, int fd, const char *name,
					  unsigned int denied, void *peer)
{
	struct control_client *c = calloc(1, sizeof(*c));

	if (c == NULL || uv_poll_init(owner->loop, &c->poll, fd) < 0) {
		free(c);
		close(fd);
		return NULL;
	}
	deadline_init(&c->deadline, owner->loop);
	c->poll.data = c->deadline.timer.data = c;
	c->handles = 2;
	c->owner = owner;
	c->answered = client_answered;
	c->fd = fd;
	c->denied = denied;
	c->peer = peer;
	c->made_ms = timing_loop_ms(owner->loop);
	snprintf(c->name, sizeof(c->name), "%s", name);
	list_init(&c->link);
	if (pdu_encode_error(&c->out, (int32_t)getpid(), owner->max_version) == 0)
		begin_sending(c);
	deadline_start(&c->deadline, late, CONTROL_STALL_MS);
	control_client_watch(c);
	return c;
}

/* Bytes that wait in the socket are not silence: this loop was late. */
bool control_client_is_silent(const struct control_client *c)
{
	int waiting = 0;

	if (c->version != 0 || c->state != CONTROL_READS || buffer_pending(&c->in) > 0 ||
	    timing_loop_ms(c->owner->loop) - c->made_ms < CONTROL_SILENT_MS)
		return false;
	return ioctl(c->fd, FIONREAD, &waiting) == 0 && waiting == 0;
}
