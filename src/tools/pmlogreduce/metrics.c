#include "tools/pmlogreduce/metrics.h"

#include <stdio.h>
#include <stdlib.h>

#include "libstore/archive_meta.h"
#include "tools/pmlogreduce/source.h"

struct finding {
	struct metrics *metrics;
	const struct source *source;
	struct hash left_out;
	bool mean;
	int failed;
};

static bool failed(struct finding *f, const char *what, const char *name, int code)
{
	char text[PM_MAXERRMSGLEN];

	f->failed = code;
	fprintf(stderr, "%s: dometric: Error: cannot lookup %s for metric \"%s\": %s\n",
		pmGetProgname(), what, name, pmErrStr_r(code, text, sizeof(text)));
	return false;
}

static bool is_left_out(int type)
{
	return type == PM_TYPE_EVENT || type == PM_TYPE_HIGHRES_EVENT ||
	       type == PM_TYPE_AGGREGATE || type == PM_TYPE_AGGREGATE_STATIC;
}

static int widened(const pmDesc *desc)
{
	if (desc->sem == PM_SEM_COUNTER && desc->type == PM_TYPE_32)
		return PM_TYPE_64;
	if (desc->sem == PM_SEM_COUNTER && desc->type == PM_TYPE_U32)
		return PM_TYPE_U64;
	return desc->type;
}

bool metric_is_widened(const struct metric *metric)
{
	return metric->in.type != metric->out.type;
}

static void grow(struct metrics *m)
{
	m->room = m->room * 2 + 64;
	m->list = reallocarray(m->list, m->room, sizeof(struct metric *));
	m->pmids = reallocarray(m->pmids, m->room, sizeof(*m->pmids));
	if (m->list == NULL || m->pmids == NULL)
		pmNoMem("metrics", m->room * sizeof(struct metric *), PM_FATAL_ERR);
}

static void note(struct hash *h, pmID pmid, void *entry)
{
	if (entry == NULL || hash_add(h, hash_u64(pmid), entry) < 0)
		pmNoMem("metrics", sizeof(struct metric), PM_FATAL_ERR);
}

static struct metric *add(struct metrics *m, const pmDesc *desc)
{
	struct metric *metric = arena_alloc(&m->mem, sizeof(*metric));

	note(&m->by_pmid, desc->pmid, metric);
	*metric = (struct metric){.in = *desc, .out = *desc};
	metric->out.type = widened(desc);
	if (m->n == m->room)
		grow(m);
	m->list[m->n] = metric;
	m->pmids[m->n++] = desc->pmid;
	metric->last = &metric->first;
	return metric;
}

static bool has_mean(const pmDesc *desc)
{
	return desc->sem != PM_SEM_COUNTER && desc->type >= PM_TYPE_32 &&
	       desc->type <= PM_TYPE_DOUBLE;
}

static bool is_known(const struct finding *f, pmID pmid)
{
	return hash_find(&f->metrics->by_pmid, hash_u64(pmid), NULL, NULL) != NULL ||
	       hash_find(&f->left_out, hash_u64(pmid), NULL, NULL) != NULL;
}

/* The library adds metrics of its own, which are not in the archive. */
static bool is_described(const struct source *s, pmID pmid)
{
	for (size_t i = 0; i < s->n; i++)
		if (archive_meta_metric(s->parts[i].recording.meta, pmid) != NULL)
			return true;
	return false;
}

static void find_one(const char *name, void *arg)
{
	struct finding *f = arg;
	struct metrics *m = f->metrics;
	char type[32];
	pmDesc desc;
	pmID pmid;
	int sts = pmLookupName(1, &name, &pmid);

	if (sts < 0) {
		failed(f, "pmID", name, sts);
		return;
	}
	if (is_known(f, pmid) || !is_described(f->source, pmid))
		return;
	sts = pmLookupDesc(pmid, &desc);
	if (sts < 0) {
		failed(f, "pmDesc", name, sts);
	} else if (is_left_out(desc.type)) {
		fprintf(stderr, "%s: %s: Warning: skipping %s metric\n", pmGetProgname(), name,
			pmTypeStr_r(desc.type, type, sizeof(type)));
		note(&f->left_out, pmid, f);
	} else {
		add(m, &desc)->mean = f->mean && has_mean(&desc);
	}
}

bool metrics_find(struct metrics *m, const struct source *source, bool mean)
{
	struct finding f = {.metrics = m, .source = source, .mean = mean};
	char text[PM_MAXERRMSGLEN];
	int sts = pmUseContext(source->values);

	if (sts >= 0)
		sts = pmTraversePMNS_r("", find_one, &f);

	hash_done(&f.left_out);
	if (sts < 0)
		fprintf(stderr, "%s: Error traversing namespace ... %s\n", pmGetProgname(),
			pmErrStr_r(sts, text, sizeof(text)));
	return sts >= 0 && f.failed == 0;
}

void metrics_done(struct metrics *m)
{
	hash_done(&m->by_pmid);
	arena_done(&m->mem);
	free(m->list);
	free(m->pmids);
}

struct metric *metrics_get(const struct metrics *m, pmID pmid)
{
	return hash_find(&m->by_pmid, hash_u64(pmid), NULL, NULL);
}
