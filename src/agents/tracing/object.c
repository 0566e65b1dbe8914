/* object - the tracing agent in pmcd's process. */
#include <stdio.h>
#include <stdlib.h>

#include "object.h"

void tracing_init(pmdaInterface *dispatch)
{
	const char *given = getenv("PITOT_TRACING_CONFIG");
	char path[MAXPATHLEN];

	pmdaDSO(dispatch, PMDA_INTERFACE_7, "tracing", NULL);
	snprintf(path, sizeof(path), "%s/tracing/tracing.conf", pmGetConfig("PCP_SYSCONF_DIR"));
	tracing_setup(dispatch, given != NULL ? given : path);
}
