/*
 * pmval - the program, without its main: the header, the layout, and the order of the steps.
 */
#include "tools/pmval/pmval.h"

#include <math.h>
#include <stdio.h>

#include <pcp/libpcp.h>

#include "tools/common/cmdline.h"

/*
 * header - the description of a metric that is printed before its values.
 */

static void pmval_print_time(const char *what, const struct timespec *when)
{
	time_t clock = when->tv_sec;
	char text[26];

	printf("%-10s %s", what, pmCtime(&clock, text));
}

static const char *semantics(int sem)
{
	switch (sem) {
	case PM_SEM_COUNTER:
		return "cumulative counter";
	case PM_SEM_INSTANT:
		return "instantaneous value";
	case PM_SEM_DISCRETE:
		return "discrete instantaneous value";
	default:
		return "unknown";
	}
}

static const char *units_text(const pmUnits *units, char *buf, int len)
{
	pmUnitsStr_r(units, buf, len);
	return buf[0] != '\0' ? buf : "none";
}

static void print_units(const struct target *t)
{
	pmUnits rate = rate_units(t->desc.units);
	char buf[64];

	printf("units:     %s", units_text(&t->desc.units, buf, sizeof(buf)));
	if (t->rate && rate.dimSpace == 0 && rate.dimTime == 0 && rate.dimCount == 0)
		fputs(" (converting to time utilization)", stdout);
	else if (t->rate)
		printf(" (converting to %s)", units_text(&rate, buf, sizeof(buf)));
	putchar('\n');
}

static int print_source(const struct options *o)
{
	const char *host = pmGetContextHostName(pmWhichContext());

	if (options_archive(o))
		printf("archive:   %s\n", o->source);
	if (host == NULL || host[0] == '\0') {
		fprintf(stderr, "%s: Cannot evaluate context host name: %s\n", pmGetProgname(),
			pmErrStr(PM_ERR_NOCONTEXT));
		return PM_ERR_NOCONTEXT;
	}
	printf("host:      %s\n", host);
	if (options_archive(o)) {
		pmval_print_time("start:", &o->pm.origin);
		if (o->pm.finish.tv_sec != PM_MAX_TIME_T)
			pmval_print_time("end:", &o->pm.finish);
	}
	return 0;
}

static void print_samples(const struct options *o, const struct target *t)
{
	const struct timespec *interval = &o->pm.interval;
	bool all = o->pm.samples == OPTIONS_ALL_SAMPLES;

	if (all)
		puts("samples:   all");
	else
		printf("samples:   %d\n", o->pm.samples);
	if (o->recorded == NULL && (all ? !t->event : o->pm.samples > 1))
		printf("interval:  %1.2f sec\n",
		       (double)interval->tv_sec + interval->tv_nsec / 1e9);
}

/* Prints the header. Returns 0, or an error after reporting it. */
static int header_print(const struct options *o, const struct target *t)
{
	int sts;

	if (!t->event)
		printf("metric:    %s\n", t->name);
	sts = print_source(o);
	if (sts < 0)
		return sts;
	if (!t->event) {
		printf("semantics: %s%s\n", semantics(t->desc.sem),
		       t->rate ? " (converting to rate)" : "");
		print_units(t);
	}
	print_samples(o, t);
	return 0;
}

/*
 * The program
 */

/* The width of a column by the type of its values; 0: the type is not printed in columns. */
static int width_of(int type)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		return 11;
	case PM_TYPE_FLOAT:
		return 13;
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
	case PM_TYPE_STRING:
	case PM_TYPE_AGGREGATE:
	case PM_TYPE_AGGREGATE_STATIC:
		return 21;
	default:
		return 0;
	}
}

