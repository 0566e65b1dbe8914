/*
 * level - a number that clients read and store, as a row with call-backs.
 *
 *     cc -o pmdalevel level.c $(pkg-config --cflags --libs libpcp_pmda libpcp)
 *     level 405 pipe binary /path/of/pmdalevel               in pmcd.conf
 */
#include <pitot/agent.h>

static int level = 50;

static int level_get(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = level;
	return 1;
}

static int level_store(const struct agent_call *call, const pmAtomValue *atom)
{
	if (atom->l < 0 || atom->l > 100)
		return PM_ERR_BADSTORE;
	level = atom->l;
	return 0;
}

/* clang-format off */
static const struct agent_metric metrics[] = {
	{ "level.percent", 0, 0, PM_TYPE_32, PM_SEM_INSTANT, NULL, AGENT_NONE,
	  AGENT_GET_STORE(level_get, level_store), "How full the tank is", NULL, 0 },
};
/* clang-format on */

static const struct agent_cluster cluster = {.name = "level", .metrics = metrics, .nmetrics = 1};
static const struct agent_cluster *const clusters[] = {&cluster};
static const struct agent level_agent = {
    .name = "level", .domain = 405, .clusters = clusters, .nclusters = 1, .flags = AGENT_NO_SELF};

AGENT_PROGRAM(level_agent, level_init)
