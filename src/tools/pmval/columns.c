/*
 * columns - a line of values, one column an instance; numbers and rates in a column.
 */
#include "tools/pmval/pmval.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Stamps
 */

#define CTIME_LEN  26
#define CTIME_YEAR 20 /* the offset of the year: "Www Mmm dd hh:mm:ss yyyy" */

static const int widths[] = {12, 31, 34};

void stamp_print(const struct timespec *when, int detail)
{
	time_t clock = when->tv_sec;
	struct tm tm;
	char text[CTIME_LEN];

	pmLocaltime(&clock, &tm);
	if (detail == 0) {
		printf("%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
		       (int)(when->tv_nsec / 1000000));
		return;
	}
	pmCtime(&clock, text);
	printf("%.10s %02d:%02d:%02d.", text, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (detail == 1)
		printf("%06d", (int)(when->tv_nsec / 1000));
	else
		printf("%09d", (int)when->tv_nsec);
	printf(" %4.4s", text + CTIME_YEAR);
}

int stamp_width(int detail)
{
	return widths[detail > 2 ? 2 : detail];
}

/*
 * Numbers
 */

/* For numbers up to a limit: digits after the point, and blanks in place of further digits. */
/* clang-format off */
static const struct {
	double limit;
	int digits;
	int blanks;
} forms[] = {
	{ 0.9999, 4, 0 },
	{ 9.999,  3, 1 },
	{ 99.99,  2, 2 },
	{ 999.9,  1, 3 },
};
/* clang-format on */

#define SCIENTIFIC_BELOW 0.1
#define SCIENTIFIC_ABOVE 9999

/* printf would left-adjust for a negative width, so a width that the tail uses up is 0. */
static int rest(int width, int tail)
{
	return width > tail ? width - tail : 0;
}

void number_print(double v, int width, int precision)
{
	if (precision >= 0) {
		printf("%*.*f", width, precision, v);
		return;
	}
	if (v == 0) {
		printf("%*.0f.0   ", rest(width, 5), v);
		return;
	}
	if (v < SCIENTIFIC_BELOW || v > SCIENTIFIC_ABOVE) {
		printf("%*.3E", width, v);
		return;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (v <= forms[i].limit) {
			printf("%*.*f%*s", rest(width, forms[i].blanks), forms[i].digits, v,
			       forms[i].blanks, "");
			return;
		}
	printf("%*.0f.    ", rest(width, 5), v);
}

/*
 * Rates
 */

/* 2^32 and 2^64: the increase of an integer counter when it wraps. */
#define WRAP_32 4294967296.0
#define WRAP_64 18446744073709551616.0

/* Units of time in a second. */
static double per_second(int scale)
{
	static const double units[] = {
	    [PM_TIME_NSEC] = 1e9, [PM_TIME_USEC] = 1e6,     [PM_TIME_MSEC] = 1e3,
	    [PM_TIME_SEC] = 1,    [PM_TIME_MIN] = 1.0 / 60, [PM_TIME_HOUR] = 1.0 / 3600,
	};

	if (scale < 0 || (size_t)scale >= sizeof(units) / sizeof(units[0]))
		return 1;
	return units[scale];
}

pmUnits rate_units(pmUnits counter)
{
	pmUnits rate = counter;

	if (rate.dimTime == 0)
		rate.scaleTime = PM_TIME_SEC;
	rate.dimTime--;
	return rate;
}

static double wrap_of(int type)
{
	if (type == PM_TYPE_32 || type == PM_TYPE_U32)
		return WRAP_32;
	if (type == PM_TYPE_64 || type == PM_TYPE_U64)
		return WRAP_64;
	return 0;
}

static bool columns_wraps(void)
{
	static int answer = -1;

	if (answer < 0)
		answer = getenv("PCP_COUNTER_WRAP") != NULL;
	return answer;
}

/* Large integers are subtracted as integers, because a double does not hold all their digits. */
static double gain(int type, const pmAtomValue *before, const pmAtomValue *now)
{
	switch (type) {
	case PM_TYPE_64:
		return now->ll >= before->ll ? (double)((uint64_t)now->ll - (uint64_t)before->ll)
					     : -(double)((uint64_t)before->ll - (uint64_t)now->ll);
	case PM_TYPE_U64:
		return now->ull >= before->ull ? (double)(now->ull - before->ull)
					       : -(double)(before->ull - now->ull);
	default:
		return now->d - before->d;
	}
}

int rate_between(const pmDesc *desc, int before_fmt, const pmValue *before, int now_fmt,
		 const pmValue *now, double seconds, double *ret_rate)
{
	bool large = desc->type == PM_TYPE_64 || desc->type == PM_TYPE_U64;
	int type = large ? desc->type : PM_TYPE_DOUBLE;
	pmAtomValue a, b;
	double gained;
	int sts = pmExtractValue(before_fmt, before, desc->type, &a, type);

	if (sts >= 0)
		sts = pmExtractValue(now_fmt, now, desc->type, &b, type);
	if (sts < 0)
		return sts;
	gained = gain(type, &a, &b);
	if (gained < 0 && columns_wraps())
		gained += wrap_of(desc->type);
	if (desc->units.dimTime != 0)
		seconds *= per_second(desc->units.scaleTime);
	*ret_rate = gained / seconds;
	return 0;
}

/*
 * Columns
 */

/* The digits after the point of a rate; the same width is blank below a name. */
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

static int columns_by_inst(const void *a, const void *b)
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
	return bsearch(&key, columns.list, columns.n, sizeof(key), columns_by_inst);
}

static int columns_get_indom(const struct view *v, int **ret_ids, char ***ret_names)
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
	columns_get_indom(v, &ids, &names);
	free(ids);
	free(names);
}

