/*
 * report - requests the data of metrics, and prints it in a fixed order.
 */
#include "tools/pminfo/pminfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/names.h"

/*
 * The report of a metric is a list of steps (docs/spec/tools.md 2). A step is taken if one of the
 * options in its row is given. The order is that of the rows, not of the options.
 */

#define ALWAYS   (~0u)
#define NO_BLANK (SHOW_PMID | SHOW_FULL_PMID | SHOW_ONELINE | SHOW_SERIES)

static void print_blank(const struct metric *m, const struct options *o)
{
	(void)m;
	(void)o;
	putchar('\n');
}

static void report_print_name(const struct metric *m, const struct options *o)
{
	(void)o;
	fputs(m->name, stdout);
}

static void print_pmid(const struct metric *m, const struct options *o)
{
	char buf[32];

	(void)o;
	printf(" PMID: %s", pmIDStr_r(m->pmid, buf, sizeof(buf)));
}

static void print_full_pmid(const struct metric *m, const struct options *o)
{
	(void)o;
	printf(" = %u = 0x%x", m->pmid, m->pmid);
}

/* In verbose format a text after an identifier gets a line of its own; an error does not. */
static void print_oneline(int sts, const char *text, bool own_line)
{
	if (sts >= 0)
		printf("%s [%s]", own_line ? "\n   " : "", text);
	else
		printf(" One-line Help: Error: %s", pmErrStr(sts));
}

static void print_metric_oneline(const struct metric *m, const struct options *o)
{
	char *text = NULL;
	int sts = pmLookupText(m->pmid, PM_TEXT_ONELINE, &text);

	print_oneline(sts, text, (o->show & SHOW_FULL_PMID) != 0);
	if (sts >= 0)
		free(text);
}

static void report_print_indom(pmInDom indom, const struct options *o)
{
	char buf[32];

	printf("InDom: %s", pmInDomStr_r(indom, buf, sizeof(buf)));
	if ((o->show & SHOW_FULL_INDOM) != 0)
		printf(" = %u =", indom);
	printf(" 0x%x", indom);
}

static const char *type_text(int type)
{
	static const char *const texts[] = {
	    [PM_TYPE_32] = "32-bit int",
	    [PM_TYPE_U32] = "32-bit unsigned int",
	    [PM_TYPE_64] = "64-bit int",
	    [PM_TYPE_U64] = "64-bit unsigned int",
	    [PM_TYPE_FLOAT] = "float",
	    [PM_TYPE_DOUBLE] = "double",
	    [PM_TYPE_STRING] = "string",
	    [PM_TYPE_AGGREGATE] = "aggregate",
	    [PM_TYPE_AGGREGATE_STATIC] = "static aggregate",
	    [PM_TYPE_EVENT] = "event record array",
	    [PM_TYPE_HIGHRES_EVENT] = "highres event record array",
	};

	if (type == PM_TYPE_NOSUPPORT)
		return "Not Supported";
	if (type < 0 || (size_t)type >= sizeof(texts) / sizeof(texts[0]))
		return NULL;
	return texts[type];
}

static void print_desc(const struct metric *m, const struct options *o)
{
	const char *type = type_text(m->desc.type);
	char sem[32], units[64];

	fputs("    Data Type: ", stdout);
	if (type != NULL)
		fputs(type, stdout);
	else
		printf("??? (%d)", m->desc.type);
	fputs("  ", stdout);
	report_print_indom(m->desc.indom, o);
	pmSemStr_r(m->desc.sem, sem, sizeof(sem));
	printf("\n    Semantics: %s", sem);
	if (strcmp(sem, "???") == 0)
		printf(" (%d)", m->desc.sem);
	pmUnitsStr_r(&m->desc.units, units, sizeof(units));
	printf("  Units: %s\n", units[0] != '\0' ? units : "none");
}

static void print_help(int sts, const char *text)
{
	size_t len = sts >= 0 ? strlen(text) : 0;

	while (len > 0 && text[len - 1] == '\n')
		len--;
	if (sts < 0)
		printf("Full Help: Error: %s\n", pmErrStr(sts));
	else if (len == 0)
		puts("Help: <empty entry>");
	else
		printf("Help:\n%.*s\n", (int)len, text);
}

