/*
 * A line a sample, or, with columns and rows swapped, a line an instance. Columns are
 * right-aligned; texts that do not fit are truncated.
 */
#include "tools/pmrep/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NO_VALUE      "N/A"
#define NO_INSTANCE   "~" /* a metric without this instance */
#define FLAT          "=" /* the instance of a metric without instances */
#define WIDTH_DEFAULT 8   /* of the column for instances, and below a separate header */
#define WIDTH_MIN     3
#define ROWS          24 /* of a terminal whose size is unknown */

static void table_print_cell(const struct report *r, const char *text, int width)
{
	printf("%s%*.*s", r->settings.delimiter, width, width, text);
}

static bool table_is_swapped(const struct report *r)
{
	return r->settings.colxrow != NULL;
}

/* The width of the column for instances. */
static int inst_width(const struct report *r)
{
	int width = (int)strlen(r->settings.colxrow);

	return width == 0 ? WIDTH_DEFAULT : width;
}

/*
 * Rows of the swapped form: the instances of all metrics, by name.
 */

struct row {
	const char *name; /* NULL: metrics without instances */
	double key;       /* the value of the metric that sorts */
	bool keyed;
	size_t order;
};

struct rows {
	struct row *list;
	size_t n;
};

static bool table_same_name(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void rows_add(struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->n; i++)
		if (table_same_name(rows->list[i].name, name))
			return;
	if ((rows->n & (rows->n - 1)) == 0) {
		size_t room = rows->n == 0 ? 1 : 2 * rows->n;
		struct row *list = realloc(rows->list, room * sizeof(list[0]));

		if (list == NULL)
			pmNoMem("rows", room * sizeof(list[0]), PM_FATAL_ERR);
		rows->list = list;
	}
	rows->list[rows->n] = (struct row){.name = name, .order = rows->n};
	rows->n++;
}

static const struct value *value_by_name(const struct metric *m, const char *name)
{
	for (int i = 0; i < m->n_values; i++)
		if (table_same_name(m->values[i].name, name))
			return &m->values[i];
	return NULL;
}

