/* stream - see stream.h. */
#include "tools/dbpmda/stream.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "libbase/file.h"
#include "libwire/limits.h"

enum { STREAM_READ = 64 << 10 };

void stream_init(struct stream *s, int in, int out)
{
	*s = (struct stream){.in = in, .out = out};
}

void stream_done(struct stream *s)
{
	close(s->in);
	if (s->out != s->in)
		close(s->out);
	buffer_done(&s->sending);
	buffer_done(&s->received);
}

int stream_flush(struct stream *s)
{
	int r = s->sending.err;

	if (r == 0)
		r = file_write_full(s->out, buffer_head(&s->sending), buffer_pending(&s->sending));
	buffer_reset(&s->sending);
	return r;
}

int stream_send(struct stream *s, enum pdu_type type, const union pdu_body *body)
{
	int r = pdu_encode(&s->sending, type, 0, body);

	return r < 0 ? r : stream_flush(s);
}

/* Adds what can be read to the received bytes. Returns their number, 0 at the end, or an error. */
static int stream_read(struct stream *s, int timeout_ms)
{
	struct pollfd wait = {.fd = s->in, .events = POLLIN};
	uint8_t *room = buffer_reserve(&s->received, STREAM_READ);
	ssize_t n;

	if (room == NULL)
		return -ENOMEM;
	n = poll(&wait, 1, timeout_ms);
	if (n == 0)
		return PM_ERR_TIMEOUT;
	if (n > 0)
		n = read(s->in, room, STREAM_READ);
	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	buffer_commit(&s->received, (size_t)n);
	return (int)n;
}

/* Waits until need bytes are there: 1, 0 at the end, or an error. */
static int stream_fill(struct stream *s, size_t need, int timeout_ms)
{
	while (buffer_pending(&s->received) < need) {
		int r = stream_read(s, timeout_ms);

		if (r <= 0)
			return r;
	}
	return 1;
}

int stream_receive(struct stream *s, int timeout_ms, struct pdu_header *ret_header,
		   const uint8_t **ret_pdu)
{
	struct pdu_header h = {0};
	int r;

	buffer_consume(&s->received, s->given);
	s->given = 0;
	r = stream_fill(s, PDU_HEADER_LEN, timeout_ms);
	if (r <= 0)
		return r;
	r = pdu_header_get(buffer_head(&s->received), &h);
	if (r == 0 && (h.len < PDU_HEADER_LEN || h.len > PDU_PEER_MAX))
		r = PM_ERR_IPC;
	if (r < 0)
		return r;
	r = stream_fill(s, h.len, timeout_ms);
	if (r <= 0)
		return r;
	s->given = h.len;
	*ret_header = h;
	*ret_pdu = buffer_head(&s->received);
	return 1;
}