/* Makes a column for each chosen instance, whether it exists or not, else for all instances. */
static void load_columns(const struct view *v)
{
	const struct target *t = v->target;
	int *ids = NULL;

	columns_forget();
	columns.n = t->n_chosen > 0 ? t->n_chosen : columns_get_indom(v, &ids, &columns.names);
	columns.list = calloc(columns.n > 0 ? columns.n : 1, sizeof(columns.list[0]));
	if (columns.list == NULL)
		pmNoMem("columns", columns.n * sizeof(columns.list[0]), PM_FATAL_ERR);
	for (int i = 0; i < columns.n; i++) {
		if (t->n_chosen > 0)
			columns.list[i] = (struct column){t->chosen[i], t->chosen_names[i]};
		else
			columns.list[i] = (struct column){ids[i], columns.names[i]};
	}
	qsort(columns.list, columns.n, sizeof(columns.list[0]), columns_by_inst);
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

/* Chosen instances are listed once. */
bool columns_refresh(const struct view *v, const struct sample *now)
{
	const pmValueSet *values = now->values;
	bool known = columns.list != NULL;

	if (v->target->desc.indom == PM_INDOM_NULL)
		return false;
	for (int i = 0; i < values->numval && known; i++)
		known = v->target->n_chosen > 0 || find_column(values->vlist[i].inst) != NULL;
	if (!known)
		load_columns(v);
	return !known;
}

/* A new instance makes all names be printed again; names of chosen ones are printed once. */
void columns_name(const struct view *v, const struct sample *now)
{
	if (columns_refresh(v, now))
		print_names(v);
}

const char *columns_instance(int inst)
{
	const struct column *column = find_column(inst);

	return column != NULL ? column->name : NULL;
}

/* Values are usually in the order of the columns, so the guess is often right. */
const pmValue *columns_find_value(const pmValueSet *values, int inst, int guess)
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

void columns_complain(const char *what, int sts)
{
	fprintf(stderr, "%s:%s pmExtractValue: %s\n", pmGetProgname(), what, pmErrStr(sts));
	exit(1);
}

/* The precision is that of 6.0.3: a quarter of a microsecond is lost. */
static double since_epoch(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

int columns_rate(const struct view *v, const struct sample *before, const pmValue *a,
		 const struct sample *now, const pmValue *b, double *ret_rate)
{
	double seconds = since_epoch(&now->stamp) - since_epoch(&before->stamp);

	return rate_between(&v->target->desc, before->values->valfmt, a, now->values->valfmt, b,
			    seconds, ret_rate);
}

static void print_rate(const struct view *v, const struct sample *before, const pmValue *a,
		       const struct sample *now, const pmValue *b)
{
	double rate;
	int sts = columns_rate(v, before, a, now, b, &rate);

	if (sts < 0)
		columns_complain("printrate", sts);
	if (rate < 0)
		printf("%*s", v->width, "!");
	else
		number_print(rate, v->width, v->precision);
}

static void columns_print_value(const struct view *v, const struct sample *now,
				const pmValue *value)
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
		columns_complain("printvals", sts);
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
		columns_print_value(v, now, b);
}

/* Prints a warning for each value without a rate. */
static void warn_unknown(const struct view *v, const struct sample *before,
			 const struct sample *now)
{
	struct view narrow = *v;
	const pmValue *old = NULL;

	narrow.width = 1;
	for (int i = 0; i < now->values->numval; i++) {
		const pmValue *value = &now->values->vlist[i];

		if (!target_wants(v->target, value->inst) || find_column(value->inst) != NULL)
			continue;
		if (v->target->rate)
			old = columns_find_value(before->values, value->inst, i);
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

		print_cell(v, before, v->target->rate ? columns_find_value(old, inst, i) : NULL,
			   now, columns_find_value(now->values, inst, i));
		putchar(' ');
	}
	putchar('\n');
	if (v->target->desc.indom != PM_INDOM_NULL)
		warn_unknown(v, before, now);
}
