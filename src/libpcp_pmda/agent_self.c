#include "libpcp_pmda/agent_self.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libpcp_pmda/agent_table.h"

struct self {
	uint64_t count;
	uint64_t failures;
	uint64_t stale;
	uint64_t hangs;
	uint64_t took_us;
	uint64_t last_us;
	int32_t last_error;
};

static const struct agent_indom clusters_indom = {
    AGENT_SELF,
    1,
    NULL,
    0,
    "Clusters of the agent",
    "Each cluster is a group of metrics that is read from the same source at the same time.",
};

/* clang-format off */
static const struct agent_metric self_metrics[SELF_NROWS] = {
	{ "refresh.count", AGENT_SELF, 0, PM_TYPE_U64, PM_SEM_COUNTER, &clusters_indom, AGENT_COUNT,
	  AGENT_FIELD(struct self, count), "Refreshes of each cluster",
	  "A fetch refreshes a cluster at most once, and only if one of its metrics is asked for.",
	  0 },
	{ "refresh.failures", AGENT_SELF, 1, PM_TYPE_U64, PM_SEM_COUNTER, &clusters_indom,
	  AGENT_COUNT,
	  AGENT_FIELD(struct self, failures), "Refreshes of each cluster that failed",
	  "Mostly because a file is missing or may not be read: see refresh.error.", 0 },
	{ "refresh.stale", AGENT_SELF, 2, PM_TYPE_U64, PM_SEM_COUNTER, &clusters_indom, AGENT_COUNT,
	  AGENT_FIELD(struct self, stale), "Fetches that were served an older snapshot",
	  "Of clusters whose source may hang and is read by a thread of its own; others stay at 0.",
	  0 },
	{ "refresh.time", AGENT_SELF, 3, PM_TYPE_U64, PM_SEM_COUNTER, &clusters_indom, AGENT_USEC,
	  AGENT_FIELD(struct self, took_us), "Time spent in refreshes of each cluster", NULL, 0 },
	{ "refresh.last", AGENT_SELF, 4, PM_TYPE_U64, PM_SEM_INSTANT, &clusters_indom, AGENT_USEC,
	  AGENT_FIELD(struct self, last_us), "Time that the last refresh of each cluster took",
	  NULL, 0 },
	{ "refresh.hangs", AGENT_SELF, 6, PM_TYPE_U64, PM_SEM_COUNTER, &clusters_indom, AGENT_COUNT,
	  AGENT_FIELD(struct self, hangs), "Refreshes of each cluster that were given up",
	  "They hang, on a dead mount for example; what they hang on is left out until it answers.",
	  0 },
	{ "refresh.error", AGENT_SELF, 5, PM_TYPE_32, PM_SEM_INSTANT, &clusters_indom, AGENT_NONE,
	  AGENT_FIELD(struct self, last_error), "Error code of the last refresh that failed",
	  "0 if none has failed, else a negative error number of the operating system.", 0 },
};
/* clang-format on */

static int self_refresh(struct agent_refresh *r, void *snapshot)
{
	const struct agent_state *state = r->state;

	for (unsigned int i = 0; i < state->nclusters; i++) {
		const struct cluster_stats *st = &state->clusters[i].stats;
		struct self *self =
		    agent_add_id(r, &clusters_indom, (int)i, state->clusters[i].def->name);

		if (self == NULL)
			return -ENOMEM;
		self->count = st->count;
		self->failures = st->failures;
		self->stale = st->stale;
		self->hangs = st->hangs;
		self->took_us = st->took_ns / 1000;
		self->last_us = st->last_ns / 1000;
		self->last_error = st->last_error;
	}
	return 0;
}

void self_init(struct self_rows *ret_rows, const char *agent_name)
{
	memcpy(ret_rows->rows, self_metrics, sizeof(self_metrics));
	for (int i = 0; i < SELF_NROWS; i++) {
		snprintf(ret_rows->names[i], sizeof(ret_rows->names[i]), "%s.%s", agent_name,
			 self_metrics[i].name);
		ret_rows->rows[i].name = ret_rows->names[i];
	}
	ret_rows->cluster = (struct agent_cluster){
	    .name = "self",
	    .source = "the agent itself",
	    .refresh = self_refresh,
	    .metrics = ret_rows->rows,
	    .nmetrics = SELF_NROWS,
	    .fills = {{&clusters_indom, sizeof(struct self), 1}},
	};
}
