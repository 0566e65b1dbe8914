/*
 * report - the lines of the output.
 */
#include "tools/pmlogsummary/pmlogsummary.h"

#include <inttypes.h>
#include <stdio.h>

#include "libstore/archive_meta.h"
#include "tools/archive/window.h"

enum { DAY_S = 86400 };

/* A counter that covers less than this share of the window is marked. */
#define COVERED_LEAST 0.1

/* The data of an output line. */
struct line {
	const struct options *options;
	const struct subject *subject;
	const struct series *series;
	double window; /* seconds */
	bool dates;
};

static void report_put_number(const struct line *l, double v)
{
	printf("%c%.*f", l->options->delimiter, l->options->precision, v);
}

static void put_stamp(const struct line *l, const struct timespec *when)
{
	char text[STAMP_ROOM];

	if (l->dates) {
		stamp_date(text, when, STAMP_MILLI);
		printf("%c'%s'", l->options->delimiter, text);
	} else {
		stamp_time(text, when, STAMP_MILLI);
		printf("%c%s", l->options->delimiter, text);
	}
}

static void put_stochastic(const struct line *l)
{
	report_put_number(
	    l, l->series->averaged > 0 ? l->series->rates / (double)l->series->averaged : 0);
}

static void put_time(const struct line *l)
{
	report_put_number(l, l->series->seconds > 0 ? l->series->area / l->series->seconds : 0);
}

static void put_sum(const struct line *l)
{
	report_put_number(l, l->series->total);
}

static void put_min(const struct line *l)
{
	report_put_number(l, l->series->min);
}

static void put_min_time(const struct line *l)
{
	put_stamp(l, &l->series->min_when);
}

static void put_max(const struct line *l)
{
	report_put_number(l, l->series->max);
}

static void put_max_time(const struct line *l)
{
	put_stamp(l, &l->series->max_when);
}

static void put_count(const struct line *l)
{
	printf("%c%" PRIu64, l->options->delimiter, l->series->count);
}

/* If all values are the same, the bins after the first have no bounds. */
static void put_bins(const struct line *l)
{
	const struct series *s = l->series;
	int n = l->options->bins;

	for (int i = 0; s->bins != NULL && i < n; i++) {
		if (i > 0 && s->max <= s->min)
			printf("%c[]%c%" PRIu64, l->options->delimiter, l->options->delimiter,
			       s->bins[i]);
		else
			printf("%c[<=%.*f]%c%" PRIu64, l->options->delimiter, l->options->precision,
			       series_bound(s, i, n), l->options->delimiter, s->bins[i]);
	}
}

/* In the order of a line. */
static const struct {
	unsigned int field;
	const char *name;
	void (*put)(const struct line *l);
} columns[] = {
    {FIELD_STOCHASTIC, "stochastic_average", put_stochastic},
    {FIELD_TIME, "time_average", put_time},
    {FIELD_SUM, "sum", put_sum},
    {FIELD_MIN, "minimum", put_min},
    {FIELD_MIN_TIME, "minimum_time", put_min_time},
    {FIELD_MAX, "maximum", put_max},
    {FIELD_MAX_TIME, "maximum_time", put_max_time},
    {FIELD_COUNT, "count", put_count},
    {FIELD_BINS, "bins", put_bins},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

void report_header(const struct options *o)
{
	printf("metric");
	for (int i = 0; i < COLUMNS; i++)
		if (o->fields & columns[i].field)
			printf("%c%s", o->delimiter, columns[i].name);
	printf("%cunits\n", o->delimiter);
}

static void put_units(const struct line *l)
{
	pmUnits units = l->subject->desc.units;
	char text[64];

	if (l->subject->kind.counter && (l->options->fields & FIELD_SUM) == 0) {
		units.dimTime = (units.dimTime - 1) & 0xf; /* a signed field of 4 bits */
		units.scaleTime = units.dimTime != 0 ? PM_TIME_SEC : 0;
	}
	pmUnitsStr_r(&units, text, sizeof(text));
	printf("%c%s\n", l->options->delimiter, text[0] != '\0' ? text : "none");
}

static void put_instance(const struct line *l, struct archive_meta *meta)
{
	const struct archive_indom *indom = NULL;
	const struct wire_inst *inst = NULL;

	putchar(l->options->delimiter);
	if (l->subject->desc.indom == PM_INDOM_NULL)
		return;
	if (archive_meta_indom_union(meta, l->subject->desc.indom, &indom) >= 0 && indom != NULL)
		inst = archive_indom_inst(indom, l->series->inst);
	if (inst != NULL)
		printf("[\"%.*s\"]", (int)inst->name.len, inst->name.s);
	else
		printf("[%d]", l->series->inst);
}

static void put_line(const struct line *l, struct archive_meta *meta)
{
	bool counter = l->subject->kind.counter;

	if (counter && (l->series->count == 0 ||
			(l->window > 0 && l->series->seconds / l->window <= COVERED_LEAST)))
		putchar('*');
	fputs(l->subject->name, stdout);
	put_instance(l, meta);
	if (l->series->count == 0) {
		printf("%c- insufficient archive data.\n", l->options->delimiter);
		return;
	}
	for (int i = 0; i < COLUMNS; i++)
		if (l->options->fields & columns[i].field)
			columns[i].put(l);
	put_units(l);
}

void report_all(const struct options *o, const struct subjects *s, struct archive_meta *meta,
		const struct window *window)
{
	struct line l = {.options = o, .window = stamp_minus(&window->finish, &window->start)};

	l.dates = l.window > DAY_S;
	for (size_t i = 0; i < s->n; i++) {
		l.subject = &s->list[i];
		for (size_t j = 0; j < l.subject->n; j++) {
			l.series = l.subject->list[j];
			put_line(&l, meta);
		}
	}
}
