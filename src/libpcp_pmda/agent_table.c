/* agent_table - see agent_table.h. */
#include "libpcp_pmda/agent_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "libbase/cleanup.h"

/* ---- The agent's own metrics ---------------------------------------------------------------- */

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

/* ---- The table ------------------------------------------------------------------------------ */

/* PMID without its domain. */
static uint64_t pmid_hash(unsigned int cluster, unsigned int item)
{
	return hash_u64(((uint64_t)cluster << 10) | item);
}

static int table_fill_of(const struct agent_cluster *c, const struct agent_indom *indom)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS && c->fills[i].indom != NULL; i++)
		if (c->fills[i].indom == indom)
			return i;
	return -1;
}

static struct indom_state *indom_of(struct agent_state *s, const struct agent_indom *def)
{
	for (unsigned int i = 0; i < s->nindoms; i++)
		if (s->indoms[i].def == def)
			return &s->indoms[i];
	return NULL;
}

static bool is_plain(const struct agent_metric *m)
{
	return m->value.get == NULL && m->value.kind != AGENT_KIND_NONE &&
	       (m->indom == NULL || !m->indom->own);
}

/* After bind_indom(). */
static bool is_alone(const struct agent_row *row)
{
	const struct agent_indom *indom = row->metric->indom;

	if (row->metric->value.get == NULL || row->metric->value.kind != AGENT_KIND_CALL)
		return false;
	if (indom != NULL && indom->own)
		return indom->find == NULL;
	return row->cluster->def->refresh == NULL || (indom != NULL && row->fill < 0);
}

pmDesc agent_row_desc(const struct agent_row *row)
{
	const struct agent_metric *m = row->metric;

	return (pmDesc){
	    .pmid = row->pmid,
	    .type = m->type,
	    .indom = m->indom != NULL ? m->indom->serial : PM_INDOM_NULL,
	    .sem = m->sem,
	    .units = m->units,
	};
}

static void find_definer(struct agent_state *s, struct agent_row *row)
{
	for (unsigned int i = 0; i < s->nclusters; i++) {
		int fill = table_fill_of(s->clusters[i].def, row->metric->indom);

		if (fill >= 0 && s->clusters[i].def->fills[fill].defines) {
			row->definer = &s->clusters[i];
			row->definer_fill = fill;
		}
	}
	if (row->definer == row->cluster)
		row->definer = NULL;
}

/* Which of its cluster's fills a row with instances reads, and who defines the domain. */
static void bind_indom(struct agent_state *s, struct agent_row *row)
{
	row->fill = -1;
	if (row->metric->indom == NULL)
		return;
	row->fill = table_fill_of(row->cluster->def, row->metric->indom);
	find_definer(s, row);
}

static int row_init(struct agent_state *s, unsigned int i, const struct agent_metric *m,
		    struct cluster_state *c)
{
	struct agent_row *row = &s->rows[i];

	row->metric = m;
	row->cluster = c;
	row->plain = is_plain(m);
	row->pmid = pmID_build((unsigned int)s->domain, m->cluster, m->item);
	bind_indom(s, row);
	row->alone = is_alone(row);
	row->name = strdup(m->name);
	if (row->name == NULL)
		return -ENOMEM;
	s->metrics[i].m_user = row;
	s->metrics[i].m_desc = agent_row_desc(row);
	s->stores = s->stores || m->value.store != NULL;
	s->by_name[i] = row;
	return hash_add(&s->by_pmid, pmid_hash(m->cluster, m->item), row);
}

static int by_name_cmp(const void *a, const void *b)
{
	return strcmp((*(const struct agent_row *const *)a)->name,
		      (*(const struct agent_row *const *)b)->name);
}

static int rows_init(struct agent_state *s)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->nclusters; i++)
		n += s->clusters[i].def->nmetrics;
	s->rows = calloc(n, sizeof(*s->rows));
	s->metrics = calloc(n, sizeof(*s->metrics));
	s->by_name = calloc(n, sizeof(*s->by_name));
	if (s->rows == NULL || s->metrics == NULL || s->by_name == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->nclusters; i++) {
		const struct agent_cluster *def = s->clusters[i].def;

		s->clusters[i].first_row = s->nrows;
		for (unsigned int j = 0; j < def->nmetrics; j++) {
			int r = row_init(s, s->nrows, &def->metrics[j], &s->clusters[i]);

			if (r < 0)
				return r;
			s->nrows++;
		}
	}
	qsort(s->by_name, s->nrows, sizeof(*s->by_name), by_name_cmp);
	return 0;
}

/* The domain's state, made if this is its first use. */
static struct indom_state *indom_use(struct agent_state *s, const struct agent_indom *def,
				     unsigned int flags)
{
	struct indom_state *indom = indom_of(s, def);

	if (indom != NULL)
		return indom;
	indom = &s->indoms[s->nindoms];
	s->indom_table[s->nindoms].it_indom = def->serial;
	if (flags & AGENT_STATIC_ONLY)
		indom->def = def;
	else
		indom_init(indom, def, s->domain, &s->indom_table[s->nindoms]);
	s->nindoms++;
	return indom;
}

/* Domains that no cluster fills: fixed ones, and the agent's own. */
static void indoms_of_rows(struct agent_state *s, const struct agent_cluster *def,
			   unsigned int flags)
{
	for (unsigned int i = 0; i < def->nmetrics; i++)
		if (def->metrics[i].indom != NULL)
			indom_use(s, def->metrics[i].indom, flags);
}

