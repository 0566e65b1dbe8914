/* channel - see channel.h. */
#include "libpcp_pmda/channel.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/endian_be.h"

enum {
	CHANNEL_READ = 16 << 10, /* room for one read */
	CHANNEL_KEEP = 1 << 20,  /* memory kept after a large PDU */
};

/* 1 with the header, 0 if it is not all there, negative if it is wrong. */
static int peek_header(const struct channel *ch, struct pdu_header *ret_header)
{
	int r;

	if (buffer_pending(&ch->in) < PDU_HEADER_LEN)
		return 0;
	r = pdu_header_get(buffer_head(&ch->in), ret_header);
	if (r < 0)
		return r;
	return ret_header->len > PDU_PEER_MAX ? PM_ERR_TOOBIG : 1;
}

bool channel_pending(const struct channel *ch)
{
	struct pdu_header header;
	int r = peek_header(ch, &header);

	return r < 0 || (r > 0 && buffer_pending(&ch->in) >= header.len);
}

static ssize_t read_some(int fd, void *buf, size_t len)
{
	for (;;) {
		ssize_t n = read(fd, buf, len);

		if (n >= 0)
			return n;
		if (errno == EAGAIN) {
			struct pollfd p = {.fd = fd, .events = POLLIN};

			(void)poll(&p, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
}

/* One read of up to len bytes. 1, 0 at the end of file, negative. */
static int fill(struct channel *ch, int fd, size_t len)
{
	uint8_t *room = buffer_reserve(&ch->in, len);
	ssize_t n;

	if (room == NULL) {
		ch->in.err = 0; /* the next read may succeed */
		return -ENOMEM;
	}
	n = read_some(fd, room, len);
	/* Collectors close without lingering, so the end may come as a reset (pdu.md 2.1). */
	if (n == 0 || n == -ECONNRESET)
		return buffer_pending(&ch->in) > 0 ? PM_ERR_IPC : 0;
	if (n < 0)
		return (int)n;
	buffer_commit(&ch->in, (size_t)n);
	return 1;
}

/* Reads until a PDU is whole; ahead says whether a read may bring more than that. */
static int get(struct channel *ch, int fd, bool ahead, const uint8_t **ret_pdu,
	       struct pdu_header *ret_header)
{
	struct pdu_header header;
	int r;

	for (;;) {
		size_t have = buffer_pending(&ch->in);
		size_t need = PDU_HEADER_LEN;

		r = peek_header(ch, &header);
		if (r < 0)
			return r;
		if (r > 0) {
			need = header.len;
			if (have >= need)
				break;
		}
		need -= have;
		r = fill(ch, fd, ahead && need < CHANNEL_READ ? CHANNEL_READ : need);
		if (r <= 0)
			return r;
	}
	*ret_pdu = buffer_head(&ch->in);
	*ret_header = header;
	return 1;
}

int channel_get(struct channel *ch, int fd, const uint8_t **ret_pdu, struct pdu_header *ret_header)
{
	return get(ch, fd, true, ret_pdu, ret_header);
}

int channel_get_exact(struct channel *ch, int fd, const uint8_t **ret_pdu,
		      struct pdu_header *ret_header)
{
	return get(ch, fd, false, ret_pdu, ret_header);
}

void channel_drop(struct channel *ch, const struct pdu_header *header)
{
	buffer_consume(&ch->in, header->len);
	if (buffer_pending(&ch->in) == 0)
		buffer_trim(&ch->in, CHANNEL_KEEP);
}

static int write_all(int fd, const uint8_t *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			struct pollfd w = {.fd = fd, .events = POLLOUT};

			(void)poll(&w, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

int channel_send_error(int fd, int code)
{
	uint8_t pdu[PDU_HEADER_LEN + 4] = {0};

	store_be32(pdu, sizeof(pdu));
	store_be32(pdu + 4, PDU_ERROR);
	store_be32(pdu + PDU_HEADER_LEN, (uint32_t)code);
	return write_all(fd, pdu, sizeof(pdu));
}

int channel_send(struct channel *ch, int fd)
{
	int r = ch->out.err;

	if (r == 0)
		r = write_all(fd, buffer_head(&ch->out), buffer_pending(&ch->out));
	buffer_trim(&ch->out, CHANNEL_KEEP);
	return r;
}
