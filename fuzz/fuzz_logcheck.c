/*
 * fuzz_logcheck - any bytes as a file of an archive in the first pass of pmlogcheck.
 *
 * The first byte selects the kind of file, of three. For any content the check ends, and does not
 * count more records than there are length words.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "libstore/member.h"
#include "tools/pmlogcheck/frames.h"

static struct member *open_bytes(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct member *m = NULL;
	char path[64];

	FUZZ_REQUIRE(fd >= 0);
	FUZZ_REQUIRE(write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (member_open(path, &m) < 0)
		m = NULL;
	close(fd);
	return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct frames_version first = {0};
	struct frames f;
	struct member *m;

	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	FUZZ_REQUIRE(nowhere != NULL);
	if (size == 0)
		return 0;
	m = open_bytes(data + 1, size - 1);
	FUZZ_REQUIRE(m != NULL);
	f = frames_check(m, "f", (enum frames_kind)(data[0] % 3), &first, true, nowhere, NULL);
	FUZZ_REQUIRE(f.records <= size / 8 + 1);
	FUZZ_REQUIRE(size > 1 || !f.fatal);
	member_close(m);
	return 0;
}
