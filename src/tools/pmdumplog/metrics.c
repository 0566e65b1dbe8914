/*
 * metrics - metrics as the sections print them, the chosen ones, and section -d.
 */
#include "tools/pmdumplog/pmdumplog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/hash.h"
#include "libstore/archive_meta.h"
#include "tools/archive/names.h"

/*
 * Metrics
 */

struct metrics {
	const struct archive_meta *meta;
	bool use_namespace;
	struct hash by_pmid;
	struct metric *last; /* the metric that was found last */
};

struct metrics *metrics_new(const struct archive_meta *meta, bool use_namespace)
{
	struct metrics *m = calloc(1, sizeof(*m));

	if (m == NULL)
		pmNoMem("metrics", sizeof(*m), PM_FATAL_ERR);
	m->meta = meta;
	m->use_namespace = use_namespace;
	return m;
}

void metrics_free(struct metrics *m)
{
	struct metric *metric;
	size_t pos = 0;

	if (m == NULL)
		return;
	while ((metric = hash_next(&m->by_pmid, &pos)) != NULL) {
		free(metric->text);
		free(metric);
	}
	hash_done(&m->by_pmid);
	free(m);
}

static int add_names(struct buffer *text, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		buffer_printf(text, "%s%s", i > 0 ? " or " : "", names[i]);
	return n;
}

static void put_names(const struct metrics *m, struct buffer *text, pmID pmid,
		      const struct archive_metric *known)
{
	char **names;
	int n = 0;

	if (m->use_namespace && (n = pmNameAll(pmid, &names)) > 0) {
		add_names(text, (const char *const *)names, n);
		free(names);
	} else if (!m->use_namespace && known != NULL) {
		n = add_names(text, known->names, (int)known->nnames);
	}
	if (n <= 0)
		buffer_printf(text, known != NULL ? "<noname>" : "<nonames>");
}

static void metrics_prepare(const struct metrics *m, struct metric *metric, pmID pmid)
{
	const struct archive_metric *known = archive_meta_metric(m->meta, pmid);
	struct buffer text = BUFFER_INIT;
	char id[32];

	metric->pmid = pmid;
	metric->sts = known != NULL ? 0 : PM_ERR_PMID_LOG;
	metric->desc = (pmDesc){
	    .pmid = pmid, .type = PM_TYPE_UNKNOWN, .indom = PM_INDOM_NULL, .sem = PM_SEM_INSTANT};
	if (known != NULL)
		metric->desc = known->desc;
	buffer_printf(&text, "%s (", pmIDStr_r(pmid, id, sizeof(id)));
	metric->names_at = text.len;
	put_names(m, &text, pmid, known);
	buffer_printf(&text, ")");
	buffer_str(&text);
	if (text.err != 0)
		pmNoMem("metric", text.len, PM_FATAL_ERR);
	metric->text = (char *)text.data;
	metric->text_len = text.len;
}

static bool has_pmid(const void *entry, const void *key)
{
	return ((const struct metric *)entry)->pmid == *(const pmID *)key;
}

const struct metric *metrics_get(struct metrics *m, pmID pmid)
{
	uint64_t hash = hash_u64(pmid);
	struct metric *metric;

	if (m->last != NULL && m->last->pmid == pmid)
		return m->last;
	metric = hash_find(&m->by_pmid, hash, has_pmid, &pmid);
	if (metric == NULL) {
		metric = calloc(1, sizeof(*metric));
		if (metric == NULL || hash_add(&m->by_pmid, hash, metric) < 0)
			pmNoMem("metric", sizeof(*metric), PM_FATAL_ERR);
		metrics_prepare(m, metric, pmid);
	}
	m->last = metric;
	return metric;
}

/*
 * Chosen metrics
 */

/* Adds a metric once, even if it has several names. */
static void metrics_add(const char *name, pmID pmid, void *arg)
{
	struct chosen *c = arg;
	uint64_t hash = hash_u64(pmid);

	(void)name;
	if (hash_find(&c->seen, hash, NULL, NULL) != NULL)
		return;
	if (hash_add(&c->seen, hash, c) < 0)
		pmNoMem("metrics", sizeof(pmid), PM_FATAL_ERR);
	if (c->n == c->room) {
		c->room = c->room * 2 + 16;
		c->pmids = reallocarray(c->pmids, c->room, sizeof(c->pmids[0]));
		if (c->pmids == NULL)
			pmNoMem("metrics", c->room * sizeof(c->pmids[0]), PM_FATAL_ERR);
	}
	c->pmids[c->n++] = pmid;
}

static void add_name(const char *name, void *arg)
{
	pmID pmid;

	if (pmLookupName(1, &name, &pmid) > 0)
		metrics_add(name, pmid, arg);
}

bool chosen_find(const struct archive_meta *meta, bool use_namespace, char **names, int n,
		 struct chosen *ret_chosen)
{
	struct chosen c = {.all = n == 0};
	struct name_tree *tree = n > 0 && !use_namespace ? name_tree_new(meta) : NULL;
	char text[PM_MAXERRMSGLEN];

	for (int i = 0; i < n; i++) {
		int sts = tree != NULL ? name_tree_walk(tree, names[i], metrics_add, &c)
				       : pmTraversePMNS_r(names[i], add_name, &c);

		if (sts < 0)
			fprintf(stderr, "%s: pmLookupName(%s): %s\n", pmGetProgname(), names[i],
				pmErrStr_r(sts, text, sizeof(text)));
	}
	name_tree_free(tree);
	*ret_chosen = c;
	if (c.all || c.n > 0)
		return true;
	fprintf(stderr, "No metric names can be translated, dump abandoned\n");
	return false;
}

void chosen_done(struct chosen *c)
{
	free(c->pmids);
	hash_done(&c->seen);
	*c = (struct chosen){0};
}

/*
 * Section -d
 */

static int by_pmid(const void *a, const void *b)
{
	pmID x = (*(const struct archive_metric *const *)a)->desc.pmid;
	pmID y = (*(const struct archive_metric *const *)b)->desc.pmid;

	return (x > y) - (x < y);
}

void descs_print(const struct dump *d)
{
	size_t n;
	const struct archive_metric *const *list = archive_meta_metrics(d->recording.meta, &n);
	AUTO_FREE const struct archive_metric **sorted = calloc(n + 1, sizeof(sorted[0]));

	if (sorted == NULL)
		pmNoMem("descriptions", n * sizeof(sorted[0]), PM_FATAL_ERR);
	if (n > 0)
		memcpy(sorted, list, n * sizeof(sorted[0]));
	qsort(sorted, n, sizeof(sorted[0]), by_pmid);
	puts("\nDescriptions for Metrics in the Log ...");
	for (size_t i = 0; i < n; i++) {
		printf("PMID: %s\n", metrics_get(d->metrics, sorted[i]->desc.pmid)->text);
		pmPrintDesc(stdout, &sorted[i]->desc);
	}
}