static void print_metric_help(const struct metric *m, const struct options *o)
{
	char *text = NULL;
	int sts = pmLookupText(m->pmid, PM_TEXT_HELP, &text);

	(void)o;
	print_help(sts, text);
	if (sts >= 0)
		free(text);
}

/* -v: prints only errors. */
static void print_failure(const struct metric *m, const struct options *o)
{
	(void)o;
	if (m->desc.type == PM_TYPE_NOSUPPORT)
		printf("%s: Not Supported\n", m->name);
	else if (m->values->numval < 0)
		printf("%s: %s\n", m->name, pmErrStr(m->values->numval));
	else if (m->values->numval == 0)
		printf("%s: No value(s) available\n", m->name);
}

/* clang-format off */
static const struct step {
	unsigned int when; /* the options that ask for the step */
	void (*print)(const struct metric *m, const struct options *o);
} steps[] = {
	{ ~(unsigned int)NO_BLANK,   print_blank },
	{ ALWAYS,                    report_print_name },
	{ SHOW_PMID,                 print_pmid },
	{ SHOW_FULL_PMID,            print_full_pmid },
	{ SHOW_ONELINE,              print_metric_oneline },
	{ ALWAYS,                    print_blank },
	{ SHOW_DESC,                 print_desc },
	{ SHOW_SERIES,               series_print_metric },
	{ SHOW_LABELS,               label_print_metric },
	{ SHOW_HELP,                 print_metric_help },
	{ SHOW_VALUES,               value_print },
	{ SHOW_SERIES,               series_print_instances },
	{ SHOW_LABELS,               label_print_instances },
};
/* clang-format on */

static void report_metric(const struct metric *m, const struct options *o)
{
	if ((o->show & SHOW_FAILURES) != 0) {
		print_failure(m, o);
		return;
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i].when == ALWAYS || (steps[i].when & o->show) != 0)
			steps[i].print(m, o);
}

static void print_indom_oneline(pmInDom indom, const struct options *o)
{
	char *text = NULL;
	int sts = pmLookupInDomText(indom, PM_TEXT_ONELINE, &text);

	print_oneline(sts, text, (o->show & SHOW_FULL_INDOM) != 0);
	if (sts >= 0)
		free(text);
}

static void print_indom_help(pmInDom indom)
{
	char *text = NULL;
	int sts = pmLookupInDomText(indom, PM_TEXT_HELP, &text);

	print_help(sts, text);
	if (sts >= 0)
		free(text);
}

void report_indom(pmInDom indom, const struct options *o)
{
	putchar('\n');
	report_print_indom(indom, o);
	if ((o->show & SHOW_ONELINE) != 0)
		print_indom_oneline(indom, o);
	putchar('\n');
	if ((o->show & SHOW_LABELS) != 0)
		label_print_indom(indom);
	if ((o->show & SHOW_HELP) != 0)
		print_indom_help(indom);
}

/*
 * One request for all identifiers, one for all descriptions, one for all values.
 */

/* The first step that failed for a metric. */
struct failure {
	int sts;          /* 0: none */
	const char *step; /* name of the function that failed */
};

struct batch {
	int n;
	const char **names;
	pmID *pmids;
	pmDesc *descs;
	int *desc_stss;
	struct failure *failures;
	pmResult *result; /* NULL if no values are wanted or the fetch failed */
};

#define NEEDS_DESC (~(unsigned int)(SHOW_PMID | SHOW_FULL_PMID | SHOW_ONELINE | SHOW_HELP))

static void fail(struct batch *b, int i, int sts, const char *step)
{
	if (b->failures[i].sts == 0)
		b->failures[i] = (struct failure){sts, step};
}

/*
 * If other names are known, an unknown name keeps PM_ID_NULL and the next step returns the error.
 */
