/*
 * agent - open files of the kernel, as an agent made of tables.
 *
 *     cc -shared -fPIC -o pmda_files.so agent.c $(pkg-config --cflags --libs libpcp_pmda libpcp)
 *     files 400 dso files_init /path/of/pmda_files.so        in pmcd.conf, or as a program:
 *     files 400 pipe binary /path/of/pmdafiles
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <pitot/agent.h>

struct files {
	uint64_t open;
	uint64_t max;
};

static int files_refresh(struct agent_refresh *r, void *snapshot)
{
	struct files *files = snapshot;
	const char *text;
	long len = agent_read(r, "proc/sys/fs/file-nr", &text);

	if (len < 0)
		return (int)len;
	if (sscanf(text, "%" SCNu64 " %*u %" SCNu64, &files->open, &files->max) != 2)
		return -EINVAL;
	return 0;
}

/* clang-format off */
static const struct agent_metric files_metrics[] = {
	{ "files.open", 0, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_COUNT,
	  AGENT_FIELD(struct files, open), "Open files", NULL, 0 },
	{ "files.max", 0, 1, PM_TYPE_U64, PM_SEM_DISCRETE, NULL, AGENT_COUNT,
	  AGENT_FIELD(struct files, max), "How many files can be open", NULL, 0 },
};
/* clang-format on */

static const struct agent_cluster files_cluster = {
    .name = "files",
    .source = "/proc/sys/fs/file-nr",
    .size = sizeof(struct files),
    .refresh = files_refresh,
    .metrics = files_metrics,
    .nmetrics = sizeof(files_metrics) / sizeof(files_metrics[0]),
};
static const struct agent_cluster *const clusters[] = {&files_cluster};
static const struct agent files_agent = {
    .name = "files", .domain = 400, .clusters = clusters, .nclusters = 1};

AGENT_PROGRAM(files_agent, files_init)
