/* pdu_io - see pdu_io.h. */
#include "libpcp/pdu_io.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/clock.h"
#include "libbase/endian_be.h"
#include "libbase/ready.h"
#include "libpcp/pdu_count.h"
#include "libpcp/trace.h"
#include "libwire/pdu.h"

enum { READ_ROOM = 1 << 20 /* taken at a time: do not allocate by a claimed length */ };

static uint64_t deadline_of(int timeout_ms)
{
	return timeout_ms == 0 ? 0 : clock_mono_ms() + (uint64_t)timeout_ms;
}

/* Until there is something to do. 0, PM_ERR_TIMEOUT, PM_ERR_IPC. */
static int wait_for(int fd, short events, uint64_t deadline_ms)
{
	int r = ready_wait(fd, events, deadline_ms);

	return r == -ETIMEDOUT ? PM_ERR_TIMEOUT : r < 0 ? PM_ERR_IPC : 0;
}

/* Without a signal where the descriptor is a socket; it may be a pipe. */
static ssize_t write_some(int fd, const uint8_t *bytes, size_t len)
{
	ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	return n < 0 && errno == ENOTSOCK ? write(fd, bytes, len) : n;
}

int pdu_io_send(int fd, const struct buffer *pdu, int timeout_ms)
{
	uint64_t deadline_ms = deadline_of(timeout_ms);
	size_t len = buffer_pending(pdu);
	size_t done = 0;

	while (done < len) {
		ssize_t n = write_some(fd, buffer_head(pdu) + done, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno == EAGAIN) {
			int r = wait_for(fd, POLLOUT, deadline_ms);

			if (r < 0)
				return r;
		} else if (n < 0 && errno != EINTR) {
			return -errno;
		}
	}
	pdu_count_out(load_be32(buffer_head(pdu) + 4));
	trace_pdu(true, fd, buffer_head(pdu), len);
	return (int)len;
}

/* len more bytes. 1, 0 if the stream has ended, or an error. */
static int read_more(int fd, size_t len, uint64_t deadline_ms, struct buffer *pdu)
{
	while (len > 0) {
		size_t room = len < READ_ROOM ? len : READ_ROOM;
		uint8_t *p = buffer_reserve(pdu, room);
		ssize_t n;
		int r;

		if (p == NULL)
			return -ENOMEM;
		r = wait_for(fd, POLLIN, deadline_ms);
		if (r < 0)
			return r;
		n = read(fd, p, room);
		if (n == 0)
			return 0;
		if (n > 0) {
			buffer_commit(pdu, (size_t)n);
			len -= (size_t)n;
		} else if (errno != EINTR && errno != EAGAIN) {
			return errno == ECONNRESET ? 0 : PM_ERR_IPC;
		}
	}
	return 1;
}

int pdu_io_receive(int fd, size_t max, int timeout_ms, struct buffer *pdu)
{
	uint64_t deadline_ms = deadline_of(timeout_ms);
	struct pdu_header header;
	int r = read_more(fd, PDU_HEADER_LEN, deadline_ms, pdu);

	if (r == 0)
		return buffer_pending(pdu) == 0 ? 0 : PM_ERR_IPC;
	if (r < 0)
		return r;
	r = pdu_header_get(buffer_head(pdu), &header);
	if (r < 0)
		return r;
	if (header.len > max)
		return PM_ERR_TOOBIG;
	r = read_more(fd, header.len - PDU_HEADER_LEN, deadline_ms, pdu);
	if (r <= 0)
		return r == 0 ? PM_ERR_IPC : r;
	pdu_count_in(header.type);
	trace_pdu(false, fd, buffer_head(pdu), header.len);
	return (int)header.type;
}
