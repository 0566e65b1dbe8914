/*
 * pmval - shared declarations of the tool's files: options, the metric, a sample, and its output.
 */
#ifndef PMVAL_PMVAL_H
#define PMVAL_PMVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/names.h"

/*
 * pmval - prints the values of one metric again and again (docs/spec/tools.md 4), also for
 * pmevent(1).
 */

/*
 * The whole program. The rows are PMVAL_ROWS, and perhaps more: additional options are in the usage
 * text, but must not be in argv. Returns the exit status.
 */
int pmval_run(int argc, char **argv, const struct cmdline_row *rows);

/*
 * options - the command line of pmval: the metric, the source, the times, and the format.
 */

#define OPTIONS_ALL_SAMPLES (-1)
#define OPTIONS_ANY_FORMAT  (-1)

struct options {
	pmOptions pm;           /* the standard options; pm.samples may be OPTIONS_ALL_SAMPLES */
	pmMetricSpec *spec;     /* the argument, parsed */
	const char *source;     /* host or archive; NULL for a local context */
	struct wordlist chosen; /* -i: names of instances */
	const char *recorded;   /* -U: an archive, record by record; else NULL */
	const char *store;      /* -x: the value to store first, else NULL */
	int precision;          /* -f: digits after the point, or OPTIONS_ANY_FORMAT */
	int width;              /* -w: characters of a column; 0: by type */
	int stamp;              /* number of -X options */
	char *archives[1];      /* the only element of pm.archives, if the source is not from -a */
	char **given_archives;  /* pm.archives as the library made it, to be freed */
	int n_given_archives;
	char *joined; /* the archives of -U and -a together */
	char *align;  /* -A: applied when the source is known */
	bool delay;   /* -d: replay an archive at the speed of its times */
	bool raw;     /* -r: print counters, not their rates */
	bool json;    /* an object a sample */
};

/* The reporting options; pmevent gives some of them another effect. */
/* clang-format off */
#define PMVAL_DELAY     { "delay", 0, 'd', 0, "delay, pause between updates for archive replay" }
#define PMVAL_PRECISION { "precision", 1, 'f', "N", "fixed output format with N digits precision" }
#define PMVAL_INSTANCES { "instances", 1, 'i', "INST", "comma-separated metrics instance list" }
#define PMVAL_RAW       { "raw", 0, 'r', 0, "output raw counter values (no rate conversion)" }
#define PMVAL_NOINTERP  { "nointerp", 1, 'U', "FILE", "non-interpolated fetching; ignores interval" }
#define PMVAL_VERBOSE   { "verbose", 0, 'v', 0, "increase diagnostic output" }
#define PMVAL_WIDTH     { "width", 1, 'w', "N", "set the width of each column of output" }
#define PMVAL_FILTER    { "filter", 1, 'x', "VALUE", "store to the metric before fetching (filter)" }
#define PMVAL_TIMESTAMP { "timestamp", 0, 'X', 0, "include date and microseconds in reported timestamps" }

#define PMVAL_AT(member) offsetof(struct options, member)
#define PMVAL_ROWS \
	{ PMAPI_OPTIONS_HEADER("General options") }, \
	{ PMOPT_ALIGN, CMDLINE_TEXT, PMVAL_AT(align) }, \
	{ PMOPT_ARCHIVE }, \
	{ PMOPT_DEBUG }, \
	{ PMOPT_GUIMODE }, \
	{ PMOPT_HOST }, \
	{ PMOPT_NAMESPACE }, \
	{ PMOPT_ORIGIN }, \
	{ PMOPT_GUIPORT }, \
	{ PMOPT_START, CMDLINE_START }, \
	{ PMOPT_SAMPLES }, \
	{ PMOPT_FINISH }, \
	{ PMOPT_INTERVAL }, \
	{ PMOPT_TIMEZONE }, \
	{ PMOPT_HOSTZONE, CMDLINE_HOSTZONE, .complaint = "at most one of -Z and -z allowed" }, \
	{ PMOPT_VERSION }, \
	{ PMOPT_HELP }, \
	{ PMOPT_SPECLOCAL }, \
	{ PMOPT_LOCALPMDA }, \
	{ PMOPT_CONTAINER }, \
	{ PMOPT_DERIVED }, \
	{ PMAPI_OPTIONS_HEADER("Reporting options") }, \
	{ PMVAL_DELAY, CMDLINE_FLAG, PMVAL_AT(delay) }, \
	{ PMVAL_PRECISION, CMDLINE_INT, PMVAL_AT(precision), .max = PM_VAL_VLEN_MAX, \
	  .complaint = "-f requires +ve numeric argument" }, \
	{ PMVAL_INSTANCES, CMDLINE_WORDS, PMVAL_AT(chosen) }, \
	{ PMVAL_RAW, CMDLINE_FLAG, PMVAL_AT(raw) }, \
	{ PMVAL_NOINTERP, CMDLINE_TEXT, PMVAL_AT(recorded) }, \
	{ PMVAL_VERBOSE, CMDLINE_IGNORED }, \
	{ PMVAL_WIDTH, CMDLINE_INT, PMVAL_AT(width), .min = 1, .max = PM_VAL_VLEN_MAX, \
	  .complaint = "-w requires +ve numeric argument" }, \
	{ PMVAL_FILTER, CMDLINE_TEXT, PMVAL_AT(store) }, \
	{ PMVAL_TIMESTAMP, CMDLINE_COUNT, PMVAL_AT(stamp) }
