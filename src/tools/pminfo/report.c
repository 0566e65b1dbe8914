/*
 * The report of a metric is a list of steps (docs/spec/tools.md 2). A step is taken if one of the
 * options in its row is given. The order is that of the rows, not of the options.
 */
#include "tools/pminfo/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pminfo/label.h"
#include "tools/pminfo/metric.h"
#include "tools/pminfo/options.h"
#include "tools/pminfo/series.h"
#include "tools/pminfo/value.h"

#define ALWAYS   (~0u)
#define NO_BLANK (SHOW_PMID | SHOW_FULL_PMID | SHOW_ONELINE | SHOW_SERIES)

static void print_blank(const struct metric *m, const struct options *o)
{
	(void)m;
	(void)o;
	putchar('\n');
}

static void print_name(const struct metric *m, const struct options *o)
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

static void print_indom(pmInDom indom, const struct options *o)
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
	print_indom(m->desc.indom, o);
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
	{ ALWAYS,                    print_name },
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

void report_metric(const struct metric *m, const struct options *o)
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
	print_indom(indom, o);
	if ((o->show & SHOW_ONELINE) != 0)
		print_indom_oneline(indom, o);
	putchar('\n');
	if ((o->show & SHOW_LABELS) != 0)
		label_print_indom(indom);
	if ((o->show & SHOW_HELP) != 0)
		print_indom_help(indom);
}