static void look_up_names(struct batch *b)
{
	int sts = pmLookupName(b->n, b->names, b->pmids);

	for (int i = 0; i < b->n && sts < 0; i++) {
		int alone = b->n > 1 ? pmLookupName(1, &b->names[i], &b->pmids[i]) : sts;

		if (alone < 0)
			fail(b, i, alone, "pmLookupName");
	}
}

static void look_up_descs(struct batch *b)
{
	descs_get(b->n, b->pmids, b->descs, b->desc_stss);
	for (int i = 0; i < b->n; i++)
		if (b->desc_stss[i] < 0)
			fail(b, i, b->desc_stss[i], "pmLookupDesc");
}

/* Each metric of an archive is searched from the origin on. */
static int rewind_archive(const struct options *o)
{
	if (o->pm.context != PM_CONTEXT_ARCHIVE)
		return 0;
	return pmSetMode(PM_MODE_FORW, &o->pm.origin, 0);
}

static void report_fetch(struct batch *b, const struct options *o)
{
	const char *step = "pmSetMode failed";
	int sts = rewind_archive(o);

	if (sts >= 0) {
		step = "pmFetch";
		sts = pmFetch(b->n, b->pmids, &b->result);
	}
	if (sts >= 0)
		return;
	b->result = NULL;
	for (int i = 0; i < b->n; i++)
		fail(b, i, sts, step);
}

static void report_report(const struct batch *b, const struct options *o)
{
	for (int i = 0; i < b->n; i++) {
		struct metric m = {
		    .name = b->names[i],
		    .pmid = b->pmids[i],
		    .desc = b->descs[i],
		    .values = b->result != NULL ? b->result->vset[i] : NULL,
		};

		if (o->document != NULL)
			document_metric(&m, b->failures[i].sts, o);
		else if (b->failures[i].sts < 0)
			printf("%s: %s: %s\n", m.name, b->failures[i].step,
			       pmErrStr(b->failures[i].sts));
		else
			report_metric(&m, o);
	}
}

static int batch_alloc(struct batch *b, int n)
{
	memset(b, 0, sizeof(*b));
	b->n = n;
	b->names = calloc(n, sizeof(b->names[0]));
	b->pmids = calloc(n, sizeof(b->pmids[0]));
	b->descs = calloc(n, sizeof(b->descs[0]));
	b->desc_stss = calloc(n, sizeof(b->desc_stss[0]));
	b->failures = calloc(n, sizeof(b->failures[0]));
	if (b->names == NULL || b->pmids == NULL || b->descs == NULL || b->desc_stss == NULL ||
	    b->failures == NULL)
		return -ENOMEM;
	return 0;
}

static void batch_free(struct batch *b)
{
	if (b->result != NULL)
		pmFreeResult(b->result);
	free(b->failures);
	free(b->desc_stss);
	free(b->descs);
	free(b->pmids);
	free(b->names);
}

/* Labels of an archive are those at the time of the metric's record. */
static bool needs_fetch(const struct options *o)
{
	if ((o->show & (SHOW_VALUES | SHOW_FAILURES)) != 0)
		return true;
	return (o->show & SHOW_LABELS) != 0 && o->pm.context == PM_CONTEXT_ARCHIVE;
}

static int report_some(const struct options *o, char *const *names, int n)
{
	struct batch b;
	int sts = batch_alloc(&b, n);

	if (sts >= 0) {
		for (int i = 0; i < n; i++)
			b.names[i] = names[i];
		look_up_names(&b);
		if ((o->show & NEEDS_DESC) != 0 || o->document != NULL)
			look_up_descs(&b);
		if (needs_fetch(o))
			report_fetch(&b, o);
		instance_forget();
		report_report(&b, o);
	}
	batch_free(&b);
	return sts;
}

void batch_report(const struct options *o, char *const *names, size_t n)
{
	size_t most = o->pm.context == PM_CONTEXT_ARCHIVE ? 1 : (size_t)o->batch;

	for (size_t i = 0; i < n && !ferror(stdout);) {
		size_t some = n - i < most ? n - i : most;

		if (report_some(o, names + i, (int)some) < 0)
			pmNoMem("batch", some * sizeof(pmDesc), PM_FATAL_ERR);
		i += some;
	}
}