static int table_descending(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->keyed != y->keyed)
		return x->keyed ? -1 : 1;
	if (x->keyed && x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Sorts by the metric of -6; a minus before its name reverses the order. */
static void rows_sort(const struct report *r, struct rows *rows)
{
	const char *name = r->settings.sort_metric;
	bool reverse;

	if (name == NULL || rows->n == 0)
		return;
	reverse = name[0] == '-';
	name += reverse;
	for (size_t i = 0; i < r->metrics.n; i++) {
		const struct metric *m = &r->metrics.list[i];

		if (strcmp(m->name, name) != 0 || !metric_is_number(m))
			continue;
		for (size_t n = 0; n < rows->n; n++) {
			const struct value *v = value_by_name(m, rows->list[n].name);

			rows->list[n].keyed = v != NULL;
			if (v == NULL)
				continue;
			rows->list[n].key = (reverse ? -1 : 1) * metric_number(m, &v->atom);
			rows->list[n].order = (size_t)(v - m->values);
		}
	}
	qsort(rows->list, rows->n, sizeof(rows->list[0]), table_descending);
}

/*
 * Headers
 */

static void print_margin(const struct report *r)
{
	char stamp[512];

	printf("%*s", (int)strlen(text_stamp(r, stamp, sizeof(stamp))), "");
	if (table_is_swapped(r))
		table_print_cell(r, "", inst_width(r));
}

/* True if metric i of the swapped form has a column. */
static bool has_place(const struct report *r, const struct metric *m)
{
	for (size_t i = 0; i < r->header.n; i++)
		if (r->header.list[i].metric == m)
			return true;
	return false;
}

/* The text of a column in a line of a header. */
typedef const char *title(const struct place *p);

static const char *title_label(const struct place *p)
{
	return p->metric->label;
}

static const char *title_inst(const struct place *p)
{
	return p->name != NULL ? p->name : "";
}

static const char *title_labels(const struct place *p)
{
	return label_of(p->metric, p->inst);
}

static const char *title_unit(const struct place *p)
{
	return p->metric->unit;
}

static void print_titles(const struct report *r, title *text)
{
	const struct metric *last = NULL;

	for (size_t i = 0; i < r->header.n; i++) {
		const struct place *p = &r->header.list[i];

		if (table_is_swapped(r) && p->metric == last)
			continue;
		table_print_cell(r, text(p), p->metric->width);
		last = p->metric;
	}
	putchar('\n');
}

static void print_line(const struct report *r, title *text)
{
	print_margin(r);
	print_titles(r, text);
}

static bool any_instances(const struct report *r)
{
	for (size_t i = 0; i < r->header.n; i++)
		if (r->header.list[i].metric->desc.indom != PM_INDOM_NULL)
			return true;
	return false;
}

static void print_labels_line(const struct report *r)
{
	char stamp[512];

	if (!table_is_swapped(r)) {
		print_line(r, title_label);
		return;
	}
	printf("%*s", (int)strlen(text_stamp(r, stamp, sizeof(stamp))), "");
	table_print_cell(r, r->settings.colxrow, inst_width(r));
	print_titles(r, title_label);
}

static int digits(size_t n)
{
	int d = 1;

	for (; n >= 10; n /= 10)
		d++;
	return d;
}

/* The name, instance and unit of each column, or of each instance of a swapped column. */
static void print_names(const struct report *r, int width)
{
	const struct metric *last = NULL;
	size_t number = 0;

	for (size_t i = 0; i < r->header.n; i++) {
		const struct place *p = &r->header.list[i];

		if (!table_is_swapped(r) || p->metric != last)
			number++;
		last = p->metric;
		printf("[%*zu] - %s", width, number, p->metric->name);
		if (p->name != NULL)
			printf("[\"%s\"]", p->name);
		printf(" - %s\n", p->metric->unit[0] != '\0' ? p->metric->unit : "none");
		if (r->settings.include_labels)
			printf("[%*zu] - %s\n", width, number, label_of(p->metric, p->inst));
	}
}

static void print_separate(const struct report *r)
{
	const struct metric *last = NULL;
	char number[24];
	size_t n = 0;

	print_names(r, digits(table_is_swapped(r) ? r->metrics.n : r->header.n) + 1);
	putchar('\n');
	print_margin(r);
	for (size_t i = 0; i < r->header.n; i++) {
		const struct place *p = &r->header.list[i];

		if (table_is_swapped(r) && p->metric == last)
			continue;
		last = p->metric;
		pmsprintf(number, sizeof(number), "%zu", ++n);
		table_print_cell(r, number, p->metric->width);
	}
	putchar('\n');
}

static void print_header(struct report *r)
{
	const struct settings *s = &r->settings;

	r->lines = 0;
	r->titled = true;
	if (!s->header)
		return;
	if (s->separate_header) {
		print_separate(r);
		return;
	}
	print_labels_line(r);
	if (s->instinfo && !table_is_swapped(r) && any_instances(r))
		print_line(r, title_inst);
	if (s->include_labels)
		print_line(r, title_labels);
	if (s->unitinfo)
		print_line(r, title_unit);
}

static void begin(struct report *r)
{
	if (r->settings.extheader)
		header_print_extended(r, "");
	if (r->settings.dynamic_header)
		return;
	places_add_all(&r->header, &r->metrics);
	print_header(r);
}

/* The number of samples after which the header is repeated; 0: never. */
static int repeat(const struct report *r)
{
	struct winsize size;

	if (r->settings.repeat_header != SETTINGS_AUTO)
		return r->settings.repeat_header;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 4)
		return size.ws_row - 4;
	return ROWS - 4;
}

/*
 * Lines
 */

static const char *cell_text(const struct report *r, const struct metric *m, const struct value *v,
			     const char *none, char *buf, size_t size)
{
	return v != NULL ? text_value(r, m, &v->atom, m->width, buf, size) : none;
}