/* Chooses the layout of the samples. Returns 0, or an error after reporting it. */
static int lay_out(struct view *v, const struct options *o, const struct target *t)
{
	char type[32];

	*v = (struct view){
	    .options = o,
	    .target = t,
	    .width = width_of(t->desc.type),
	    .precision = o->precision,
	    .stamps = options_archive(o),
	};
	if (v->width == 0 && !t->event) {
		fprintf(stderr, "pmval: unknown performance metric value type %s\n",
			pmTypeStr_r(t->desc.type, type, sizeof(type)));
		return PM_ERR_TYPE;
	}
	if (o->width > 0)
		v->width = o->width;
	if (v->precision > 0 && v->precision + 2 > v->width) { /* room for a digit and the point */
		fprintf(stderr, "%s: -f %d too large for column width %d\n", pmGetProgname(),
			v->precision, v->width);
		return PM_ERR_CONV;
	}
	return 0;
}

/*
 * Sets the interval, and the number of samples in a window with an end; for events the number is
 * unlimited.
 */
static void plan(struct options *o, const struct target *t)
{
	pmOptions *pm = &o->pm;
	double interval, span;

	if (pm->interval.tv_sec == 0 && pm->interval.tv_nsec == 0)
		pm->interval.tv_sec = 1;
	if (pm->samples != OPTIONS_ALL_SAMPLES || pm->finish.tv_sec == PM_MAX_TIME_T ||
	    o->recorded != NULL || t->event)
		return;
	interval = (double)pm->interval.tv_sec + pm->interval.tv_nsec / 1e9;
	span = (double)(pm->finish.tv_sec - pm->origin.tv_sec) +
	       (double)(pm->finish.tv_nsec - pm->origin.tv_nsec) / 1e9;
	pm->samples = span < 0 ? 0 : (int)fmin(floor(span / interval), INT32_MAX - 1) + 1;
}

static int open_source(struct options *o, int argc, char **argv)
{
	int ctx;

	if (o->pm.guiflag || o->pm.guiport_optarg != NULL) {
		fprintf(stderr, "%s: time control by a graphical program is not available\n",
			pmGetProgname());
		return PM_ERR_NYI;
	}
	ctx = source_open(o->pm.context, o->source, "establish local context");

	if (ctx < 0)
		return ctx;
	if (o->pm.context == PM_CONTEXT_HOST)
		__pmSetClientIdArgv(argc, argv);
	if (pmGetContextOptions(ctx, &o->pm) < 0) {
		pmflush();
		return PM_ERR_GENERIC;
	}
	return 0;
}

/* An archive with an empty window is an error, reported after the header. */
static int check_window(const struct options *o)
{
	struct timespec end;
	pmHighResLogLabel label;

	if (!options_archive(o) || pmGetHighResArchiveLabel(&label) < 0 ||
	    pmGetHighResArchiveEnd(&end) < 0)
		return 0;
	return source_window_misses(o->pm.origin, o->pm.finish, label.start, end) ? PM_ERR_EOL : 0;
}

static int pmval_watch(struct options *o, struct target *t)
{
	struct view view;
	int sts = target_find(t, o);

	if (sts >= 0 && o->store != NULL && !options_archive(o))
		sts = store_value(t, o->store);
	if (sts < 0)
		return sts;
	if (t->event && options_archive(o))
		o->recorded = o->source; /* events cannot be interpolated */
	plan(o, t);
	view = (struct view){.options = o, .target = t};
	columns_check(&view);
	if (!o->json && !t->event && o->pm.timezone == NULL && !o->pm.tzflag)
		putchar('\n');
	sts = lay_out(&view, o, t);
	if (sts >= 0 && !o->json)
		sts = header_print(o, t);
	if (sts >= 0)
		sts = sample_run(&view);
	return sts >= 0 ? check_window(o) : sts;
}

int pmval_run(int argc, char **argv, const struct cmdline_row *rows)
{
	struct options o;
	struct target target = {0};
	int status;

	if (options_parse(&o, argc, argv, rows, &status)) {
		status = open_source(&o, argc, argv) < 0 || pmval_watch(&o, &target) < 0 ? 1 : 0;
		target_done(&target);
	}
	options_done(&o);
	return output_finish(status);
}
