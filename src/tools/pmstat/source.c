/*
 * A source has a fetch group, which converts counters to rates. A metric that the source does not
 * have is left out; its column shows that there is no value.
 */
#include "tools/pmstat/pmstat.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/cmdline.h"

struct row {
	const char *name;
	const char *other; /* used where the source has no `name`; NULL: there is no other name */
	const char *instance;
	const char *scale;
	int type;
};

/* clang-format off */
static const struct row rows[N_METRICS] = {
	[LOAD]        = { "kernel.all.load", NULL, "1 minute", NULL, PM_TYPE_FLOAT },
	[SWAP_USED]   = { "swap.used", NULL, NULL, "Kbyte", PM_TYPE_U64 },
	[MEM_FREE]    = { "mem.util.free", NULL, NULL, "Kbyte", PM_TYPE_U64 },
	[MEM_BUFFERS] = { "mem.util.bufmem", "mem.bufmem", NULL, "Kbyte", PM_TYPE_U64 },
	[MEM_CACHED]  = { "mem.util.cached", NULL, NULL, "Kbyte", PM_TYPE_U64 },
	[PAGE_IN]     = { "swap.pagesin", "swap.in", NULL, NULL, PM_TYPE_U64 },
	[PAGE_OUT]    = { "swap.pagesout", "swap.out", NULL, NULL, PM_TYPE_U64 },
	[BLOCK_IN]    = { "disk.all.blkread", "disk.all.read", NULL, NULL, PM_TYPE_U64 },
	[BLOCK_OUT]   = { "disk.all.blkwrite", "disk.all.write", NULL, NULL, PM_TYPE_U64 },
	[INTERRUPTS]  = { "kernel.all.intr", NULL, NULL, NULL, PM_TYPE_U64 },
	[SWITCHES]    = { "kernel.all.pswitch", NULL, NULL, NULL, PM_TYPE_U64 },
	[CPU_NICE]    = { "kernel.all.cpu.nice", NULL, NULL, NULL, PM_TYPE_U64 },
	[CPU_USER]    = { "kernel.all.cpu.user", NULL, NULL, NULL, PM_TYPE_U64 },
	[CPU_INTR]    = { "kernel.all.cpu.intr", NULL, NULL, NULL, PM_TYPE_U64 },
	[CPU_SYS]     = { "kernel.all.cpu.sys", NULL, NULL, NULL, PM_TYPE_U64 },
	[CPU_IDLE]    = { "kernel.all.cpu.idle", NULL, NULL, NULL, PM_TYPE_U64 },
	[CPU_WAIT]    = { "kernel.all.cpu.wait.total", NULL, NULL, NULL, PM_TYPE_U64 },
	[CPU_STEAL]   = { "kernel.all.cpu.steal", NULL, NULL, NULL, PM_TYPE_U64 },
};
/* clang-format on */

static int add_metric(struct source *s, int metric, const char *name)
{
	const struct row *row = &rows[metric];

	return pmExtendFetchGroup_item(s->group, name, row->instance, row->scale,
				       &s->values[metric], row->type, &s->stss[metric]);
}

/* Adds all metrics. Returns the number of those that the source has. */
static int add_metrics(struct source *s)
{
	int n = 0;

	for (int i = 0; i < N_METRICS; i++) {
		int sts = add_metric(s, i, rows[i].name);

		if (sts < 0 && i == PAGE_IN)
			s->swaps = true;
		if (sts < 0 && rows[i].other != NULL)
			sts = add_metric(s, i, rows[i].other);
		s->stss[i] = PM_ERR_VALUE;
		if (sts >= 0)
			n++;
	}
	return n;
}

int source_open_group(struct source *s, int type, const char *name)
{
	int sts;

	memset(s, 0, sizeof(*s));
	s->type = type;
	sts = pmCreateFetchGroup(&s->group, type, name);
	if (sts < 0) {
		s->group = NULL;
		fprintf(stderr, "%s: Cannot create fetchgroup: %s\n", pmGetProgname(),
			pmErrStr(sts));
		return sts;
	}
	pmExtendFetchGroup_timespec(s->group, &s->stamp);
	pmGetContextHostName_r(pmGetFetchGroupContext(s->group), s->host, sizeof(s->host));
	if (add_metrics(s) == 0) {
		fprintf(stderr, "%s: %s: Cannot resolve any metrics.\n", pmGetProgname(),
			name != NULL ? name : s->host);
		return PM_ERR_NAME;
	}
	return pmGetFetchGroupContext(s->group);
}

int source_fetch(struct source *s)
{
	int sts = pmFetchGroup(s->group);

	return sts < 0 ? sts : 0;
}

void source_close(struct source *s)
{
	if (s->group != NULL)
		pmDestroyFetchGroup(s->group);
	s->group = NULL;
}
