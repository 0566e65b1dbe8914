/*
 * pmlogsummary - averages, extremes and counts of the values in an archive (docs/spec/logger.md
 * D5).
 */
#include <stdio.h>

#include "libdisk/log_label.h"
#include "tools/archive/heading.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/output.h"
#include "tools/common/source.h"
#include "tools/pmlogsummary/options.h"
#include "tools/pmlogsummary/report.h"
#include "tools/pmlogsummary/scan.h"
#include "tools/pmlogsummary/subjects.h"

enum { OUTPUT_BUFFER = 64 << 10 };

/* The time of the window, not of the archive. */
static void print_heading(const struct recording *r, const struct window *window)
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
		print_heading(r, window);
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
