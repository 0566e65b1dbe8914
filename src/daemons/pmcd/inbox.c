/* inbox - see inbox.h. */
#include "daemons/pmcd/inbox.h"

#include <errno.h>
#include <unistd.h>

enum {
	INBOX_GROW_MIN = 4096, /* room beyond a PDU's first part, for what a peer sends next */
};

void inbox_done(struct inbox *in)
{
	buffer_done(&in->kept);
	*in = (struct inbox){0};
}

static long inbox_read_some(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Memory follows the bytes that came, not the length that a header claims. */
static long receive_after(struct inbox *in, int fd, size_t max)
{
	size_t room = buffer_pending(&in->kept);
	uint8_t *to;
	long n;

	if (room < INBOX_GROW_MIN)
		room = INBOX_GROW_MIN;
	if (room > max)
		room = max;
	to = buffer_reserve(&in->kept, room);
	if (to == NULL)
		return -ENOMEM;
	n = inbox_read_some(fd, to, room);
	if (n > 0)
		buffer_commit(&in->kept, (size_t)n);
	in->pos = buffer_head(&in->kept);
	in->end = in->pos + buffer_pending(&in->kept);
	return n;
}

long inbox_receive(struct inbox *in, int fd, const struct inbox_memory *shared, size_t max)
{
	long n;

	if (max > shared->size)
		max = shared->size;
	if (buffer_pending(&in->kept) > 0)
		return receive_after(in, fd, max);
	n = inbox_read_some(fd, shared->data, max);
	in->borrowed = true;
	in->pos = shared->data;
	in->end = in->pos + (n > 0 ? n : 0);
	return n;
}

int inbox_peek(const struct inbox *in, size_t ceiling, struct pdu_header *ret_header)
{
	struct pdu_header h;
	int r;

	if (inbox_pending(in) < PDU_HEADER_LEN)
		return 0;
	r = pdu_header_get(in->pos, &h);
	if (r < 0)
		return r;
	if (h.len > ceiling)
		return PM_ERR_TOOBIG;
	*ret_header = h;
	return 1;
}

int inbox_take(struct inbox *in, size_t ceiling, struct inbox_pdu *ret_pdu)
{
	struct pdu_header h;
	int r = inbox_peek(in, ceiling, &h);

	if (r <= 0)
		return r;
	if (inbox_pending(in) < h.len)
		return 0;
	ret_pdu->header = h;
	ret_pdu->bytes = in->pos;
	in->pos += h.len;
	return 1;
}

int inbox_settle(struct inbox *in)
{
	size_t left = inbox_pending(in);

	if (!in->borrowed)
		buffer_consume(&in->kept, buffer_pending(&in->kept) - left);
	else if (left > 0)
		buffer_put(&in->kept, in->pos, left);
	in->borrowed = false;
	if (in->kept.err != 0)
		return in->kept.err;
	if (left == 0)
		buffer_done(&in->kept);
	in->pos = left > 0 ? buffer_head(&in->kept) : NULL;
	in->end = left > 0 ? in->pos + left : NULL;
	return 0;
}
