/*
 * names - the rows of all groups, the names of the agent (those of the rows, second names of some,
 * the tree of names), and its labels.
 */
#include <stdio.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "sample.h"

const struct sample_group *const sample_groups[] = {
    &constants_group, &stored_group,    &bins_group,   &series_group, &steps_group,
    &domains_group,   &processes_group, &ghosts_group, &events_group, &errors_group,
    &returns_group,   &traffic_group,   &meta_group,   &tree_group,
};
const size_t sample_ngroups = sizeof(sample_groups) / sizeof(sample_groups[0]);

const struct sample_metric *sample_find(unsigned int number)
{
	for (size_t i = 0; i < sample_ngroups; i++)
		for (size_t j = 0; j < sample_groups[i]->nrows; j++)
			if (sample_groups[i]->rows[j].number == number)
				return &sample_groups[i]->rows[j];
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

static pmdaNameSpace *tree;

/* A collector may have the agent twice: in a process, and in its own under the other number. */
static const char *root_of(int domain)
{
	return domain == SAMPLE_SECOND ? "sampledso" : "sample";
}

/* From the last to the first: what is inserted later is listed earlier. */
static int insert_rows(int domain)
{
	char name[128];
	int n = 0;

	for (size_t i = sample_ngroups; i-- > 0;)
		for (size_t j = sample_groups[i]->nrows; j-- > 0;) {
			const struct sample_metric *row = &sample_groups[i]->rows[j];

			if (ghosts_hide(row->number))
				continue;
			snprintf(name, sizeof(name), "%s.%s", root_of(domain), row->name);
			pmdaTreeInsert(tree,
				       pmID_build((unsigned int)domain, row->number >> 10,
						  row->number & 0x3ff),
				       name);
			n++;
		}
	return n;
}

static int insert_second_names(int domain)
{
	const size_t n = sizeof(second_names) / sizeof(second_names[0]);
	char name[128];

	for (size_t i = n; i-- > 0;) {
		snprintf(name, sizeof(name), "%s.%s", root_of(domain), second_names[i].name);
		pmdaTreeInsert(tree, pmID_build((unsigned int)domain, 0, second_names[i].number),
			       name);
	}
	snprintf(name, sizeof(name), "%s.secret.foo.bar.max.redirect", root_of(domain));
	pmdaTreeInsert(tree, pmID_build(PMCD, PMCD_CLUSTER, PMCD_ITEM), name);
	return (int)n + 1;
}

static int insert_tree(int domain)
{
	char name[TREE_NAME];

	for (int i = tree_size(); i-- > 0;) {
		tree_name(i, root_of(domain), name);
		pmdaTreeInsert(tree, tree_pmid(domain, i), name);
	}
	return tree_size();
}

pmdaNameSpace *names_tree(int domain)
{
	int n;

	if (!sample_names_renew() && tree != NULL)
		return tree;
	pmdaTreeRelease(tree);
	tree = NULL;
	if (pmdaTreeCreate(&tree) < 0)
		return NULL;
	n = insert_tree(domain) + insert_second_names(domain) + insert_rows(domain);
	pmdaTreeRebuildHash(tree, n);
	return tree;
}

/* ---- of the agent, its cluster, some domains, metrics and instances ---- */

static void add_item_labels(pmID pmid, pmLabelSet **sets)
{
	const struct sample_metric *row = sample_find(pmid & 0x3fffff);
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

int labels_get(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	if (type == PM_LABEL_DOMAIN)
		pmdaAddLabels(sets, "{\"agent\":\"sample\",\"role\":\"testing\"}");
	if (type == PM_LABEL_CLUSTER && pmID_cluster((pmID)ident) == 0)
		pmdaAddLabels(sets, "{\"cluster\":\"zero\"}");
	if (type == PM_LABEL_INDOM)
		add_indom_labels((pmInDom)ident, sets);
	if (type == PM_LABEL_ITEM)
		add_item_labels((pmID)ident, sets);
	return pmdaLabel(ident, type, sets, ext);
}

int labels_of_instance(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	switch (indom == PM_INDOM_NULL ? ONE_VALUE : pmInDom_serial(indom)) {
	case BINS:
	case SCRAMBLED:
		return pmdaAddLabels(set, "{\"bin\":%u}", inst);
	case MIRAGE:
		return pmdaAddLabels(set, "{\"transient\":%s}", inst == 0 ? "false" : "true");
	default:
		return 0;
	}
}
