#include "tools/common/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

int output_finish(int status)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) != 0)
		failed = 1;
	if (!failed)
		return status;
	if (errno == 0)
		errno = EIO; /* the reason of an earlier write is lost, that it failed is not */
	if (errno != EPIPE)
		fprintf(stderr, "%s: cannot write to standard output: %s\n", pmGetProgname(),
			strerror(errno));
	return 1;
}
