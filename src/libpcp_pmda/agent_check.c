/* agent_check - see agent_table.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "libbase/cleanup.h"
#include "libpcp_pmda/agent_check_rows.h"
#include "libpcp_pmda/agent_table.h"

enum {
	DOMAIN_MAX = 510, /* 511 is that of dynamic names */
	SERIAL_MAX = (1 << 22) - 1,
};

/* ---- instance domains ----------------------------------------------------------------------- */

static void check_instance(struct check *c, const struct agent_indom *indom, unsigned int i)
{
	const struct agent_instance *at = &indom->fixed[i];

	if (at->name == NULL || at->name[0] == '\0') {
		check_fault(c, "instance domain %u: instance %d has no name", indom->serial,
			    at->id);
		return;
	}
	if (at->id < 0)
		check_fault(c,
			    "instance domain %u: instance \"%s\" has number %d: expected 0 or more",
			    indom->serial, at->name, at->id);
	for (unsigned int j = 0; j < i; j++) {
		if (indom->fixed[j].id == at->id)
			check_fault(c, "instance domain %u: two instances have the number %d",
				    indom->serial, at->id);
		if (indom->fixed[j].name != NULL && strcmp(indom->fixed[j].name, at->name) == 0)
			check_fault(c, "instance domain %u: two instances have the name \"%s\"",
				    indom->serial, at->name);
	}
}

static bool is_filled(const struct check *c, const struct agent_indom *indom)
{
	for (unsigned int i = 0; i < c->agent->nclusters; i++)
		if (check_fill_of(c->agent->clusters[i], indom) != NULL)
			return true;
	return false;
}

static void check_indom(struct check *c, const struct agent_indom *indom)
{
	if (indom->serial > SERIAL_MAX)
		check_fault(c, "instance domain %u: expected a serial number of 0 to %d",
			    indom->serial, SERIAL_MAX);
	if (indom->oneline == NULL)
		check_fault(c, "instance domain %u has no help text (oneline)", indom->serial);
	if (indom->own && is_filled(c, indom))
		check_fault(c,
			    "clusters fill instance domain %u, which the agent keeps itself (own)",
			    indom->serial);
	if (indom->own && indom->fixed != NULL)
		check_fault(
		    c,
		    "instance domain %u has fixed instances: the agent can't keep them itself "
		    "(own)",
		    indom->serial);
	if (!indom->own && indom->find != NULL)
		check_fault(
		    c,
		    "instance domain %u has a find function, but the agent does not keep it "
		    "itself (own)",
		    indom->serial);
	if (indom->fixed == NULL && indom->nfixed != 0)
		check_fault(
		    c, "instance domain %u: %u instances (nfixed), but no table of them (fixed)",
		    indom->serial, indom->nfixed);
	for (unsigned int i = 0; indom->fixed != NULL && i < indom->nfixed; i++)
		check_instance(c, indom, i);
}

/* One use of an instance domain: by a cluster that fills it, or by a row. */
struct use {
	const struct agent_indom *indom;
	const struct agent_cluster *cluster;
	bool defines;
	bool row;
};

static int use_cmp(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->indom->serial != y->indom->serial)
		return x->indom->serial < y->indom->serial ? -1 : 1;
	if (x->indom != y->indom)
		return (uintptr_t)x->indom < (uintptr_t)y->indom ? -1 : 1;
	return (x->row - y->row) * 2 + y->defines - x->defines;
}

/* Neighbours in the order of use_cmp. */
static void check_uses(struct check *c, const struct use *a, const struct use *b)
{
	if (a->indom->serial != b->indom->serial)
		return;
	if (a->indom != b->indom)
		check_fault(c, "two instance domains have the serial number %u: expected one",
			    a->indom->serial);
	else if (a->row || b->row)
		return;
	else if (a->cluster == b->cluster)
		check_fault(c, "cluster %s fills instance domain %u twice", a->cluster->name,
			    a->indom->serial);
	else if (b->defines)
		check_fault(c,
			    "instance domain %u is defined by the clusters %s and %s: expected one",
			    a->indom->serial, a->cluster->name, b->cluster->name);
}

static unsigned int list_row_uses(const struct agent_cluster *cluster, struct use *uses)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < cluster->nmetrics; i++)
		if (cluster->metrics[i].indom != NULL)
			uses[n++] = (struct use){cluster->metrics[i].indom, cluster, false, true};
	return n;
}

