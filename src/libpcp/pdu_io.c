/*
 * pdu_io - see pdu_io.h.
 *
 * A PDU that __pmGetPDU gives out has its header words in host order, the rest as it came. These
 * PDUs are kept in a set, with a lock: a program that releases one twice, or one that it never got,
 * gets an error. For each descriptor the protocol version that was agreed on is kept as well.
 */
#include "libpcp/pdu_io.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pcp/libpcp.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libbase/endian_be.h"
#include "libbase/file.h"
#include "libbase/hash.h"
#include "libbase/ready.h"
#include "libpcp/defaults.h"
#include "libpcp/trace.h"
#include "libwire/pdu.h"

/* ---- Counts --------------------------------------------------------------------------------- */

enum { NCOUNT = PDU_LAST - PDU_FIRST + 1 };

static unsigned int counts_in[NCOUNT];
static unsigned int counts_out[NCOUNT];

unsigned int *__pmPDUCntIn = counts_in;
unsigned int *__pmPDUCntOut = counts_out;

static void count(unsigned int *counts, uint32_t type)
{
	if (type >= PDU_FIRST && type <= PDU_LAST)
		__atomic_fetch_add(&counts[type - PDU_FIRST], 1, __ATOMIC_RELAXED);
}

void pdu_count_in(uint32_t type)
{
	count(__pmPDUCntIn, type);
}

void pdu_count_out(uint32_t type)
{
	count(__pmPDUCntOut, type);
}

void __pmDumpPDUCnt(FILE *f)
{
	unsigned int total_in = 0;
	unsigned int total_out = 0;
	char name[20];

	fprintf(f, "PDU stats ...\n%-20s %6s %6s\n", "Type", "Xmit", "Recv");
	for (unsigned int i = 0; i < NCOUNT; i++) {
		unsigned int in = __atomic_load_n(&__pmPDUCntIn[i], __ATOMIC_RELAXED);
		unsigned int out = __atomic_load_n(&__pmPDUCntOut[i], __ATOMIC_RELAXED);

		if (in == 0 && out == 0)
			continue;
		fprintf(f, "%-20s %6u %6u\n", pdu_name_r(PDU_FIRST + i, name, sizeof(name)), out,
			in);
		total_in += in;
		total_out += out;
	}
	fprintf(f, "%-20s %6u %6u\n", "Total", total_out, total_in);
}

/* ---- One PDU -------------------------------------------------------------------------------- */

enum { READ_ROOM = 1 << 20 /* taken at a time: do not allocate by a claimed length */ };

static uint64_t deadline_of(int timeout_ms)
{
	return timeout_ms == 0 ? 0 : clock_mono_ms() + (uint64_t)timeout_ms;
}

/* Until there is something to do. 0, PM_ERR_TIMEOUT, PM_ERR_IPC. */
static int pdu_wait_for(int fd, short events, uint64_t deadline_ms)
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
			int r = pdu_wait_for(fd, POLLOUT, deadline_ms);

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
		r = pdu_wait_for(fd, POLLIN, deadline_ms);
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

/* For agents, outside of any context. */
int __pmSendError(int fd, int from, int code)
{
	struct buffer out = {0};
	int r = pdu_encode_error(&out, from, code);
	int len = (int)buffer_pending(&out);

	if (r == 0)
		r = file_write_full(fd, buffer_head(&out), buffer_pending(&out));
	if (r == 0) {
		pdu_count_out(PDU_ERROR);
		trace_pdu(true, fd, buffer_head(&out), buffer_pending(&out));
	}
	buffer_done(&out);
	return r < 0 ? r : len;
}

/* ---- PDUs given to callers ------------------------------------------------------------------ */

enum { HEADER_WORDS = PDU_HEADER_LEN / 4, MS_PER_SEC = 1000 };

static pthread_mutex_t given_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hash given = HASH_INIT;

static int note_given(void *pdu)
{
	int r;

	pthread_mutex_lock(&given_lock);
	r = hash_add(&given, hash_u64((uintptr_t)pdu), pdu);
	pthread_mutex_unlock(&given_lock);
	return r;
}

int __pmUnpinPDUBuf(void *pdu)
{
	bool known;

	pthread_mutex_lock(&given_lock);
	known = hash_del(&given, hash_u64((uintptr_t)pdu), pdu);
	pthread_mutex_unlock(&given_lock);
	if (known)
		free(pdu);
	return known ? 1 : 0;
}

