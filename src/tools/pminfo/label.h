/*
 * label - the labels of metrics, instances and instance domains.
 *
 * Labels come from a hierarchy of levels. Each level has an identifier (a domain, an instance
 * domain, a cluster, a metric). If two levels have the same label, the lower one wins.
 */
#ifndef PMINFO_LABEL_H
#define PMINFO_LABEL_H

#include <pcp/pmapi.h>

struct metric;
struct options;

/*
 * Prints the merged labels of a metric, of its instances, or of an instance domain, if it has any.
 */
void label_print_metric(const struct metric *m, const struct options *o);
void label_print_instances(const struct metric *m, const struct options *o);
void label_print_indom(pmInDom indom);

/* The levels whose labels are merged: a set of PM_LABEL_CONTEXT ... PM_LABEL_INSTANCES. */
#define LABEL_OF_INDOM  (PM_LABEL_CONTEXT | PM_LABEL_DOMAIN | PM_LABEL_INDOM)
#define LABEL_OF_METRIC (LABEL_OF_INDOM | PM_LABEL_CLUSTER | PM_LABEL_ITEM)

/*
 * Merges the labels of the levels in `levels` that apply to this metric, and those of one instance
 * if `instance` is not NULL, as JSON into buf of PM_MAXLABELJSONLEN bytes. filter: NULL, or as for
 * pmMergeLabelSets. Returns the length, 0 if there are none, or an error.
 */
int label_merge(pmID pmid, pmInDom indom, unsigned int levels, pmLabelSet *instance,
		int (*filter)(const pmLabel *, const char *, void *), char *buf);

/*
 * Calls print for each instance of the metric's domain, with the instance's own labels. If the
 * agent has no labels of any instance, the set is NULL.
 */
void label_each_instance(const struct metric *m,
			 void (*print)(const struct metric *m, int inst, pmLabelSet *set));

#endif