/* clang-format on */

/*
 * Reads the command line and chooses the source; the usage text comes from the rows. Returns true
 * if the program is to go on; otherwise a message has been printed and *ret_status is the exit
 * status.
 */
bool options_parse(struct options *o, int argc, char **argv, const struct cmdline_row *rows,
		   int *ret_status);

/* Frees the contents of the options; also of options that were refused. */
void options_done(struct options *o);

/* True if samples come from an archive (and have its times). */
bool options_archive(const struct options *o);

/*
 * target - the metric that is watched.
 */

struct target {
	const char *name;
	pmID pmid;
	pmDesc desc;
	bool rate;           /* a counter whose values are shown as rates */
	bool event;          /* its values are event records */
	int n_chosen;        /* number of instances that were named; 0: all are wanted */
	char **chosen_names; /* their names as given; borrowed from the options */
	int *chosen;         /* their identifiers */
};

/*
 * Finds the metric and the chosen instances in the current context, and restricts the context's
 * profile to them. Returns 0, or an error after reporting it.
 */
int target_find(struct target *t, const struct options *o);

/* True if an instance is wanted. */
bool target_wants(const struct target *t, int inst);

void target_done(struct target *t);

/*
 * view - the layout of the samples of a metric.
 */

struct view {
	const struct options *options;
	const struct target *target;
	int width;     /* characters of a column */
	int precision; /* digits after the point, or OPTIONS_ANY_FORMAT */
	bool stamps;   /* begin each sample with its time */
};

/*
 * columns - a line of values, one column an instance, below a line with the names of the instances.
 */

/* The values of one metric at a time. A rate needs two samples. */
struct sample {
	struct timespec stamp;
	const pmValueSet *values;
};

/* Ends the program, with a message, if the instances of an archive's metric cannot be listed. */
void columns_check(const struct view *v);

/* Prints that there are no values. */
void columns_print_none(const struct view *v, const struct sample *now);

/* Prints the names of the instances if the sample has instances without a column. */
void columns_name(const struct view *v, const struct sample *now);

/*
 * Prints a line of values, or of the rates since `before`. Prints the names of the instances first
 * if some of them have not been named yet.
 */
void columns_print(const struct view *v, const struct sample *before, const struct sample *now);

/*
 * Lists the instances again if the sample has instances that are not known. Returns true if it did.
 */
bool columns_refresh(const struct view *v, const struct sample *now);

/* The name of an instance; NULL: it is not known. */
const char *columns_instance(int inst);

/* The value of an instance. `guess`: its likely index. NULL: it has none. */
const pmValue *columns_find_value(const pmValueSet *values, int inst, int guess);

/* Ends the program with a message about a value that is not of the metric's type. */
void columns_complain(const char *what, int sts) __attribute__((noreturn));

/* The rate of a value since the sample before, or an error. */
int columns_rate(const struct view *v, const struct sample *before, const pmValue *a,
		 const struct sample *now, const pmValue *b, double *ret_rate);

/* Makes the next line be preceded by the names of the instances again. */
void columns_forget(void);

/*
 * object - a sample as one JSON object a line.
 */

/* Writes the values of a sample, or the rates since `before`; before: NULL if there are none. */
void object_print(const struct view *v, const struct sample *before, const struct sample *now);

/* Writes a sample without values. */
void object_print_none(const struct view *v, const struct sample *now);

/* Writes that recording was suspended at a time. */
void object_print_mark(const struct view *v, const struct timespec *when);

/*
 * number - a real number in a column, with as many digits as are significant.
 */

/*
 * Prints v right-adjusted in width characters: with precision digits after the point, or, if
 * precision is negative, in a form that depends on its size and aligns the points of numbers of
 * similar size (docs/spec/tools.md 4).
 */
void number_print(double v, int width, int precision);

/*
 * rate - the rate between two values of a counter.
 */

/*
 * The units of the rate of a counter: one less in the dimension of time, per second. The rate of a
 * counter of time is a share of time, without dimension.
 */
pmUnits rate_units(pmUnits counter);

/*
 * The rate between two values of a metric, `seconds` apart. A counter that decreased gives a
 * negative rate, unless PCP_COUNTER_WRAP says that it wrapped. Returns 0, or an error if a value is
 * not a number of the metric's type.
 */
int rate_between(const pmDesc *desc, int before_fmt, const pmValue *before, int now_fmt,
		 const pmValue *now, double seconds, double *ret_rate);

/*
 * stamp - the time at the beginning of a sample.
 */

/*
 * Prints a time in the reporting zone: the clock (detail 0), also the date (1), also nanoseconds
 * (2).
 */
void stamp_print(const struct timespec *when, int detail);

/* The number of characters of such a stamp. */
int stamp_width(int detail);

/*
 * store - stores a value before the metric is watched (-x).
 */

/*
 * Stores a value, given as text, to all chosen instances. Returns 0, or an error after reporting
 * it.
 */
int store_value(const struct target *t, const char *text);

/*
 * sample - the loop over time: fetch, print, wait.
 */

/*
 * Prints as many samples as the options request, or as fit in their time window. Returns 0 at the
 * end, or an error after reporting it.
 */
int sample_run(const struct view *v);

#endif
