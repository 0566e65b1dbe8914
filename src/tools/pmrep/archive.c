/*
 * The samples become records of an archive, with the types, units and values of the source. A value
 * of a discrete metric is written when it is new or has changed.
 */
#include "tools/pmrep/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/import.h>

#define NS_PER_US 1000

/* Prints what is recorded, and for how long if that is known. */
static void print_header(const struct report *r)
{
	double interval = (double)r->interval.tv_sec + (double)r->interval.tv_nsec / 1e9;

	if (!r->settings.header)
		return;
	printf("Recording %zu metrics to %s", r->metrics.n, r->file);
	if (r->samples > 0)
		printf(":\n%d samples(s) with %.1f sec interval ~ %d sec duration.\n", r->samples,
		       interval, (int)((r->samples - 1) * interval));
	else
		puts(r->archive ? "..." : "... (Ctrl-C to stop)");
	fflush(stdout); /* before a long recording */
}

static void archive_failed(struct report *r, int sts)
{
	char text[PMI_MAXERRMSGLEN];

	fflush(stdout);
	fprintf(stderr, "%s: cannot write archive %s: %s\n", pmGetProgname(), r->file,
		pmiErrStr_r(sts, text, sizeof(text)));
	r->failed = true;
}

static void begin(struct report *r)
{
	char *zone = NULL;
	int sts;

	if (r->settings.extheader)
		header_print_extended(r, "");
	print_header(r);
	if (r->check)
		return;
	sts = pmiStart(r->file, 0);
	if (sts >= 0)
		sts = pmiSetHostname(r->host);
	if (sts >= 0 && (r->pm.tzflag || r->pm.timezone != NULL) && pmWhichZone(&zone) >= 0)
		sts = pmiSetTimezone(zone);
	if (sts < 0)
		archive_failed(r, sts);
}

/* A value in a form that the import library reads as the same value. The caller frees it. */
static char *exact_text(const struct metric *m, const pmAtomValue *atom)
{
	char *text = NULL;
	int n = -1;

	switch (m->type) {
	case PM_TYPE_32:
		n = asprintf(&text, "%d", atom->l);
		break;
	case PM_TYPE_U32:
		n = asprintf(&text, "%u", atom->ul);
		break;
	case PM_TYPE_64:
		n = asprintf(&text, "%lld", (long long)atom->ll);
		break;
	case PM_TYPE_U64:
		n = asprintf(&text, "%llu", (unsigned long long)atom->ull);
		break;
	case PM_TYPE_DOUBLE:
		n = asprintf(&text, "%.17g", atom->d);
		break;
	default:
		n = asprintf(&text, "%s", atom->cp != NULL ? atom->cp : "");
		break;
	}
	if (n < 0)
		pmNoMem("value", 1, PM_FATAL_ERR);
	return text;
}

/* The last value that was written of an instance of a discrete metric. */
static struct written *find_written(struct report *r, const struct metric *m, int inst)
{
	struct written *list;

	for (size_t i = 0; i < r->n_written; i++)
		if (r->written[i].metric == m && r->written[i].inst == inst)
			return &r->written[i];
	list = realloc(r->written, (r->n_written + 1) * sizeof(list[0]));
	if (list == NULL)
		pmNoMem("discrete values", sizeof(list[0]), PM_FATAL_ERR);
	r->written = list;
	list[r->n_written] = (struct written){m, inst, NULL};
	return &list[r->n_written++];
}

/* True if the metric is discrete and has this value already; otherwise notes the value. */
static bool is_unchanged(struct report *r, const struct metric *m, int inst, const char *text)
{
	struct written *last;

	if (m->desc.sem != PM_SEM_DISCRETE)
		return false;
	last = find_written(r, m, inst);
	if (last->text != NULL && strcmp(last->text, text) == 0)
		return true;
	free(last->text);
	last->text = strdup(text);
	if (last->text == NULL)
		pmNoMem("discrete value", strlen(text), PM_FATAL_ERR);
	return false;
}

/* Adds a help text of the metric or its domain, unless it has none or the archive has it. */
static void put_text(const struct metric *m, unsigned int type, unsigned int class)
{
	char *text = NULL;
	int sts = type == PM_TEXT_PMID ? pmLookupText(m->pmid, (int)class, &text)
				       : pmLookupInDomText(m->desc.indom, (int)class, &text);

	if (sts >= 0)
		pmiPutText(type, class, type == PM_TEXT_PMID ? m->pmid : m->desc.indom, text);
	free(text);
}

static void put_texts(const struct metric *m)
{
	put_text(m, PM_TEXT_PMID, PM_TEXT_ONELINE);
	put_text(m, PM_TEXT_PMID, PM_TEXT_HELP);
	if (m->desc.indom == PM_INDOM_NULL)
		return;
	put_text(m, PM_TEXT_INDOM, PM_TEXT_ONELINE);
	put_text(m, PM_TEXT_INDOM, PM_TEXT_HELP);
}

/* Adds a metric or an instance that the archive does not have yet. */
static int declare(const struct report *r, const struct metric *m, const struct value *v)
{
	int sts =
	    pmiAddMetric(m->name, m->pmid, m->desc.type, m->desc.indom, m->desc.sem, m->desc.units);

	if (sts < 0 && sts != PMI_ERR_DUPMETRICNAME)
		return sts;
	if (sts >= 0 && r->settings.include_texts)
		put_texts(m);
	if (m->desc.indom == PM_INDOM_NULL)
		return 0;
	sts = pmiAddInstance(m->desc.indom, v->name, v->inst);
	return sts == PMI_ERR_DUPINSTNAME || sts == PMI_ERR_DUPINSTID ? 0 : sts;
}

static int put_value(struct report *r, const struct metric *m, const struct value *v)
{
	char *text = exact_text(m, &v->atom);
	int sts = 0;

	if (!is_unchanged(r, m, v->inst, text)) {
		sts = declare(r, m, v);
		if (sts >= 0)
			sts = pmiPutValue(m->name, v->name, text);
	}
	free(text);
	return sts;
}

static void sample(struct report *r)
{
	const struct timespec *stamp = &r->metrics.stamp;
	int sts = 0;

	for (size_t i = 0; i < r->metrics.n && sts >= 0; i++) {
		const struct metric *m = &r->metrics.list[i];

		for (int v = 0; v < m->n_values && sts >= 0; v++)
			sts = put_value(r, m, &m->values[v]);
	}
	if (sts >= 0)
		sts = pmiWrite2(stamp->tv_sec, (int)(stamp->tv_nsec / NS_PER_US));
	if (sts < 0 && sts != PMI_ERR_NODATA)
		archive_failed(r, sts);
}

static void end(struct report *r)
{
	int sts = pmiEnd();

	if (sts < 0 && !r->failed)
		archive_failed(r, sts);
	for (size_t i = 0; i < r->n_written; i++)
		free(r->written[i].text);
	free(r->written);
}

const struct output archive_output = {"archive", begin, sample, end};
