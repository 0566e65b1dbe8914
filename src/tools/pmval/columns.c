#include "tools/pmval/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pmval/number.h"
#include "tools/pmval/options.h"
#include "tools/pmval/rate.h"
#include "tools/pmval/stamp.h"
#include "tools/pmval/target.h"
#include "tools/pmval/view.h"

/* The digits after the point of a rate; the same width is blank below a name (number.c). */
#define RATE_TAIL 3

struct column {
	int inst;
	const char *name;
};

/* The columns of the last line of names, in ascending order of identifiers. */
static struct {
	int n;
	struct column *list;
	char **names; /* owns the names of the domain; NULL for chosen instances */
	bool named;   /* names were printed before, when long names were printed in full */
} columns;

static int by_inst(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	return x->inst < y->inst ? -1 : x->inst > y->inst;
}

void columns_forget(void)
{
	free(columns.list);
	free(columns.names);
	columns.n = 0;
	columns.list = NULL;
	columns.names = NULL;
}

static const struct column *find_column(int inst)
{
	struct column key = {.inst = inst};

	if (columns.n == 0)
		return NULL;
	return bsearch(&key, columns.list, columns.n, sizeof(key), by_inst);
}

static int get_indom(const struct view *v, int **ret_ids, char ***ret_names)
{
	pmInDom indom = v->target->desc.indom;
	char buf[32];
	int n = options_archive(v->options) ? pmGetInDomArchive(indom, ret_ids, ret_names)
					    : pmGetInDom(indom, ret_ids, ret_names);

	if (n >= 0)
		return n;
	fprintf(stderr, "%s: pmGetInDom(%s): %s\n", pmGetProgname(),
		pmInDomStr_r(indom, buf, sizeof(buf)), pmErrStr(n));
	exit(1);
}

void columns_check(const struct view *v)
{
	int *ids = NULL;
	char **names = NULL;

	if (v->target->desc.indom == PM_INDOM_NULL || v->target->n_chosen > 0 ||
	    !options_archive(v->options))
		return;
	get_indom(v, &ids, &names);
	free(ids);
	free(names);
}

/* Makes a column for each chosen instance, whether it exists or not, else for all instances. */
static void load_columns(const struct view *v)
{
	const struct target *t = v->target;
	int *ids = NULL;

	columns_forget();
	columns.n = t->n_chosen > 0 ? t->n_chosen : get_indom(v, &ids, &columns.names);
	columns.list = calloc(columns.n > 0 ? columns.n : 1, sizeof(columns.list[0]));
	if (columns.list == NULL)
		pmNoMem("columns", columns.n * sizeof(columns.list[0]), PM_FATAL_ERR);
	for (int i = 0; i < columns.n; i++) {
		if (t->n_chosen > 0)
			columns.list[i] = (struct column){t->chosen[i], t->chosen_names[i]};
		else
			columns.list[i] = (struct column){ids[i], columns.names[i]};
	}
	qsort(columns.list, columns.n, sizeof(columns.list[0]), by_inst);
	free(ids);
}

static size_t longest_name(void)
{
	size_t longest = 0;

	for (int i = 0; i < columns.n; i++)
		if (strlen(columns.list[i].name) > longest)
			longest = strlen(columns.list[i].name);
	return longest;
}

static void print_names(const struct view *v)
{
	size_t longest = longest_name();
	bool shift = v->target->rate && v->precision < 0 && longest + RATE_TAIL <= (size_t)v->width;
	int width = shift ? v->width - RATE_TAIL : v->width;

	if (longest > (size_t)v->width && !columns.named)
		for (int i = 0; i < columns.n; i++)
			printf("full label for instance[%d]: %s\n", i, columns.list[i].name);
	putchar('\n');
	if (v->stamps)
		printf("%*s", stamp_width(v->options->stamp), "");
	for (int i = 0; i < columns.n; i++)
		printf("%*.*s%*s", width, width, columns.list[i].name, shift ? RATE_TAIL + 1 : 1,
		       "");
	putchar('\n');
	columns.named = true;
}

/* A new instance makes all names be printed again; names of chosen ones are printed once. */
void columns_name(const struct view *v, const struct sample *now)
{
	const pmValueSet *values = now->values;
	bool known = columns.list != NULL;

	if (v->target->desc.indom == PM_INDOM_NULL)
		return;
	for (int i = 0; i < values->numval && known; i++)
		known = v->target->n_chosen > 0 || find_column(values->vlist[i].inst) != NULL;
	if (known)
		return;
	load_columns(v);
	print_names(v);
}

