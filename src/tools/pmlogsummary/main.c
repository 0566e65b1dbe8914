/*
 * pmlogsummary - averages, extremes and counts of the values in an archive (docs/spec/logger.md
 * D5).
 */
#include "tools/pmlogsummary/pmlogsummary.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libdisk/result_view.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * The command line
 */

enum {
	PRECISION = 3,
	PRECISION_MAX = 300,
	BINS_MAX = 100000,
};

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	{ "all", 0, 'a', 0, "print all information (equivalent to -blmMy)" },
	{ "", 0, 'b', 0, "print both stochastic and time averages for counter metrics" },
	{ "bins", 1, 'B', "N", "print value distribution across a number of bins" },
	{ "", 0, 'f', 0, "print using \"spreadsheet\" format (tab delimited fields)" },
	{ "", 0, 'F', 0, "print using \"spreadsheet\" format (comma separated values)" },
	{ "header", 0, 'H', 0, "print one-line header at start showing each column" },
	{ "mintime", 0, 'i', 0, "also print timestamp for minimum value" },
	{ "maxtime", 0, 'I', 0, "also print timestamp for maximum value" },
	{ "label", 0, 'l', 0, "also print the archive label and time window" },
	{ "minimum", 0, 'm', 0, "also print minimum value" },
	{ "maximum", 0, 'M', 0, "also print maximum value" },
	PMOPT_NAMESPACE,
	{ "", 0, 'N', 0, "suppress warnings from individual archive fetches (default)" },
	{ "precision", 1, 'p', "N", "number of digits to display after the decimal point" },
	{ "sum", 0, 's', 0, "only print the sum of all values of each metric" },
	PMOPT_START,
	PMOPT_FINISH,
	{ "verbose", 0, 'v', 0, "verbose, enable warnings from individual archive fetches" },
	{ "", 0, 'x', 0, "print only stochastic averages for counter metrics" },
	{ "samples", 0, 'y', 0, "print sample count for each metric" },
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	PMOPT_VERSION,
	PMOPT_HELP,
	PMAPI_OPTIONS_END
};

/* Options that add fields. */
static const struct {
	int letter;
	unsigned int fields;
} choices[] = {
	{ 'a', FIELD_STOCHASTIC | FIELD_TIME | FIELD_MIN | FIELD_MAX | FIELD_COUNT },
	{ 'b', FIELD_STOCHASTIC | FIELD_TIME },
	{ 'B', FIELD_BINS },
	{ 'i', FIELD_MIN_TIME },
	{ 'I', FIELD_MAX_TIME },
	{ 'm', FIELD_MIN },
	{ 'M', FIELD_MAX },
	{ 's', FIELD_SUM },
	{ 'x', FIELD_STOCHASTIC },
	{ 'y', FIELD_COUNT },
};
/* clang-format on */

static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return strchr("aNps", letter) != NULL || window_letter(letter);
}

/* The argument as a number from 0 up; otherwise an error is reported and counted. */
static int pmlogsummary_get_number(struct options *o, const char *complaint, int most)
{
	char *end;
	long n = strtol(o->pm.optarg, &end, 10);

	if (*o->pm.optarg != '\0' && *end == '\0' && n >= 0 && n <= most)
		return (int)n;
	cmdline_complain(&o->pm, complaint);
	return 0;
}

static void set_option(void *arg, int letter)
{
	struct options *o = arg;

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (choices[i].letter == letter)
			o->fields |= choices[i].fields;
	o->heading |= letter == 'a' || letter == 'l';
	o->header |= letter == 'H';
	if (letter == 'v' || letter == 'N')
		o->verbose = letter == 'v';
	if (letter == 'B')
		o->bins =
		    pmlogsummary_get_number(o, "-B requires positive numeric argument", BINS_MAX);
	else if (letter == 'p')
		o->precision =
		    pmlogsummary_get_number(o, "-p requires numeric argument", PRECISION_MAX);
	else if (letter == 'f')
		o->delimiter = '\t';
	else if (letter == 'F')
		o->delimiter = ',';
	else if (strchr("abBiImMsxylHNv", letter) == NULL)
		o->pm.errors++;
}

