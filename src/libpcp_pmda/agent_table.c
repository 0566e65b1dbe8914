#include "libpcp_pmda/agent_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "libbase/cleanup.h"

#include "libpcp_pmda/agent_check.h"

/* PMID without its domain. */
static uint64_t pmid_hash(unsigned int cluster, unsigned int item)
{
	return hash_u64(((uint64_t)cluster << 10) | item);
}

static int fill_of(const struct agent_cluster *c, const struct agent_indom *indom)
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

static void find_definer(struct agent_state *s, struct agent_row *row)
{
	for (unsigned int i = 0; i < s->nclusters; i++) {
		int fill = fill_of(s->clusters[i].def, row->metric->indom);

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
	row->fill = fill_of(row->cluster->def, row->metric->indom);
	find_definer(s, row);
}

static int row_init(struct agent_state *s, unsigned int i, const struct agent_metric *m,
		    struct cluster_state *c)
{
	struct agent_row *row = &s->rows[i];

	row->metric = m;
	row->cluster = c;
	row->pmid = pmID_build((unsigned int)s->domain, m->cluster, m->item);
	bind_indom(s, row);
	row->name = strdup(m->name);
	if (row->name == NULL)
		return -ENOMEM;
	s->metrics[i].m_user = row;
	s->metrics[i].m_desc = (pmDesc){
	    .pmid = row->pmid,
	    .type = m->type,
	    .indom = m->indom != NULL ? m->indom->serial : PM_INDOM_NULL,
	    .sem = m->sem,
	    .units = m->units,
	};
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

/* Each domain that a cluster fills, once. */
static int indoms_init(struct agent_state *s, unsigned int flags)
{
	unsigned int max = s->nclusters * AGENT_CLUSTER_INDOMS;

	s->indoms = calloc(max, sizeof(*s->indoms));
	s->indom_table = calloc(max, sizeof(*s->indom_table));
	if (s->indoms == NULL || s->indom_table == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < max; i++) {
		struct cluster_state *c = &s->clusters[i / AGENT_CLUSTER_INDOMS];
		const struct agent_indom *def = c->def->fills[i % AGENT_CLUSTER_INDOMS].indom;
		struct indom_state *indom;

		if (def == NULL)
			continue;
		indom = indom_of(s, def);
		if (indom == NULL) {
			indom = &s->indoms[s->nindoms];
			s->indom_table[s->nindoms].it_indom = def->serial;
			if (flags & AGENT_STATIC_ONLY)
				indom->def = def;
			else
				indom_init(indom, def, s->domain, &s->indom_table[s->nindoms]);
			s->nindoms++;
		}
		c->indoms[i % AGENT_CLUSTER_INDOMS] = indom;
	}
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
	int r;

	self_init(&s->self, s->agent->name);
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
	free(s);
}

struct agent_row *agent_row_find(const struct agent_state *s, pmID pmid)
{
	return hash_find(&s->by_pmid, pmid_hash(pmID_cluster(pmid), pmID_item(pmid)), NULL, NULL);
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

		if (row->seq == s->seq && row->metric->indom == indom &&
		    row->metric->value.offset == offset)
			return 1;
	}
	return 0;
}
