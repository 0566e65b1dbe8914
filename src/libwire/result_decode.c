/* result_decode - see result.h: from the bytes of a PDU to the host's form. */
#include "libwire/result.h"

#include <errno.h>

#include "libbase/endian_be.h"
#include "libvalue/host_form.h"
#include "libvalue/host_result.h"

enum {
	AT_TYPE = 4,
	AT_SETS = 24, /* in a RESULT */
	AT_SETS_HIGHRES = 32,
};

static bool read_head(const uint8_t *pdu, size_t len, struct host_result *s, struct timespec *stamp)
{
	const uint8_t *p = pdu + PDU_HEADER_LEN;
	bool highres = load_be32(pdu + AT_TYPE) == PDU_HIGHRES_RESULT;

	s->at = highres ? AT_SETS_HIGHRES : AT_SETS;
	if (len < s->at)
		return false;
	if (highres) {
		s->numpmid = load_be32(p);
		stamp->tv_sec = (int64_t)load_be64(p + 4);
		stamp->tv_nsec = (int64_t)load_be64(p + 12);
	} else {
		stamp->tv_sec = (int32_t)load_be32(p);
		stamp->tv_nsec = (int64_t)(int32_t)load_be32(p + 4) * NSEC_PER_USEC;
		s->numpmid = load_be32(p + 8);
	}
	s->sets = pdu + s->at;
	s->len = len - s->at;
	return true;
}

int result_decode(const void *pdu, size_t len, pmHighResResult **ret_result)
{
	struct host_result s;
	struct timespec stamp;
	uint32_t type;

	if (len < PDU_HEADER_LEN)
		return PM_ERR_IPC;
	type = load_be32((const uint8_t *)pdu + AT_TYPE);
	if (type != PDU_RESULT && type != PDU_HIGHRES_RESULT)
		return -EINVAL;
	if (!read_head(pdu, len, &s, &stamp) || !host_result_measure(&s))
		return PM_ERR_IPC;
	return host_result_new(&s, &stamp, ret_result);
}