/*
 * Completes the choice: no bins without a number of them, the sum alone, the time average by
 * default.
 */
static void choose_fields(struct options *o)
{
	if (o->bins == 0)
		o->fields &= ~FIELD_BINS;
	if (o->fields & FIELD_SUM)
		o->fields = FIELD_SUM;
	else if ((o->fields & FIELD_STOCHASTIC) == 0)
		o->fields |= FIELD_TIME;
}

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	memset(o, 0, sizeof(*o));
	o->delimiter = ' ';
	o->precision = PRECISION;
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_options = "abB:D:fFHiIlmMn:Np:sS:T:vVxyZ:z?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] archive [metricname ...]";
	o->pm.override = is_ours;
	window_options(&o->pm, argc, argv, "at most one of -Z and -z allowed", set_option, o);
	if (o->pm.errors == 0 && o->pm.optind >= argc && (o->pm.flags & PM_OPTFLAG_EXIT) == 0) {
		pmprintf("Error: no archive specified\n\n");
		o->pm.errors++;
	}
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	choose_fields(o);
	o->archive = argv[o->pm.optind];
	o->metrics = argv + o->pm.optind + 1;
	o->nmetrics = argc - o->pm.optind - 1;
	return true;
}

static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

/*
 * scan - one pass over the records of the window, which adds every value to its series.
 */

static double as_double(int type, const pmAtomValue *atom)
{
	switch (type) {
	case PM_TYPE_32:
		return atom->l;
	case PM_TYPE_U32:
		return atom->ul;
	case PM_TYPE_64:
		return (double)atom->ll;
	case PM_TYPE_U64:
		return (double)atom->ull;
	case PM_TYPE_FLOAT:
		return (double)atom->f;
	default:
		return atom->d;
	}
}

static int add_set(struct subject *subject, const struct result_view *view,
		   const struct vset_view *set, int nbins)
{
	int type = subject->desc.type;
	struct wire_value value;
	struct series *series;
	pmAtomValue atom;
	double number;
	int inst;

	for (int32_t i = 0; i < set->numval; i++) {
		int sts = vset_view_value(view, set, i, &value);

		if (sts < 0)
			return sts;
		if (wire_value_number(&value, type, &atom) < 0)
			continue;
		/* old loggers gave values without instance domain any instance number */
		inst = subject->desc.indom == PM_INDOM_NULL ? -1 : value.inst;
		if (!inst_set_has(&subject->insts, inst))
			continue;
		series = subject_series(subject, inst);
		number = as_double(type, &atom);
		if (!isnan(number))
			series_add(series, &subject->kind, number, &view->stamp, nbins);
	}
	return 0;
}

/* Values without a descriptor are skipped; with -v each such metric is reported once. */
static void report_unknown(struct subjects *s, pmID pmid)
{
	uint64_t hash = hash_u64(pmid);
	char id[32], text[PM_MAXERRMSGLEN];

	if (!s->verbose || archive_meta_metric(s->meta, pmid) != NULL ||
	    hash_find(&s->unknown, hash, NULL, NULL) != NULL)
		return;
	if (hash_add(&s->unknown, hash, s) < 0)
		pmNoMem("metrics", sizeof(pmid), PM_FATAL_ERR);
	fprintf(stderr, "%s: <nonames>(%s) - cannot find descriptor: %s\n", pmGetProgname(),
		pmIDStr_r(pmid, id, sizeof(id)),
		pmErrStr_r(PM_ERR_PMID_LOG, text, sizeof(text)));
}

