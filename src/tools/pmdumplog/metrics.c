#include "tools/pmdumplog/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libbase/hash.h"
#include "libstore/archive_meta.h"

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

static void prepare(const struct metrics *m, struct metric *metric, pmID pmid)
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
		prepare(m, metric, pmid);
	}
	m->last = metric;
	return metric;
}
