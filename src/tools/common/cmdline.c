#include "tools/common/cmdline.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

bool cmdline_is_version(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "--version") != 0)
		return false;
	pmSetProgname(argv[0]);
	printf("%s version %s (Pitot %s)\n", pmGetProgname(), pmGetAPIConfig("pcp_version"),
	       PITOT_VERSION);
	return true;
}

void cmdline_complain(pmOptions *opts, const char *text)
{
	pmprintf("%s: %s\n", pmGetProgname(), text);
	opts->errors++;
}

void cmdline_batch(pmOptions *opts, int *ret_n)
{
	char *end;
	long n = strtol(opts->optarg, &end, 10);

	if (*end != '\0' || n < 0)
		cmdline_complain(opts, "-b requires numeric argument");
	else
		*ret_n = n < 1 ? 1 : n > INT_MAX ? INT_MAX : (int)n;
}

bool cmdline_accept(pmOptions *opts, int *ret_status)
{
	if (opts->errors == 0 && (opts->flags & PM_OPTFLAG_EXIT) == 0)
		return true;
	pmUsageMessage(opts);
	*ret_status = (opts->flags & PM_OPTFLAG_EXIT) != 0 ? 0 : 1;
	return false;
}