/* `guess`: the likely index, since values are usually in the order of the columns. */
static const pmValue *find_value(const pmValueSet *values, int inst, int guess)
{
	if (guess < values->numval && values->vlist[guess].inst == inst)
		return &values->vlist[guess];
	for (int i = 0; i < values->numval; i++)
		if (values->vlist[i].inst == inst)
			return &values->vlist[i];
	return NULL;
}

static void print_missing(const struct view *v)
{
	printf("%*s", v->width, "?");
}

static void complain(const char *what, int sts)
{
	fprintf(stderr, "%s:%s pmExtractValue: %s\n", pmGetProgname(), what, pmErrStr(sts));
	exit(1);
}

/* The precision is that of 6.0.3: a quarter of a microsecond is lost. */
static double since_epoch(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

static void print_rate(const struct view *v, const struct sample *before, const pmValue *a,
		       const struct sample *now, const pmValue *b)
{
	double seconds = since_epoch(&now->stamp) - since_epoch(&before->stamp);
	double rate;
	int sts = rate_between(&v->target->desc, before->values->valfmt, a, now->values->valfmt, b,
			       seconds, &rate);

	if (sts < 0)
		complain("printrate", sts);
	if (rate < 0)
		printf("%*s", v->width, "!");
	else
		number_print(rate, v->width, v->precision);
}

static void print_value(const struct view *v, const struct sample *now, const pmValue *value)
{
	int type = v->target->desc.type;
	pmAtomValue atom;
	int sts;

	if (type != PM_TYPE_FLOAT && type != PM_TYPE_DOUBLE) {
		pmPrintValue(stdout, now->values->valfmt, type, value, v->width);
		return;
	}
	sts = pmExtractValue(now->values->valfmt, value, type, &atom, PM_TYPE_DOUBLE);
	if (sts < 0)
		complain("printvals", sts);
	number_print(atom.d, v->width, v->precision);
}

/* Prints one cell: a value, a rate, which needs two values, or a question mark. */
static void print_cell(const struct view *v, const struct sample *before, const pmValue *a,
		       const struct sample *now, const pmValue *b)
{
	if (b == NULL || (v->target->rate && a == NULL))
		print_missing(v);
	else if (v->target->rate)
		print_rate(v, before, a, now, b);
	else
		print_value(v, now, b);
}

/* Prints a warning for each value without a rate. */
static void warn_unknown(const struct view *v, const struct sample *before, const struct sample *now)
{
	struct view narrow = *v;
	const pmValue *old = NULL;

	narrow.width = 1;
	for (int i = 0; i < now->values->numval; i++) {
		const pmValue *value = &now->values->vlist[i];

		if (!target_wants(v->target, value->inst) || find_column(value->inst) != NULL)
			continue;
		if (v->target->rate)
			old = find_value(before->values, value->inst, i);
		if (v->target->rate && old == NULL)
			continue;
		fputs("Warning: value=", stdout);
		print_cell(&narrow, before, old, now, value);
		printf(", but instance=%d is unknown\n", value->inst);
	}
}

static void print_stamp(const struct view *v, const struct sample *now)
{
	if (v->stamps)
		stamp_print(&now->stamp, v->options->stamp);
}

void columns_print_none(const struct view *v, const struct sample *now)
{
	print_stamp(v, now);
	printf("%sNo values available\n", v->stamps ? "  " : "");
}

void columns_print(const struct view *v, const struct sample *before, const struct sample *now)
{
	const pmValueSet *old = v->target->rate ? before->values : NULL;

	columns_name(v, now);
	print_stamp(v, now);
	if (v->target->desc.indom == PM_INDOM_NULL)
		print_cell(v, before, v->target->rate ? &old->vlist[0] : NULL, now,
			   &now->values->vlist[0]);
	for (int i = 0; i < columns.n; i++) {
		int inst = columns.list[i].inst;

		print_cell(v, before, v->target->rate ? find_value(old, inst, i) : NULL, now,
			   find_value(now->values, inst, i));
		putchar(' ');
	}
	putchar('\n');
	if (v->target->desc.indom != PM_INDOM_NULL)
		warn_unknown(v, before, now);
}