static int add_record(struct subjects *s, const struct result_view *view, int nbins)
{
	struct result_walk walk = result_walk_begin(view);
	struct subject *subject;
	struct vset_view set;
	int sts;

	while ((sts = result_walk_next(view, &walk, &set)) > 0) {
		if (set.numval <= 0)
			continue;
		subject = subjects_get(s, set.pmid);
		if (subject == NULL) {
			report_unknown(s, set.pmid);
			continue;
		}
		sts = add_set(subject, view, &set, nbins);
		if (sts < 0)
			break;
	}
	return sts;
}

static void break_all(struct subjects *s, const struct timespec *when)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->list[i].n; j++)
			series_break(s->list[i].list[j], &s->list[i].kind, when);
}

/* Returns 0 or an error. */
static int scan_run(struct subjects *s, const struct recording *r, const struct window *window, int nbins)
{
	struct result_view view;
	int sts = archive_set_seek_forward(r->set, &window->start);

	while (sts >= 0) {
		sts = archive_set_next(r->set, &view);
		if (sts <= 0 || stamp_compare(&view.stamp, &window->finish) > 0)
			break;
		if (result_view_is_mark(&view))
			break_all(s, &view.stamp);
		else
			sts = add_record(s, &view, nbins);
	}
	break_all(s, &window->finish);
	return sts < 0 ? sts : 0;
}

/*
 * The program
 */

enum { OUTPUT_BUFFER = 64 << 10 };

/* The time of the window, not of the archive. */
static void pmlogsummary_print_heading(const struct recording *r, const struct window *window)
{
	struct heading_style style = {.indent = 2, .digits = STAMP_MILLI};
	struct log_label label = *r->label;

	label.start = window->start;
	heading_print(stdout, &label, r->end_error < 0 ? NULL : &window->finish, &style);
}

/* A second pass fills the bins, because the extremes are known only after the first. */
static int scan(const struct options *o, struct subjects *s, const struct recording *r,
		const struct window *window)
{
	int sts = scan_run(s, r, window, 0);

	if (sts < 0 || (o->fields & FIELD_BINS) == 0)
		return sts;
	for (size_t i = 0; i < s->n; i++) {
		s->list[i].next = 0;
		for (size_t j = 0; j < s->list[i].n; j++)
			series_restart(s->list[i].list[j], o->bins);
	}
	return scan_run(s, r, window, o->bins);
}

static int summarize(const struct options *o, const struct recording *r,
		     const struct window *window)
{
	struct subjects subjects;
	char text[PM_MAXERRMSGLEN];
	int sts;

	if (o->heading)
		pmlogsummary_print_heading(r, window);
	if (o->header)
		report_header(o);
	subjects_find(&subjects, r->meta, o->metrics, o->nmetrics);
	subjects.verbose = o->verbose;
	sts = scan(o, &subjects, r, window);
	report_all(o, &subjects, r->meta, window);
	subjects_done(&subjects);
	if (sts < 0)
		fprintf(stderr, "%s: fetch failed: %s\n", pmGetProgname(),
			pmErrStr_r(sts, text, sizeof(text)));
	return sts < 0 ? 1 : 0;
}

static int summarize_archives(const struct options *o)
{
	struct recording r;
	struct window window;
	int status = 1;
	int sts;

	sts = recording_open_set(o->archive, &r);
	if (sts < 0) {
		source_archive_failed(o->archive, sts);
		return 1;
	}
	recording_warn(&r, o->archive);
	if (window_choose(&o->pm, &r, &window)) {
		status = summarize(o, &r, &window);
		status = window_misses(&window, &r) ? 1 : status;
	}
	recording_close(&r);
	return status;
}

int main(int argc, char **argv)
{
	static char buffer[OUTPUT_BUFFER];
	struct options o;
	int status = 1;

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	recording_report_refusals();
	if (options_parse(&o, argc, argv, &status))
		status = summarize_archives(&o);
	options_done(&o);
	return output_finish(status);
}
