/*
 * fuzz_help - any bytes as the two files of an agent's help text.
 *
 * The first two bytes are the length of the index; the rest is the text. If the index opens, every
 * entry is read, and each text ends within the file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "fuzz.h"
#include "libbase/file.h"

static void write_part(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_REQUIRE(fd >= 0 && file_write_full(fd, data, size) == 0);
	close(fd);
}

/* Adds up the bytes of a text, so that all of them are read. */
static unsigned int sum(const char *text)
{
	unsigned int n = 0;

	while (text != NULL && *text != '\0')
		n += (unsigned char)*text++;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static __attribute__((unused)) volatile unsigned int total;
	char base[64], dir[80], pag[80];
	size_t index_len;
	int handle;

	if (size < 2)
		return 0;
	index_len = (size_t)data[0] << 8 | data[1];
	if (index_len > size - 2)
		index_len = size - 2;
	snprintf(base, sizeof(base), "/tmp/fuzz_help.%d", (int)getpid());
	snprintf(dir, sizeof(dir), "%s.dir", base);
	snprintf(pag, sizeof(pag), "%s.pag", base);
	write_part(dir, data + 2, index_len);
	write_part(pag, data + 2 + index_len, size - 2 - index_len);
	handle = pmdaOpenHelp(base);
	for (size_t at = 12; handle >= 0 && at + 4 <= index_len; at += 12) {
		uint32_t ident;

		memcpy(&ident, data + 2 + at, sizeof(ident));
		total += sum(pmdaGetHelp(handle, ident, PM_TEXT_ONELINE));
		total += sum(pmdaGetHelp(handle, ident, PM_TEXT_HELP));
		total += sum(pmdaGetInDomHelp(handle, ident & 0x7fffffff, PM_TEXT_HELP));
	}
	pmdaCloseHelp(handle);
	unlink(dir);
	unlink(pag);
	return 0;
}
