/*
 * One line a sample. A static header comes once, a dynamic one whenever the columns change.
 */
#include "tools/pmrep/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name in the header: characters that end a field are blanks. */
static void print_name(const struct report *r, const char *name)
{
	for (; *name != '\0'; name++)
		putchar(strchr(r->settings.delimiter, *name) != NULL || strchr("\n\r\"", *name)
			    ? ' '
			    : *name);
}

static void print_place(const struct report *r, const struct place *p)
{
	printf("%s\"", r->settings.delimiter);
	print_name(r, p->metric->name);
	if (p->name != NULL) {
		putchar('-');
		print_name(r, p->name);
	}
	putchar('"');
	if (r->settings.include_labels)
		printf("%s\"%s\"", r->settings.delimiter, label_of(p->metric, p->inst));
}

static void print_header(struct report *r)
{
	r->titled = true;
	if (!r->settings.header)
		return;
	if (r->settings.extcsv)
		fputs("Host,Interval,", stdout);
	fputs("Time", stdout);
	for (size_t i = 0; i < r->header.n; i++)
		print_place(r, &r->header.list[i]);
	putchar('\n');
}

static void begin(struct report *r)
{
	if (r->settings.extheader)
		header_print_extended(r, "#");
	if (r->settings.dynamic_header)
		return;
	places_add_all(&r->header, &r->metrics);
	print_header(r);
}

/* Puts the columns of this sample in place of those of the last one. Returns true for a change. */
static bool update_header(struct report *r)
{
	struct places now = {0};
	bool changed;

	places_add_current(&now, &r->metrics);
	changed = !r->titled ? now.n > 0 : !places_equal(&now, &r->header);
	places_done(&r->header);
	r->header = now;
	return changed;
}

static void print_value(const struct report *r, const struct metric *m, const pmAtomValue *atom)
{
	char buf[TEXT_MAX];
	const char *text = text_value(r, m, atom, 0, buf, sizeof(buf));

	fputs(r->settings.delimiter, stdout);
	if (m->type != PM_TYPE_STRING) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text != '\0'; text++)
		putchar(*text == '"' ? ' ' : *text);
	putchar('"');
}

static void print_stamp(const struct report *r)
{
	char stamp[512], zone[32];
	double since = 0;

	if (r->settings.extcsv) {
		if (r->sampled)
			since = (double)(r->metrics.stamp.tv_sec - r->last.tv_sec) +
				(double)(r->metrics.stamp.tv_nsec - r->last.tv_nsec) / 1e9;
		printf("%s%s%.0f%s", r->host, r->settings.delimiter, since, r->settings.delimiter);
	}
	fputs(text_stamp(r, stamp, sizeof(stamp)), stdout);
	if (r->settings.extcsv)
		printf(" %s", text_zone(r, zone, sizeof(zone)));
}

static void sample(struct report *r)
{
	if (r->settings.dynamic_header && update_header(r) && r->header.n > 0)
		print_header(r);
	print_stamp(r);
	for (size_t i = 0; i < r->header.n; i++) {
		const struct place *p = &r->header.list[i];
		const struct value *v = metric_value(p->metric, p->inst);

		if (v == NULL) {
			fputs(r->settings.delimiter, stdout);
			continue;
		}
		print_value(r, p->metric, &v->atom);
		if (r->settings.include_labels) /* as 6.0.3 does */
			print_value(r, p->metric, &v->atom);
	}
	putchar('\n');
}

const struct output csv_output = {"csv", begin, sample, NULL};