static unsigned int list_uses(struct check *c, struct use *uses)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i <= c->agent->nclusters; i++) {
		const struct agent_cluster *cluster = check_cluster_at(c, i);

		for (int j = 0; j < AGENT_CLUSTER_INDOMS; j++) {
			const struct agent_fill *fill = &cluster->fills[j];

			if (fill->indom == NULL)
				continue;
			if (j > 0 && cluster->fills[j - 1].indom == NULL)
				check_fault(c, "cluster %s: fills[%d] comes after an empty entry",
					    cluster->name, j);
			uses[n++] = (struct use){fill->indom, cluster, fill->defines != 0, false};
		}
		n += list_row_uses(cluster, uses + n);
	}
	return n;
}

static int check_indoms(struct check *c)
{
	unsigned int max = (c->agent->nclusters + 1) * AGENT_CLUSTER_INDOMS + check_count_rows(c),
		     n;
	AUTO_FREE struct use *uses = calloc(max, sizeof(*uses));

	if (uses == NULL)
		return -ENOMEM;
	n = list_uses(c, uses);
	qsort(uses, n, sizeof(*uses), use_cmp);
	for (unsigned int i = 0; i < n; i++) {
		if (i == 0 || uses[i].indom != uses[i - 1].indom)
			check_indom(c, uses[i].indom);
		if (i > 0)
			check_uses(c, &uses[i - 1], &uses[i]);
	}
	return 0;
}

/* ---- the agent and its clusters ------------------------------------------------------------- */

static bool is_component(const char *name)
{
	size_t len = name != NULL ? check_component_len(name) : 0;

	return len != 0 && name[len] == '\0';
}

/* Only rows without a field in the cluster's own structs do without a refresh. */
static bool needs_refresh(const struct agent_cluster *cluster)
{
	if (cluster->size != 0 || cluster->fills[0].indom != NULL)
		return true;
	for (unsigned int i = 0; cluster->metrics != NULL && i < cluster->nmetrics; i++) {
		const struct agent_metric *m = &cluster->metrics[i];

		if (check_is_field(m) && (m->indom == NULL || !m->indom->own))
			return true;
	}
	return cluster->nmetrics == 0;
}

/* False: the rest cannot be read. */
static bool check_cluster(struct check *c, unsigned int i)
{
	const struct agent_cluster *cluster = c->agent->clusters[i];

	if (cluster == NULL || cluster->name == NULL || cluster->name[0] == '\0') {
		check_fault(c, "clusters[%u] %s", i, cluster == NULL ? "is NULL" : "has no name");
		return false;
	}
	for (unsigned int j = 0; j < i; j++)
		if (strcmp(c->agent->clusters[j]->name, cluster->name) == 0)
			check_fault(c, "two clusters have the name %s", cluster->name);
	if (cluster->refresh == NULL && needs_refresh(cluster))
		check_fault(c, "cluster %s has no refresh function", cluster->name);
	if (cluster->may_hang && cluster->wait_ms == 0)
		check_fault(c, "cluster %s may hang: expected a wait_ms above 0", cluster->name);
	if (cluster->metrics == NULL && cluster->nmetrics != 0) {
		check_fault(c, "cluster %s: %u metrics (nmetrics), but no table of them (metrics)",
			    cluster->name, cluster->nmetrics);
		return false;
	}
	return true;
}

static bool check_clusters(struct check *c)
{
	if (c->agent->clusters == NULL && c->agent->nclusters != 0) {
		check_fault(c, "%u clusters (nclusters), but no table of them (clusters)",
			    c->agent->nclusters);
		return false;
	}
	for (unsigned int i = 0; i < c->agent->nclusters; i++)
		if (!check_cluster(c, i))
			return false;
	return true;
}

int agent_check(const struct agent *agent, const struct agent_cluster *self, int domain)
{
	struct check c = {.agent = agent, .self = self};
	int r = 0;

	if (!is_component(agent->name)) {
		check_fault(&c,
			    "expected a name of letters, digits and _ that begins with a letter");
	} else if (check_clusters(&c)) {
		r = check_indoms(&c);
		if (r == 0)
			r = check_rows(&c);
	}
	if (domain < 1 || domain > DOMAIN_MAX)
		check_fault(&c, "domain %d: expected 1 to %d", domain, DOMAIN_MAX);
	if (c.faults > CHECK_FAULTS_SHOWN)
		pmNotifyErr(LOG_CRIT, "agent %s: %u more faults of its tables", agent->name,
			    c.faults - CHECK_FAULTS_SHOWN);
	return r == 0 && c.faults != 0 ? -EINVAL : r;
}
