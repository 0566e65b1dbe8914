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

static void choose_all(void *options)
{
	struct options *o = options;

	o->fields |= FIELD_STOCHASTIC | FIELD_TIME | FIELD_MIN | FIELD_MAX | FIELD_COUNT;
	o->heading = true;
}

static void use_tabs(void *options)
{
	((struct options *)options)->delimiter = '\t';
}

static void use_commas(void *options)
{
	((struct options *)options)->delimiter = ',';
}

/* Completes the choice: bins if there is a number of them, the sum alone, the time average by
 * default. */
static void choose_fields(struct options *o)
{
	if (o->bins != 0)
		o->fields |= FIELD_BINS;
	if (o->fields & FIELD_SUM)
		o->fields = FIELD_SUM;
	else if ((o->fields & FIELD_STOCHASTIC) == 0)
		o->fields |= FIELD_TIME;
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ { "all", 0, 'a', 0, "print all information (equivalent to -blmMy)" }, CMDLINE_CALL, .call = choose_all },
	{ { "", 0, 'b', 0, "print both stochastic and time averages for counter metrics" }, CMDLINE_BITS, AT(fields), FIELD_STOCHASTIC | FIELD_TIME },
	{ { "bins", 1, 'B', "N", "print value distribution across a number of bins" }, CMDLINE_INT, AT(bins), .max = BINS_MAX,
	  .complaint = "-B requires positive numeric argument" },
	{ { "", 0, 'f', 0, "print using \"spreadsheet\" format (tab delimited fields)" }, CMDLINE_CALL, .call = use_tabs },
	{ { "", 0, 'F', 0, "print using \"spreadsheet\" format (comma separated values)" }, CMDLINE_CALL, .call = use_commas },
	{ { "header", 0, 'H', 0, "print one-line header at start showing each column" }, CMDLINE_FLAG, AT(header) },
	{ { "mintime", 0, 'i', 0, "also print timestamp for minimum value" }, CMDLINE_BITS, AT(fields), FIELD_MIN_TIME },
	{ { "maxtime", 0, 'I', 0, "also print timestamp for maximum value" }, CMDLINE_BITS, AT(fields), FIELD_MAX_TIME },
	{ { "label", 0, 'l', 0, "also print the archive label and time window" }, CMDLINE_FLAG, AT(heading) },
	{ { "minimum", 0, 'm', 0, "also print minimum value" }, CMDLINE_BITS, AT(fields), FIELD_MIN },
	{ { "maximum", 0, 'M', 0, "also print maximum value" }, CMDLINE_BITS, AT(fields), FIELD_MAX },
	{ PMOPT_NAMESPACE },
	{ { "", 0, 'N', 0, "suppress warnings from individual archive fetches (default)" }, CMDLINE_OFF, AT(verbose) },
	{ { "precision", 1, 'p', "N", "number of digits to display after the decimal point" }, CMDLINE_INT, AT(precision), .max = PRECISION_MAX,
	  .complaint = "-p requires numeric argument" },
	{ { "sum", 0, 's', 0, "only print the sum of all values of each metric" }, CMDLINE_BITS, AT(fields), FIELD_SUM },
	{ PMOPT_START, CMDLINE_START },
	{ PMOPT_FINISH },
	{ { "verbose", 0, 'v', 0, "verbose, enable warnings from individual archive fetches" }, CMDLINE_FLAG, AT(verbose) },
	{ { "", 0, 'x', 0, "print only stochastic averages for counter metrics" }, CMDLINE_BITS, AT(fields), FIELD_STOCHASTIC },
	{ { "samples", 0, 'y', 0, "print sample count for each metric" }, CMDLINE_BITS, AT(fields), FIELD_COUNT },
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE, CMDLINE_HOSTZONE, .complaint = "at most one of -Z and -z allowed" },
	{ PMOPT_VERSION },
	{ PMOPT_HELP },
	{ PMOPT_DEBUG, .form = CMDLINE_LETTER_ONLY },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

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
	o->pm.short_usage = "[options] archive [metricname ...]";
	cmdline_parse(o, rows, argc, argv);
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
		pmIDStr_r(pmid, id, sizeof(id)), pmErrStr_r(PM_ERR_PMID_LOG, text, sizeof(text)));
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
static int scan_run(struct subjects *s, const struct recording *r, const struct window *window,
		    int nbins)
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
