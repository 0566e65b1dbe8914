/*
 * users - sessions: the records of /run/utmp. Without that file there are none.
 */
#include <errno.h>
#include <string.h>
#include <utmpx.h>

#include "linux.h"

struct users {
	uint32_t nusers;
	uint32_t nroots;
	uint32_t nsessions;
};

/* clang-format off */
static const struct agent_metric users_metrics[] = {
	{ "kernel.all.nusers", 25, 0, U32, INSTANT, ONE, AGENT_NONE, FIELD(users, nusers),
	  "Users logged in", "Records of user processes, those of root included.", 0 },
	{ "kernel.all.nroots", 25, 1, U32, INSTANT, ONE, AGENT_NONE, FIELD(users, nroots),
	  "Times that root is logged in", "Records of user processes of the user root.", 0 },
	{ "kernel.all.nsessions", 25, 2, U32, INSTANT, ONE, AGENT_NONE, FIELD(users, nsessions),
	  "Sessions", "Records of user processes.", 0 },
};
/* clang-format on */

static int users_refresh(struct agent_refresh *r, void *snapshot)
{
	struct users *u = snapshot;
	struct utmpx record;
	const char *text;
	long len = agent_readf(r, &text, "run/utmp");

	*u = (struct users){0};
	if (len < 0)
		return len == -ENOENT ? 0 : (int)len;
	for (; len >= (long)sizeof(record); len -= (long)sizeof(record)) {
		memcpy(&record, text, sizeof(record));
		text += sizeof(record);
		if (record.ut_type != USER_PROCESS)
			continue;
		u->nusers++;
		u->nsessions++;
		if (strncmp(record.ut_user, "root", sizeof(record.ut_user)) == 0)
			u->nroots++;
	}
	return 0;
}

const struct agent_cluster users_cluster = {
    .name = "users",
    .source = "/run/utmp",
    .size = sizeof(struct users),
    .refresh = users_refresh,
    .metrics = users_metrics,
    .nmetrics = NROWS(users_metrics),
};