/* Each domain that a cluster fills or a row has, once. */
static int indoms_init(struct agent_state *s, unsigned int flags)
{
	unsigned int max = s->nclusters * AGENT_CLUSTER_INDOMS;

	for (unsigned int i = 0; i < s->nclusters; i++)
		max += s->clusters[i].def->nmetrics;
	s->indoms = calloc(max, sizeof(*s->indoms));
	s->indom_table = calloc(max, sizeof(*s->indom_table));
	if (s->indoms == NULL || s->indom_table == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->nclusters; i++) {
		struct cluster_state *c = &s->clusters[i];

		for (int j = 0; j < AGENT_CLUSTER_INDOMS; j++)
			if (c->def->fills[j].indom != NULL)
				c->indoms[j] = indom_use(s, c->def->fills[j].indom, flags);
	}
	for (unsigned int i = 0; i < s->nclusters; i++)
		indoms_of_rows(s, s->clusters[i].def, flags);
	return 0;
}

static int clusters_init(struct agent_state *s)
{
	s->clusters = calloc(s->agent->nclusters + 1, sizeof(*s->clusters));
	if (s->clusters == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i <= s->agent->nclusters; i++) {
		const struct agent_cluster *def =
		    i < s->agent->nclusters ? s->agent->clusters[i] : &s->self.cluster;
		int r;

		s->nclusters++;
		r = cluster_init(&s->clusters[i], def, s, &s->root);
		if (r < 0)
			return r;
	}
	return 0;
}

static int state_init(struct agent_state *s, unsigned int flags)
{
	static const struct agent_hooks none;
	int r;

	s->hooks = s->agent->hooks != NULL ? s->agent->hooks : &none;
	self_init(&s->self, s->agent->name);
	if (s->agent->flags & AGENT_NO_SELF)
		s->self.cluster = (struct agent_cluster){.name = "self"};
	r = agent_check(s->agent, &s->self.cluster, s->domain);
	if (r < 0)
		return r;
	snprintf(s->dso_name, sizeof(s->dso_name), "%s DSO", s->agent->name);
	snprintf(s->label, sizeof(s->label), "%s", s->agent->name);
	s->root.fd = -1;
	if (!(flags & AGENT_STATIC_ONLY))
		r = refresh_root_init(&s->root, s->agent->name);
	if (r < 0)
		pmNotifyErr(LOG_CRIT, "agent %s: Cannot open root directory: path=\"%s\", error=%s",
			    s->agent->name, s->root.path != NULL ? s->root.path : "", strerror(-r));
	if (r == 0)
		r = clusters_init(s);
	if (r == 0)
		r = indoms_init(s, flags);
	if (r == 0)
		r = rows_init(s);
	return r;
}

int agent_state_new(const struct agent *agent, int domain, unsigned int flags,
		    struct agent_state **ret_state)
{
	struct agent_state *s = calloc(1, sizeof(*s));
	int r;

	if (s == NULL)
		return -ENOMEM;
	s->agent = agent;
	s->domain = domain;
	r = state_init(s, flags);
	if (r < 0) {
		agent_state_free(s);
		return r;
	}
	*ret_state = s;
	return 0;
}

void agent_state_free(struct agent_state *s)
{
	if (s == NULL)
		return;
	for (unsigned int i = 0; i < s->nclusters; i++)
		cluster_done(&s->clusters[i]);
	for (unsigned int i = 0; i < s->nindoms; i++)
		indom_done(&s->indoms[i]);
	for (unsigned int i = 0; i < s->nrows; i++)
		free(s->rows[i].name);
	free(s->clusters);
	free(s->indoms);
	free(s->indom_table);
	free(s->rows);
	free(s->metrics);
	free(s->by_name);
	hash_done(&s->by_pmid);
	buffer_done(&s->text);
	refresh_root_done(&s->root);
	pmdaTreeRelease(s->tree);
	free(s);
}

struct agent_row *agent_row_find(const struct agent_state *s, pmID pmid)
{
	return hash_find(&s->by_pmid, pmid_hash(pmID_cluster(pmid), pmID_item(pmid)), NULL, NULL);
}

bool agent_row_make(const struct agent_state *s, pmID pmid, struct agent_row *ret_row)
{
	const struct agent_metric *m = NULL;

	if (s->hooks->row != NULL)
		m = s->hooks->row(pmID_cluster(pmid), pmID_item(pmid), s->ext);
	if (m == NULL)
		return false;
	*ret_row = (struct agent_row){.metric = m, .fill = -1, .pmid = pmid};
	return true;
}

void agent_row_define(struct agent_state *s, struct agent_row *row)
{
	row->seq = s->seq;
	if (row->definer == NULL)
		return;
	cluster_need(row->definer, s->seq);
	cluster_sync(row->definer, row->definer_fill);
}

void agent_row_need(struct agent_state *s, struct agent_row *row)
{
	cluster_need(row->cluster, s->seq);
	if (row->fill >= 0)
		cluster_sync(row->cluster, row->fill);
}

int agent_wanted(const struct agent_refresh *r, const struct agent_indom *indom, size_t offset)
{
	const struct agent_state *s = r->state;
	const struct cluster_state *c = r->cluster;

	for (unsigned int i = 0; i < c->def->nmetrics; i++) {
		const struct agent_row *row = &s->rows[c->first_row + i];

		if (row->seq == s->seq && row->plain && row->metric->indom == indom &&
		    row->metric->value.offset == offset)
			return 1;
	}
	return 0;
}
