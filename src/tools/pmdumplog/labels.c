#include "tools/pmdumplog/labels.h"

#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "tools/archive/meta_walk.h"
#include "tools/archive/stamp.h"
#include "tools/pmdumplog/dump.h"
#include "tools/pmdumplog/when.h"

/* The place of a label record, and its sort keys. */
struct place {
	struct timespec stamp;
	int rank; /* the identifier in its level */
	uint32_t ident;
	uint64_t offset;
};

struct places {
	struct place *list; /* owned */
	size_t n, room;
};

static int rank_of(int type)
{
	static const int order[] = {PM_LABEL_CONTEXT, PM_LABEL_DOMAIN, PM_LABEL_CLUSTER,
				    PM_LABEL_ITEM,    PM_LABEL_INDOM,  PM_LABEL_INSTANCES};
	int n = (int)(sizeof(order) / sizeof(order[0]));

	for (int i = 0; i < n; i++)
		if (order[i] == type)
			return i;
	return n;
}

static void add(struct places *p, const struct meta_label *label, uint64_t offset)
{
	if (p->n == p->room) {
		p->room = p->room * 2 + 64;
		p->list = reallocarray(p->list, p->room, sizeof(p->list[0]));
		if (p->list == NULL)
			pmNoMem("labels", p->room * sizeof(p->list[0]), PM_FATAL_ERR);
	}
	p->list[p->n++] = (struct place){label->stamp, rank_of(label->type), label->ident, offset};
}

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = stamp_compare(&x->stamp, &y->stamp);

	if (order == 0)
		order = x->rank - y->rank;
	if (order == 0)
		order = (x->ident > y->ident) - (x->ident < y->ident);
	return order != 0 ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static void print_record(const struct meta_label *label)
{
	for (uint32_t i = 0; i < label->numset; i++) {
		const struct wire_labelset *set = &label->sets[i];
		pmLabelSet host = {.inst = (unsigned int)set->inst,
				   .nlabels = set->nlabels > 0 ? set->nlabels : 0,
				   .json = (char *)set->json.s,
				   .jsonlen = set->json.len,
				   .labels = (pmLabel *)set->labels};

		pmPrintLabelSets(stdout, (int)label->ident, label->type, &host, 1);
	}
}

static int print_all(const struct dump *d, struct meta_walk *w, const struct places *p)
{
	const struct timespec *last = NULL;
	union meta_body body;
	enum meta_type type;
	int sts;

	for (size_t i = 0; i < p->n; i++) {
		if (last == NULL || stamp_compare(last, &p->list[i].stamp) != 0) {
			last = &p->list[i].stamp;
			when_print(d, last);
			putchar('\n');
		}
		sts = meta_walk_at(w, p->list[i].offset, &type, &body);
		if (sts < 0)
			return sts;
		print_record(&body.label);
	}
	return 0;
}

int labels_print(const struct dump *d)
{
	struct places places = {0};
	union meta_body body;
	struct meta_walk w;
	enum meta_type type;
	int sts;

	puts("\nMetric Labels in the Log ...");
	meta_walk_begin(&w, archive_meta_member(d->recording.archive),
			d->recording.label->version);
	while ((sts = meta_walk_next(&w, 1u << META_LABEL | 1u << META_LABEL_V2, &type, &body)) > 0)
		add(&places, &body.label, w.at);
	if (places.n > 0)
		qsort(places.list, places.n, sizeof(places.list[0]), by_time);
	if (sts == 0)
		sts = print_all(d, &w, &places);
	meta_walk_end(&w);
	free(places.list);
	return sts;
}
