/*
 * names - the clusters, the names of the agent (those of the rows, second names of some,
 * the tree of names), and its labels.
 */
#include <stdio.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "sample.h"

const struct agent_cluster *const sample_clusters[SAMPLE_NCLUSTERS] = {
    &constants_cluster, &stored_cluster,    &bins_cluster,   &series_cluster, &steps_cluster,
    &domains_cluster,   &processes_cluster, &ghosts_cluster, &events_cluster, &errors_cluster,
    &returns_cluster,   &traffic_cluster,   &meta_cluster,   &tree_cluster,
};

const struct agent_metric *sample_find(pmID pmid)
{
	for (unsigned int i = 0; i < SAMPLE_NCLUSTERS; i++)
		for (unsigned int j = 0; j < sample_clusters[i]->nmetrics; j++) {
			const struct agent_metric *row = &sample_clusters[i]->metrics[j];

			if (row->cluster == pmID_cluster(pmid) && row->item == pmID_item(pmid))
				return row;
		}
	return NULL;
}

/* Metrics that have more than one name. */
static const struct {
	const char *name;
	unsigned int number;
} second_names[] = {
    {"dupnames.daemon_pid", 1},     {"dupnames.pid_daemon", 1},
    {"dupnames.two.seconds", 2},    {"dupnames.two.bin", 6},
    {"dupnames.two.write_me", 36},  {"dupnames.two.lights", 46},
    {"dupnames.two.float.ten", 16}, {"dupnames.two.double.ten", 26},
    {"dupnames.three.bin", 6},      {"dupnames.three.write_me", 36},
    {"dupnames.four.bin", 6},       {"dupnames.four.colour", 5},
    {"dupnames.five.bin", 6},       {"dupnames.five.bucket", 48},
    {"dupnames.five.part_bin", 50}, {"dupnames.five.long_bin", 103},
};

/* A name here for a metric of the collector: pmcd.agent.status. */
enum { PMCD = 2, PMCD_CLUSTER = 4, PMCD_ITEM = 1 };

/* A collector may have the agent twice: in a process, and in its own under the other number. */
static const char *root_of(int domain)
{
	return domain == SAMPLE_SECOND ? "sampledso" : "sample";
}

static void insert(pmdaNameSpace *tree, pmID pmid, const char *root, const char *rest)
{
	char name[128];

	snprintf(name, sizeof(name), "%s.%s", root, rest);
	pmdaTreeInsert(tree, pmid, name);
}

/* From the last to the first: what is inserted later is listed earlier. */
static void insert_rows(pmdaNameSpace *tree, unsigned int domain, const char *root)
{
	for (unsigned int i = SAMPLE_NCLUSTERS; i-- > 0;)
		for (unsigned int j = sample_clusters[i]->nmetrics; j-- > 0;) {
			const struct agent_metric *row = &sample_clusters[i]->metrics[j];

			if (row->cluster == 0 && ghosts_hide(row->item))
				continue;
			insert(tree, pmID_build(domain, row->cluster, row->item), root, row->name);
		}
}

static void insert_second_names(pmdaNameSpace *tree, unsigned int domain, const char *root)
{
	for (size_t i = sizeof(second_names) / sizeof(second_names[0]); i-- > 0;)
		insert(tree, pmID_build(domain, 0, second_names[i].number), root,
		       second_names[i].name);
	insert(tree, pmID_build(PMCD, PMCD_CLUSTER, PMCD_ITEM), root,
	       "secret.foo.bar.max.redirect");
}

void names_insert(pmdaNameSpace *tree, pmdaExt *ext)
{
	const char *root = root_of(ext->e_domain);
	char name[TREE_NAME];

	for (int i = tree_size(); i-- > 0;) {
		tree_name(i, root, name);
		pmdaTreeInsert(tree, tree_pmid(ext->e_domain, i), name);
	}
	insert_second_names(tree, (unsigned int)ext->e_domain, root);
	insert_rows(tree, (unsigned int)ext->e_domain, root);
}

/* ---- of the agent, its cluster, some domains, metrics and instances ---- */

static void add_item_labels(pmID pmid, pmLabelSet **sets)
{
	const struct agent_metric *row = sample_find(pmid);
	int changed = row != NULL ? stored_is_changed(row) : -1;

	if (changed >= 0)
		pmdaAddLabels(sets, "{\"changed\":%s}", changed ? "true" : "false");
	if ((pmid & 0x3fffff) == RAPID_ITEM)
		pmdaAddLabels(sets, "{\"measure\":\"speed\",\"units\":\"metres per second\","
				    "\"unitsystem\":\"SI\"}");
}

static void add_indom_labels(pmInDom indom, pmLabelSet **sets)
{
	if (pmInDom_serial(indom) == COLOURS)
		pmdaAddLabels(sets, "{\"model\":\"RGB\"}");
	if (pmInDom_serial(indom) == FAMILY)
		pmdaAddLabels(sets, "{\"clan\":\"mcdonell\"}");
}

int labels_add(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	if (type == PM_LABEL_DOMAIN)
		pmdaAddLabels(sets, "{\"agent\":\"sample\",\"role\":\"testing\"}");
	if (type == PM_LABEL_CLUSTER && pmID_cluster((pmID)ident) == 0)
		pmdaAddLabels(sets, "{\"cluster\":\"zero\"}");
	if (type == PM_LABEL_INDOM)
		add_indom_labels((pmInDom)ident, sets);
	if (type == PM_LABEL_ITEM)
		add_item_labels((pmID)ident, sets);
	return 0;
}

int labels_of_instance(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	switch (indom == PM_INDOM_NULL ? 0 : pmInDom_serial(indom)) {
	case BINS:
	case SCRAMBLED:
		return pmdaAddLabels(set, "{\"bin\":%u}", inst);
	case MIRAGE:
		return pmdaAddLabels(set, "{\"transient\":%s}", inst == 0 ? "false" : "true");
	default:
		return 0;
	}
}
