#include "tools/common/source.h"

#include <stdio.h>

#include <pcp/pmapi.h>

int source_open(int type, const char *name, const char *local_text)
{
	int sts = pmNewContext(type, name);

	if (sts >= 0)
		return sts;
	fflush(stdout);
	if (type == PM_CONTEXT_HOST)
		fprintf(stderr, "%s: Cannot connect to PMCD on host \"%s\": %s\n", pmGetProgname(),
			name, pmErrStr(sts));
	else if (type == PM_CONTEXT_LOCAL)
		fprintf(stderr, "%s: Cannot %s: %s\n", pmGetProgname(), local_text, pmErrStr(sts));
	else
		fprintf(stderr, "%s: Cannot open archive \"%s\": %s\n", pmGetProgname(), name,
			pmErrStr(sts));
	return sts;
}

int source_open_options(pmOptions *opts, const char *local_text)
{
	int ctx;

	if (opts->context == PM_CONTEXT_ARCHIVE)
		ctx = source_open(PM_CONTEXT_ARCHIVE, opts->archives[0], local_text);
	else if (opts->context == PM_CONTEXT_LOCAL)
		ctx = source_open(PM_CONTEXT_LOCAL, NULL, local_text);
	else
		ctx = source_open(PM_CONTEXT_HOST,
				  opts->nhosts > 0 ? opts->hosts[0] : SOURCE_DEFAULT_HOST,
				  local_text);
	if (ctx >= 0 && opts->context == PM_CONTEXT_ARCHIVE && pmGetContextOptions(ctx, opts) < 0) {
		pmflush();
		return PM_ERR_GENERIC;
	}
	return ctx;
}
