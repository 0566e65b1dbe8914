/* finding - see finding.h. */
#include "tools/common/finding.h"

#include <stdbool.h>

static struct {
	bool strict, any;
} state; /* of the process, which has one thread */

void finding_be_strict(void)
{
	state.strict = true;
}

FILE *finding(void)
{
	state.any = true;
	return stderr;
}

int finding_status(int status)
{
	return status == 0 && state.strict && state.any ? 1 : status;
}
