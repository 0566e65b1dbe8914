#include "tools/common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

/* Why a write failed; 0: none did, or the reason is lost (stdio keeps the fact alone). */
static int reason;

/*
 * A program started with a standard descriptor closed would get its connection there, and write its
 * output to the collector. Nothing can be written to what is put in its place, so that is reported
 * as any failed write is. Before main(), as no program may forget it.
 */
__attribute__((constructor)) static void output_occupy(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd < STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

bool output_flush(void)
{
	if (fflush(stdout) != 0 && reason == 0)
		reason = errno;
	return reason == 0 && !ferror(stdout);
}

static bool reader_gone(void)
{
	struct pollfd fd = {.fd = STDOUT_FILENO};

	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLERR) != 0;
}

int output_finish(int status)
{
	if (output_flush())
		return status;
	if (reason == 0)
		reason = reader_gone() ? EPIPE : EIO;
	if (reason != EPIPE)
		fprintf(stderr, "%s: cannot write to standard output: %s\n", pmGetProgname(),
			strerror(reason));
	return 1;
}
