/*
 * test_derive_state - the configuration of derived metrics is read by clients, and not by agents
 * that are processes. The argument is "client" or "agent": it is read once a process.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

static int fail(const char *what)
{
	fprintf(stderr, "test_derive_state: %s\n", what);
	return 1;
}

int main(int argc, char **argv)
{
	const char *name = "derived.one";
	char path[] = "/tmp/derive_state.XXXXXX";
	bool agent = argc > 1 && strcmp(argv[1], "agent") == 0;
	int fd = mkstemp(path), r;
	pmID pmid;

	if (fd < 0 || dprintf(fd, "%s = 1\n", name) < 0)
		return fail("no configuration");
	close(fd);
	setenv("PCP_DERIVED_CONFIG", path, 1);
	if (agent)
		__pmSetInternalState(PM_STATE_PMCS);
	r = pmLookupName(1, &name, &pmid);
	unlink(path);
	if (agent && r >= 0)
		return fail("an agent has the client's derived metrics");
	if (!agent && r != 1)
		return fail("a client does not have the derived metric of its configuration");
	return 0;
}
