/*
 * missing - what options can ask for and this library does not do yet: agents loaded into a client,
 * and derived metrics. Each says so.
 */
#include <pcp/pmapi.h>

int pmLoadDerivedConfig(const char *path)
{
	(void)path;
	return -EOPNOTSUPP;
}

char *pmSpecLocalPMDA(const char *spec)
{
	static char why[] = "local contexts are not supported";

	(void)spec;
	return why;
}
