/*
 * pdu_buffer - see pdu_buffer.h.
 *
 * The PDUs that were given out are kept in a set, with a lock: a program that releases a PDU twice,
 * or one that it never got, gets an error.
 */
#include "libpcp/pdu_buffer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libbase/hash.h"
#include "libpcp/pdu_io.h"
#include "libpcp/timeouts.h"

enum { HEADER_WORDS = PDU_HEADER_LEN / 4, MS_PER_SEC = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hash given = HASH_INIT;

static int note_given(void *pdu)
{
	int r;

	pthread_mutex_lock(&lock);
	r = hash_add(&given, hash_u64((uintptr_t)pdu), pdu);
	pthread_mutex_unlock(&lock);
	return r;
}

int __pmUnpinPDUBuf(void *pdu)
{
	bool known;

	pthread_mutex_lock(&lock);
	known = hash_del(&given, hash_u64((uintptr_t)pdu), pdu);
	pthread_mutex_unlock(&lock);
	if (known)
		free(pdu);
	return known ? 1 : 0;
}

/* Between the order of the wire and that of this host, which is its own inverse. */
static void turn_header(const void *from, __pmPDU *to)
{
	uint32_t words[HEADER_WORDS];

	for (size_t i = 0; i < HEADER_WORDS; i++)
		words[i] = load_be32((const uint8_t *)from + 4 * i);
	memcpy(to, words, sizeof(words));
}

static int timeout_ms(int timeout)
{
	if (timeout == TIMEOUT_DEFAULT)
		return timeouts_reply_ms();
	return timeout <= 0 ? 0 : timeout > INT32_MAX / MS_PER_SEC ? INT32_MAX : timeout * MS_PER_SEC;
}

int __pmGetPDU(int fd, int mode, int timeout, __pmPDU **pdu)
{
	size_t max = mode == LIMIT_SIZE ? PDU_CLIENT_MAX : PDU_PEER_MAX;
	struct buffer in = BUFFER_INIT;
	int type = pdu_io_receive(fd, max, timeout_ms(timeout), &in);
	int r;

	if (type <= 0) {
		buffer_done(&in);
		return type;
	}
	/* Nothing was consumed, so the PDU is where the memory begins. */
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
