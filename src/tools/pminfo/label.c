/*
 * label - the labels of metrics, instances and instance domains.
 *
 * Labels come from a hierarchy of levels. Each level has an identifier (a domain, an instance
 * domain, a cluster, a metric). If two levels have the same label, the lower one wins.
 */
#include "tools/pminfo/pminfo.h"

#include <stdio.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "tools/common/names.h"

/*
 * The label set of each level that was requested last. Metrics that are neighbours in the name
 * space share all levels but the item, so most requests are saved.
 */
enum { CONTEXT, DOMAIN, INDOM, CLUSTER, ITEM, N_LEVELS };

static struct level_cache {
	int known;
	unsigned int id;
	int n; /* number of sets, 0 or 1; or an error */
	pmLabelSet *sets;
} cache[N_LEVELS], instances_cache;

/* A context without labels (an archive, before its first ones) gets its host's name as a label. */
static int get_context(unsigned int id, pmLabelSet **ret)
{
	char host[PM_MAX_HOSTNAMELEN];
	char json[PM_MAX_HOSTNAMELEN + 32];
	int r = pmGetContextLabels(ret);

	(void)id;
	if (r != 0)
		return r;
	pmGetContextHostName_r(pmWhichContext(), host, sizeof(host));
	pmsprintf(json, sizeof(json), "{\"hostname\":\"%s\"}", host);
	return __pmParseLabelSet(json, (int)strlen(json), PM_LABEL_CONTEXT, ret);
}

static int get_domain(unsigned int id, pmLabelSet **ret)
{
	return pmGetDomainLabels((int)id, ret);
}

static int label_get_indom(unsigned int id, pmLabelSet **ret)
{
	return pmGetInDomLabels(id, ret);
}

static int get_cluster(unsigned int id, pmLabelSet **ret)
{
	return pmGetClusterLabels(id, ret);
}

static int get_item(unsigned int id, pmLabelSet **ret)
{
	return pmGetItemLabels(id, ret);
}

static int label_get_instances(unsigned int id, pmLabelSet **ret)
{
	return pmGetInstancesLabels(id, ret);
}

/* clang-format off */
static const struct level {
	unsigned int bit;
	int (*get)(unsigned int id, pmLabelSet **ret);
} levels_table[N_LEVELS] = {
	[CONTEXT] = { PM_LABEL_CONTEXT, get_context },
	[DOMAIN]  = { PM_LABEL_DOMAIN,  get_domain },
	[INDOM]   = { PM_LABEL_INDOM,   label_get_indom },
	[CLUSTER] = { PM_LABEL_CLUSTER, get_cluster },
	[ITEM]    = { PM_LABEL_ITEM,    get_item },
};
/* clang-format on */

static void remember(struct level_cache *c, unsigned int id,
		     int (*get)(unsigned int id, pmLabelSet **ret))
{
	if (c->known && c->id == id)
		return;
	if (c->n > 0)
		pmFreeLabelSets(c->sets, c->n);
	c->known = 1;
	c->id = id;
	c->sets = NULL;
	c->n = get(id, &c->sets);
}

/* A metric has one identifier a level. A level without one (no instance domain) has no labels. */
static int level_id(int level, pmID pmid, pmInDom indom, unsigned int *ret_id)
{
	const unsigned int ids[N_LEVELS] = {
	    [CONTEXT] = 0,
	    [DOMAIN] = pmid != PM_ID_NULL ? pmID_domain(pmid) : pmInDom_domain(indom),
	    [INDOM] = indom,
	    [CLUSTER] = pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0),
	    [ITEM] = pmid,
	};

	if (level == INDOM && indom == PM_INDOM_NULL)
		return 0;
	*ret_id = ids[level];
	return 1;
}

int label_merge(pmID pmid, pmInDom indom, unsigned int levels, pmLabelSet *instance,
		int (*filter)(const pmLabel *, const char *, void *), char *buf)
{
	pmLabelSet *sets[N_LEVELS + 1];
	unsigned int id;
	int n = 0;

	for (int i = 0; i < N_LEVELS; i++) {
		if ((levels_table[i].bit & levels) == 0 || !level_id(i, pmid, indom, &id))
			continue;
		remember(&cache[i], id, levels_table[i].get);
		if (cache[i].n > 0)
			sets[n++] = &cache[i].sets[0];
	}
	if (instance != NULL)
		sets[n++] = instance;
	if (n == 0)
		return 0;
	return pmMergeLabelSets(sets, n, buf, PM_MAXLABELJSONLEN, filter, NULL);
}

/*
 * The labels of an instance that has some are part of the set, even if the instance has gone since.
 */
void label_each_instance(const struct metric *m,
			 void (*print)(const struct metric *m, int inst, pmLabelSet *set,
				       void *arg),
			 void *arg)
{
	const struct instances *in;

	if (m->desc.indom == PM_INDOM_NULL)
		return;
	remember(&instances_cache, m->desc.indom, label_get_instances);
	for (int i = 0; i < instances_cache.n; i++)
		print(m, (int)instances_cache.sets[i].inst, &instances_cache.sets[i], arg);
	if (instances_cache.n > 0)
		return;
	in = instance_get(m->desc.indom);
	for (int i = 0; i < in->n; i++)
		print(m, in->ids[i], NULL, arg);
}

void label_print_metric(const struct metric *m, const struct options *o)
{
	char buf[PM_MAXLABELJSONLEN];
	int sts = label_merge(m->pmid, m->desc.indom, LABEL_OF_METRIC, NULL, NULL, buf);

	(void)o;
	if (sts > 0)
		printf("    labels %s\n", buf);
	else if (sts < 0)
		fprintf(stderr, "%s: metric %s labels merge failed: %s\n", pmGetProgname(), m->name,
			pmErrStr(sts));
}

static void label_print_instance(const struct metric *m, int inst, pmLabelSet *set, void *arg)
{
	const char *name = "DISAPPEARED";
	char buf[PM_MAXLABELJSONLEN];
	int sts = label_merge(m->pmid, m->desc.indom, LABEL_OF_METRIC, set, NULL, buf);

	(void)arg;
	instance_name(m->desc.indom, inst, &name);
	if (sts > 0)
		printf("    inst [%d or \"%s\"] labels %s\n", inst, name, buf);
	else if (sts < 0)
		fprintf(stderr, "%s: %s instances labels merge failed: %s\n", pmGetProgname(),
			m->name, pmErrStr(sts));
}

void label_print_instances(const struct metric *m, const struct options *o)
{
	(void)o;
	label_each_instance(m, label_print_instance, NULL);
}

void label_print_indom(pmInDom indom)
{
	char buf[PM_MAXLABELJSONLEN], name[32];
	int sts = label_merge(PM_ID_NULL, indom, LABEL_OF_INDOM, NULL, NULL, buf);

	if (sts > 0)
		printf("    labels %s\n", buf);
	else if (sts < 0)
		fprintf(stderr, "%s: indom %s labels merge failed: %s\n", pmGetProgname(),
			pmInDomStr_r(indom, name, sizeof(name)), pmErrStr(sts));
}
