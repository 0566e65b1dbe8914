/*
 * The labels of a metric are those of all levels, from the context to the metric; those of a column
 * also have those of the instance.
 */
#include "tools/pmrep/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Labels in the order in which they were found; a later value takes the place of an earlier one. */
struct label_list {
	struct {
		const char *name, *value; /* in the text of a set */
		size_t name_length, value_length;
	} list[PM_MAXLABELS];
	size_t n;
};

static void add_label(struct label_list *labels, const pmLabelSet *set, const pmLabel *label)
{
	const char *name = set->json + label->name, *value = set->json + label->value;
	size_t length = label->valuelen, i = 0;

	if (length >= 2 && value[0] == '"') { /* a string, without its quotes */
		value++;
		length -= 2;
	}
	while (i < labels->n && (labels->list[i].name_length != label->namelen ||
				 memcmp(labels->list[i].name, name, label->namelen) != 0))
		i++;
	if (i == PM_MAXLABELS)
		return;
	if (i == labels->n)
		labels->n++;
	labels->list[i].name = name;
	labels->list[i].name_length = label->namelen;
	labels->list[i].value = value;
	labels->list[i].value_length = length;
}

static void add_labels(struct label_list *labels, const pmLabelSet *set)
{
	for (int i = 0; i < set->nlabels; i++)
		add_label(labels, set, &set->labels[i]);
}

/* The text of the labels, in the form that scripts know: with single quotes. */
static char *labels_text(const struct label_list *labels)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		pmNoMem("labels", 1, PM_FATAL_ERR);
	putc('{', f);
	for (size_t i = 0; i < labels->n; i++)
		fprintf(f, "%s'%.*s':'%.*s'", i > 0 ? "," : "", (int)labels->list[i].name_length,
			labels->list[i].name, (int)labels->list[i].value_length,
			labels->list[i].value);
	putc('}', f);
	if (fclose(f) != 0)
		pmNoMem("labels", size, PM_FATAL_ERR);
	return text;
}

void label_find(struct metric *m)
{
	pmLabelSet *sets = NULL, *insts = NULL;
	struct label_list all = {0}, own;
	int n = pmLookupLabels(m->pmid, &sets), n_insts = 0;

	for (int i = 0; i < n; i++)
		add_labels(&all, &sets[i]);
	m->labels = labels_text(&all);
	if (m->desc.indom != PM_INDOM_NULL)
		n_insts = pmGetInstancesLabels(m->desc.indom, &insts);
	for (int c = 0; c < m->n_columns; c++) {
		own = all;
		for (int i = 0; i < n_insts; i++)
			if ((int)insts[i].inst == m->columns[c].inst)
				add_labels(&own, &insts[i]);
		m->columns[c].labels = labels_text(&own);
	}
	if (n_insts > 0)
		pmFreeLabelSets(insts, n_insts);
	if (n > 0)
		pmFreeLabelSets(sets, n);
}

const char *label_of(const struct metric *m, int inst)
{
	for (int i = 0; i < m->n_columns; i++)
		if (m->columns[i].inst == inst)
			return m->columns[i].labels;
	return m->labels;
}
