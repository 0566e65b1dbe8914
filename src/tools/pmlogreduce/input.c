/*
 * input - the archives that are read, and the metrics that are copied.
 */
#include "tools/pmlogreduce/pmlogreduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/result_view.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "tools/archive/metadata.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"

/*
 * Source
 */

static bool report_unopened(const char *name, const char *which, int code)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr, "%s: Error: cannot open archive \"%s\" (%s): %s\n", pmGetProgname(), name,
		which, pmErrStr_r(code, text, sizeof(text)));
	return false;
}

static bool open_part(struct input_part *part, const char *name)
{
	int sts;

	part->name = strdup(name);
	if (part->name == NULL)
		pmNoMem("input", strlen(name), PM_FATAL_ERR);
	sts = recording_open(name, 0, &part->recording);
	if (sts >= 0)
		sts = metadata_new(&part->recording, &part->metadata);
	return sts >= 0 ? true : report_unopened(name, "metadata", sts);
}

static int by_start(const void *a, const void *b)
{
	const struct input_part *x = a, *y = b;

	return stamp_compare(&x->recording.label->start, &y->recording.label->start);
}

static bool open_parts(struct input *s)
{
	struct bases bases;
	int sts = bases_find(s->name, &bases);
	bool ok = sts >= 0 ? true : report_unopened(s->name, "metadata", sts);

	s->parts = calloc(bases.n + 1, sizeof(*s->parts));
	if (s->parts == NULL)
		pmNoMem("input", sizeof(*s->parts), PM_FATAL_ERR);
	while (ok && s->n < bases.n) {
		ok = open_part(&s->parts[s->n], bases.names[s->n]);
		s->n++;
	}
	bases_done(&bases);
	if (ok)
		qsort(s->parts, s->n, sizeof(*s->parts), by_start);
	return ok;
}

static void unite(struct input *s)
{
	s->label = *s->parts[0].recording.label;
	s->end = s->parts[0].recording.end;
	for (size_t i = 1; i < s->n; i++) {
		const struct recording *r = &s->parts[i].recording;

		if (r->label->version > s->label.version)
			s->label.version = r->label->version;
		if (stamp_compare(&r->end, &s->end) > 0)
			s->end = r->end;
	}
}

bool input_open(struct input *s, const char *name)
{
	*s = (struct input){.name = name, .records = -1};
	s->values = pmNewContext(PM_CONTEXT_ARCHIVE, name);
	if (s->values < 0)
		return report_unopened(name, "ctx_a", s->values);
	s->records = pmNewContext(PM_CONTEXT_ARCHIVE, name);
	if (s->records < 0)
		return report_unopened(name, "ctx_b", s->records);
	if (!open_parts(s))
		return false;
	unite(s);
	for (size_t i = 0; i < s->n; i++)
		recording_warn(&s->parts[i].recording, s->parts[i].name);
	return true;
}

void input_close(struct input *s)
{
	for (size_t i = 0; i < s->n; i++) {
		metadata_free(s->parts[i].metadata);
		recording_close(&s->parts[i].recording);
		free(s->parts[i].name);
	}
	free(s->parts);
	if (s->records >= 0)
		pmDestroyContext(s->records);
	if (s->values >= 0)
		pmDestroyContext(s->values);
}

void input_report_damage(const struct input *s)
{
	struct result_view view;

	for (size_t i = 0; i < s->n; i++) {
		struct archive *a = s->parts[i].recording.archive;
		int sts;

		archive_rewind(a);
		do {
			sts = archive_next(a, &view);
			if (sts > 0 && result_view_check(&view) < 0)
				sts = PM_ERR_LOGREC;
		} while (sts > 0);
		if (sts < 0)
			damage_report(a, s->parts[i].name, sts,
				      "What follows it is not processed.");
	}
}

/*
 * Metrics
 */

struct finding {
	struct metrics *metrics;
	const struct input *input;
	struct hash left_out;
	bool mean;
	int failed;
};

static bool input_failed(struct finding *f, const char *what, const char *name, int code)
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

static void input_grow(struct metrics *m)
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

static struct metric *input_add(struct metrics *m, const pmDesc *desc)
{
	struct metric *metric = arena_alloc(&m->mem, sizeof(*metric));

	note(&m->by_pmid, desc->pmid, metric);
	*metric = (struct metric){.in = *desc, .out = *desc};
	metric->out.type = widened(desc);
	if (m->n == m->room)
		input_grow(m);
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
static bool is_described(const struct input *s, pmID pmid)
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
		input_failed(f, "pmID", name, sts);
		return;
	}
	if (is_known(f, pmid) || !is_described(f->input, pmid))
		return;
	sts = pmLookupDesc(pmid, &desc);
	if (sts < 0) {
		input_failed(f, "pmDesc", name, sts);
	} else if (is_left_out(desc.type)) {
		fprintf(stderr, "%s: %s: Warning: skipping %s metric\n", pmGetProgname(), name,
			pmTypeStr_r(desc.type, type, sizeof(type)));
		note(&f->left_out, pmid, f);
	} else {
		input_add(m, &desc)->mean = f->mean && has_mean(&desc);
	}
}

bool metrics_find(struct metrics *m, const struct input *input, bool mean)
{
	struct finding f = {.metrics = m, .input = input, .mean = mean};
	char text[PM_MAXERRMSGLEN];
	int sts = pmUseContext(input->values);

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
