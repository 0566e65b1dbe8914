/*
 * pmdumplog - prints the contents of an archive (docs/spec/logger.md D1).
 */
#include <stdio.h>

#include "libstore/archive.h"
#include "tools/archive/heading.h"
#include "tools/archive/recording.h"
#include "tools/common/output.h"
#include "tools/common/source.h"
#include "tools/pmdumplog/chosen.h"
#include "tools/pmdumplog/descs.h"
#include "tools/pmdumplog/dump.h"
#include "tools/pmdumplog/index.h"
#include "tools/pmdumplog/indoms.h"
#include "tools/pmdumplog/labels.h"
#include "tools/pmdumplog/metrics.h"
#include "tools/pmdumplog/options.h"
#include "tools/pmdumplog/raw.h"
#include "tools/pmdumplog/records.h"
#include "tools/pmdumplog/texts.h"

enum { OUTPUT_BUFFER = 256 << 10 };

static void print_heading(const struct dump *d)
{
	const struct log_label *label = d->recording.label;
	struct heading_style style = {
	    .indent = 4, .digits = heading_digits(label), .features = true};

	heading_print(stdout, label, d->recording.end_error < 0 ? NULL : &d->recording.end, &style);
	if (d->options->sections & SECTION_HEADING_MORE)
		heading_more(stdout, label, &style);
}

static int report(const char *what, int sts)
{
	char text[PM_MAXERRMSGLEN];

	fflush(stdout);
	fprintf(stderr, "%s: %s: %s\n", pmGetProgname(), what,
		pmErrStr_r(sts, text, sizeof(text)));
	return 1;
}

/* Prints the sections in their fixed order. */
static int print_sections(const struct dump *d, const struct chosen *chosen)
{
	unsigned int sections = d->options->sections;
	int sts = 0;

	if (sections & SECTION_HEADING)
		print_heading(d);
	if (sections & SECTION_DESCS)
		descs_print(d);
	if (sections & SECTION_LABELS)
		sts = labels_print(d);
	if (sts >= 0 && sections & SECTION_TEXTS)
		sts = texts_print(d);
	if (sts >= 0 && sections & SECTION_INDOM_RECORDS)
		sts = indoms_print_records(d);
	if (sts >= 0 && sections & SECTION_INDOMS)
		sts = indoms_print(d);
	if (sts < 0)
		return report("metadata", sts);
	if (sections & SECTION_INDEX)
		sts = index_print(d);
	if (sts >= 0 && sections & SECTION_RECORDS)
		sts = records_print(d, chosen);
	return sts < 0 ? report("pmFetch", sts) : 0;
}

static int dump_archive(const struct options *o)
{
	struct dump d = {.options = o};
	struct chosen chosen = {0};
	int status = 1;
	int sts = recording_open(o->archive, 0, &d.recording);

	if (sts < 0) {
		source_archive_failed(o->archive, sts);
		return 1;
	}
	recording_warn(&d.recording, o->archive);
	if (window_choose(&o->pm, &d.recording, &d.window) &&
	    chosen_find(d.recording.meta, o->pm.nsflag, o->metrics, o->nmetrics, &chosen)) {
		d.metrics = metrics_new(d.recording.meta, o->pm.nsflag);
		status = print_sections(&d, &chosen);
		metrics_free(d.metrics);
		if (window_misses(&d.window, &d.recording))
			status = 1;
	}
	chosen_done(&chosen);
	recording_close(&d.recording);
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
		status = o.raw != NULL ? (raw_print(o.raw) ? 0 : 1) : dump_archive(&o);
	options_done(&o);
	return output_finish(status);
}
