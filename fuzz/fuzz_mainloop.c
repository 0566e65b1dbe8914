/*
 * fuzz_mainloop - any bytes as the messages of a collector to an agent that has all methods and
 * callbacks, with each interface version.
 *
 * The first byte selects the version. For any bytes the loop ends at their end, each request has at
 * most one answer, and our own decoder accepts each answer.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "fuzz.h"
#include "libbase/arena.h"
#include "libpcp_pmda/ext.h"
#include "libwire/pdu.h"

enum { VERSIONS = PMDA_INTERFACE_7 - PMDA_INTERFACE_2 + 1, ANSWERS_MAX = 64 << 20 };

static int served;

/* Discards the library's messages. */
void pmNotifyErr(int priority, const char *format, ...)
{
}

static void count_done(void)
{
	served++;
}

/* Resets the agent of a version to its state before the first request. */
static pmdaInterface *agent(int version)
{
	static struct fixture fixtures[VERSIONS];
	struct fixture *f = &fixtures[version - PMDA_INTERFACE_2];
	struct ext *own;

	if (f->dispatch.version.any.ext == NULL) {
		fixture_methods_init(f, version);
		pmdaSetDoneCallBack(&f->dispatch, count_done);
	}
	fixture_forget();
	own = ext_of(f->dispatch.version.any.ext);
	free(own->profile);
	own->profile = NULL;
	own->public->e_prof = NULL;
	buffer_reset(&own->channel.in);
	buffer_reset(&own->channel.out);
	return &f->dispatch;
}

static void check_answers(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);
	struct arena mem = {0};
	size_t pos = 0;
	int n = 0;
	uint8_t *all;

	FUZZ_REQUIRE(len >= 0 && len < ANSWERS_MAX);
	all = malloc((size_t)len + 1);
	FUZZ_REQUIRE(all != NULL && pread(fd, all, (size_t)len, 0) == len);
	while (pos < (size_t)len) {
		struct pdu_header header;
		union pdu_body body;

		FUZZ_REQUIRE((size_t)len - pos >= PDU_HEADER_LEN &&
			     pdu_header_get(all + pos, &header) >= 0 &&
			     header.len <= (size_t)len - pos);
		FUZZ_REQUIRE(pdu_decode(all + pos, header.len, &mem, &body) >= 0);
		arena_reset(&mem);
		pos += header.len;
		n++;
	}
	FUZZ_REQUIRE(n <= served);
	arena_done(&mem);
	free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int in = -1, out = -1;
	pmdaInterface *dispatch;

	if (size < 1)
		return 0;
	if (in < 0) {
		in = memfd_create("in", MFD_CLOEXEC);
		out = memfd_create("out", MFD_CLOEXEC);
	}
	FUZZ_REQUIRE(in >= 0 && ftruncate(in, 0) == 0 && ftruncate(out, 0) == 0);
	FUZZ_REQUIRE(pwrite(in, data + 1, size - 1, 0) == (ssize_t)size - 1);
	lseek(in, 0, SEEK_SET);
	lseek(out, 0, SEEK_SET);
	served = 0;
	dispatch = agent(PMDA_INTERFACE_2 + data[0] % VERSIONS);
	dispatch->version.any.ext->e_infd = in;
	dispatch->version.any.ext->e_outfd = out;
	while (__pmdaMainPDU(dispatch) >= 0)
		;
	check_answers(out);
	return 0;
}
