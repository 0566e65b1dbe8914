/*
 * progname - who we say we are: docs/spec/pmapi.md 22, 24.
 *
 * Set once at the start, by one thread.
 */
#include <pcp/deprecated.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

static char default_progname[] = "pcp";
char *pmProgname = default_progname;

void pmSetProgname(const char *path)
{
	char *slash;

	if (path == NULL) {
		pmProgname = default_progname;
		return;
	}
	slash = strrchr(path, '/');
	pmProgname = slash != NULL ? slash + 1 : (char *)path;
}

int __pmSetProgname(const char *path)
{
	pmSetProgname(path);
	return 0;
}

char *pmGetProgname(void)
{
	return pmProgname;
}

/* Programs set their kind, but this library does not depend on it. */
void __pmSetInternalState(int state)
{
	(void)state;
}