/* Converts the words of a header from network to host order, or back: it is the same operation. */
static void turn_header(const void *from, __pmPDU *to)
{
	uint32_t words[HEADER_WORDS];

	for (size_t i = 0; i < HEADER_WORDS; i++)
		words[i] = load_be32((const uint8_t *)from + 4 * i);
	memcpy(to, words, sizeof(words));
}

static int get_timeout_ms(int timeout)
{
	if (timeout == TIMEOUT_DEFAULT)
		return timeouts_reply_ms();
	return timeout <= 0                       ? 0
	       : timeout > INT32_MAX / MS_PER_SEC ? INT32_MAX
						  : timeout * MS_PER_SEC;
}

int __pmGetPDU(int fd, int mode, int timeout, __pmPDU **pdu)
{
	size_t max = mode == LIMIT_SIZE ? PDU_CLIENT_MAX : PDU_PEER_MAX;
	struct buffer in = BUFFER_INIT;
	int type = pdu_io_receive(fd, max, get_timeout_ms(timeout), &in);
	int r;

	if (type <= 0) {
		buffer_done(&in);
		return type;
	}
	/* Nothing was consumed, so the PDU starts where the memory starts. */
	turn_header(in.data, (__pmPDU *)(void *)in.data);
	r = note_given(in.data);
	if (r < 0) {
		buffer_done(&in);
		return r;
	}
	*pdu = (__pmPDU *)(void *)in.data;
	return type;
}

int pdu_buffer_decode(const void *pdu, enum pdu_type type, struct arena *mem,
		      union pdu_body *ret_body)
{
	uint32_t words[HEADER_WORDS];
	uint8_t *copy;

	memcpy(words, pdu, sizeof(words));
	if (words[1] != (uint32_t)type || words[0] < PDU_HEADER_LEN || words[0] > PDU_PEER_MAX)
		return PM_ERR_IPC;
	copy = arena_alloc(mem, words[0]);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, pdu, words[0]);
	turn_header(words, (__pmPDU *)(void *)copy);
	return pdu_decode(copy, words[0], mem, ret_body);
}

int __pmDecodeError(__pmPDU *pdu, int *code)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_ERROR, &mem, &body);

	if (r == 0)
		*code = body.error.code;
	arena_done(&mem);
	return r;
}

char *__pmPDUTypeStr_r(int type, char *buf, int buflen)
{
	return pdu_name_r((uint32_t)type, buf, buflen < 0 ? 0 : (size_t)buflen);
}

const char *__pmPDUTypeStr(int type)
{
	static char text[24];

	return __pmPDUTypeStr_r(type, text, sizeof(text));
}

/* ---- Protocol versions ---------------------------------------------------------------------- */

enum {
	FD_END = 1 << 20, /* descriptors above are not kept */
	ROOM_MIN = 64,
};

static pthread_mutex_t versions_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *versions; /* by descriptor; 0: not set */
static size_t versions_room;

/* With the lock held. 0 or -ENOMEM. */
static int versions_grow(size_t need)
{
	size_t more = versions_room == 0 ? ROOM_MIN : versions_room;
	unsigned char *p;

	while (more <= need)
		more *= 2;
	p = realloc(versions, more);
	if (p == NULL)
		return -ENOMEM;
	memset(p + versions_room, 0, more - versions_room);
	versions = p;
	versions_room = more;
	return 0;
}

int __pmSetVersionIPC(int fd, int version)
{
	int r = 0;

	if (fd < 0 || fd >= FD_END || version < 0 || version > 255)
		return -EINVAL;
	pthread_mutex_lock(&versions_lock);
	if ((size_t)fd >= versions_room)
		r = versions_grow((size_t)fd);
	if (r == 0)
		versions[fd] = (unsigned char)version;
	pthread_mutex_unlock(&versions_lock);
	return r;
}

int __pmVersionIPC(int fd)
{
	int version = 0;

	pthread_mutex_lock(&versions_lock);
	if (fd >= 0 && (size_t)fd < versions_room)
		version = versions[fd];
	pthread_mutex_unlock(&versions_lock);
	return version;
}

void __pmCloseSocket(int fd)
{
	if (__pmVersionIPC(fd) != 0)
		__pmSetVersionIPC(fd, 0);
	close(fd);
}