static void print_straight(struct report *r, const char *stamp)
{
	char buf[TEXT_MAX];

	fputs(stamp, stdout);
	for (size_t i = 0; i < r->header.n; i++) {
		const struct place *p = &r->header.list[i];

		table_print_cell(r,
				 cell_text(r, p->metric, metric_value(p->metric, p->inst), NO_VALUE,
					   buf, sizeof(buf)),
				 p->metric->width);
	}
	putchar('\n');
}

/* True if a metric has a column for an instance of that name. */
static bool has_instance(const struct metric *m, const char *name)
{
	for (int i = 0; i < m->n_columns; i++)
		if (table_same_name(m->columns[i].name, name))
			return true;
	return false;
}

static void print_row(struct report *r, const char *stamp, const char *name)
{
	bool current = r->settings.dynamic_header || r->settings.fixed_header;
	char buf[TEXT_MAX];

	fputs(stamp, stdout);
	table_print_cell(r, name != NULL ? name : FLAT, inst_width(r));
	for (size_t i = 0; i < r->metrics.n; i++) {
		const struct metric *m = &r->metrics.list[i];
		const char *none = !current && has_instance(m, name) ? NO_VALUE : NO_INSTANCE;

		if (has_place(r, m))
			table_print_cell(
			    r, cell_text(r, m, value_by_name(m, name), none, buf, sizeof(buf)),
			    m->width);
	}
	putchar('\n');
}

/* A line of the swapped form that shows that there is no value. */
static void print_empty_row(struct report *r, const char *stamp)
{
	fputs(stamp, stdout);
	table_print_cell(r, NO_VALUE, inst_width(r));
	for (size_t i = 0; i < r->metrics.n; i++)
		table_print_cell(r, NO_INSTANCE, r->metrics.list[i].width);
	putchar('\n');
}

static void print_swapped(struct report *r, const char *stamp)
{
	struct rows rows = {0};
	bool current = r->settings.dynamic_header || r->settings.fixed_header;

	for (size_t i = 0; i < r->metrics.n; i++) {
		const struct metric *m = &r->metrics.list[i];

		for (int n = 0; current && n < m->n_values; n++)
			rows_add(&rows, m->values[n].name);
		for (int n = 0; !current && n < m->n_columns; n++)
			rows_add(&rows, m->columns[n].name);
	}
	rows_sort(r, &rows);
	for (size_t i = 0; i < rows.n; i++)
		print_row(r, stamp, rows.list[i].name);
	if (rows.n == 0)
		print_empty_row(r, stamp);
	free(rows.list);
}

/* The width of the only cell of a line without values. */
static int none_width(const struct report *r)
{
	int width = table_is_swapped(r)           ? (int)strlen(r->settings.colxrow)
		    : r->settings.separate_header ? WIDTH_DEFAULT
						  : 0;

	return width < WIDTH_MIN ? WIDTH_MIN : width;
}

/* Prints a new header if the columns have changed. Returns false if there are no columns. */
static bool update_header(struct report *r, const char *stamp)
{
	struct places now = {0};
	bool changed;

	places_add_current(&now, &r->metrics);
	changed = !r->titled || !places_equal(&now, &r->header);
	places_done(&r->header);
	r->header = now;
	if (now.n == 0) {
		fputs(stamp, stdout);
		table_print_cell(r, NO_VALUE, none_width(r));
		putchar('\n');
		return false;
	}
	if (changed) {
		if ((r->lines > 0 || r->titled) && r->settings.header)
			putchar('\n');
		print_header(r);
	}
	return true;
}

static void sample(struct report *r)
{
	char buf[512];
	const char *stamp = text_stamp(r, buf, sizeof(buf));
	int lines = repeat(r);

	if (r->settings.dynamic_header) {
		bool any = update_header(r, stamp);

		r->lines++;
		if (!any)
			return;
	} else if (lines > 0 && r->lines >= lines) {
		if (r->settings.header)
			putchar('\n');
		print_header(r);
	}
	if (!r->settings.dynamic_header)
		r->lines++;
	if (table_is_swapped(r))
		print_swapped(r, stamp);
	else
		print_straight(r, stamp);
}

const struct output table_output = {"stdout", begin, sample, NULL};
