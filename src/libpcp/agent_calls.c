/*
 * agent_calls - what agents in shared objects take from this library beside the PMAPI:
 * docs/spec/pmapi.md 24.
 */
#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include <pcp/libpcp.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libpcp/pdu_count.h"
#include "libwire/pdu.h"

int __pmInProfile(pmInDom indom, const pmProfile *profile, int inst)
{
	if (profile == NULL)
		return 1;
	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *p = &profile->profile[i];

		if (p->indom != indom)
			continue;
		for (int j = 0; j < p->instances_len; j++) {
			if (p->instances[j] == inst)
				return p->state != PM_PROFILE_INCLUDE;
		}
		return p->state == PM_PROFILE_INCLUDE;
	}
	return profile->state == PM_PROFILE_INCLUDE;
}

void *__pmMemoryMap(int fd, size_t size, int writable)
{
	int rights = writable != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
	void *at = mmap(NULL, size, rights, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

int __pmMemoryUnmap(void *at, size_t size)
{
	return munmap(at, size) < 0 ? -errno : 0;
}

int __pmGetTimespec(struct timespec *now)
{
	return clock_gettime(CLOCK_REALTIME, now) < 0 ? -errno : 0;
}

int __pmSendError(int fd, int from, int code)
{
	struct buffer out = BUFFER_INIT;
	int len, r;

	r = pdu_encode_error(&out, from, code);
	len = (int)buffer_pending(&out);
	if (r == 0)
		r = file_write_full(fd, buffer_head(&out), (size_t)len);
	buffer_done(&out);
	if (r < 0)
		return r;
	pdu_count_out(PDU_ERROR);
	return len;
}
