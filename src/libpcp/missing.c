/* missing - what options can ask for and this library does not do yet: derived metrics. */
#include <pcp/pmapi.h>

int pmLoadDerivedConfig(const char *path)
{
	(void)path;
	return -EOPNOTSUPP;
}
