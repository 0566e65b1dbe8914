/*
 * pmdumplog - prints the contents of an archive (docs/spec/logger.md D1).
 */
#include "tools/pmdumplog/pmdumplog.h"

#include <stdio.h>
#include <string.h>

#include "libstore/archive.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * The command line
 */

static void choose_all(void *options)
{
	struct options *o = options;

	o->sections |= SECTION_DESCS | SECTION_INDOMS | SECTION_HEADING | SECTION_HEADING_MORE |
		       SECTION_RECORDS | SECTION_INDEX;
	o->sizes = true;
}

/* Reads the archive and the metrics. Returns false after reporting an error. */
static bool take_arguments(struct options *o, int argc, char **argv)
{
	o->archive = argv[o->pm.optind];
	o->metrics = argv + o->pm.optind + 1;
	o->nmetrics = argc - o->pm.optind - 1;
	return recording_is_one(o->archive);
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ { "all", 0, 'a', 0, "dump everything" }, CMDLINE_CALL, .call = choose_all },
	{ { "descs", 0, 'd', 0, "dump metric descriptions" }, CMDLINE_BITS, AT(sections), SECTION_DESCS },
	{ { "labelsets", 0, 'e', 0, "dump all metric label metadata" }, CMDLINE_BITS, AT(sections), SECTION_LABELS },
	{ { "helptext", 0, 'h', 0, "dump all metric help text" }, CMDLINE_BITS, AT(sections), SECTION_TEXTS },
	{ { "on-disk-insts", 0, 'I', 0, "dump on-disk instance domain descriptions" }, CMDLINE_BITS, AT(sections), SECTION_INDOM_RECORDS },
	{ { "insts", 0, 'i', 0, "dump instance domain descriptions" }, CMDLINE_BITS, AT(sections), SECTION_INDOMS },
	{ { "", 0, 'L', 0, "more verbose form of archive label dump" }, CMDLINE_BITS, AT(sections), SECTION_HEADING | SECTION_HEADING_MORE },
	{ { "label", 0, 'l', 0, "dump the archive label" }, CMDLINE_BITS, AT(sections), SECTION_HEADING },
	{ { "markrecs", 0, 'M', 0, "report <mark> records" }, CMDLINE_FLAG, AT(marks) },
	{ { "metrics", 0, 'm', 0, "dump values of the metrics (default)" }, CMDLINE_BITS, AT(sections), SECTION_RECORDS },
	{ PMOPT_NAMESPACE },
	{ { "reverse", 0, 'r', 0, "process archive in reverse chronological order" }, CMDLINE_FLAG, AT(reverse) },
	{ PMOPT_START, CMDLINE_START },
	{ { "sizes", 0, 's', 0, "report size of data records in archive" }, CMDLINE_FLAG, AT(sizes) },
	{ PMOPT_FINISH },
	{ { "", 0, 't', 0, "dump the temporal index" }, CMDLINE_BITS, AT(sections), SECTION_INDEX },
	{ { "", 1, 'v', "FILE", "verbose hex dump of a physical file in raw format" }, CMDLINE_TEXT, AT(raw) },
	{ { "", 0, 'x', 0, "include date, usec (-xx) and Epoch (-xxx) in reported timestamps" }, CMDLINE_COUNT, AT(detail) },
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
	o->pm.version = PMAPI_VERSION_3;
	o->pm.flags = PM_OPTFLAG_STDOUT_TZ;
	o->pm.short_usage = "[options] [archive [metricname ...]]";
	cmdline_parse(o, rows, argc, argv);
	if (o->raw == NULL && o->pm.optind >= argc && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		o->pm.errors++;
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	*ret_status = 1;
	if (o->sections == 0)
		o->sections = SECTION_RECORDS;
	return o->raw != NULL || take_arguments(o, argc, argv);
}

static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

/*
 * The program
 */

enum { OUTPUT_BUFFER = 256 << 10 };

static void pmdumplog_print_heading(const struct dump *d)
{
	const struct log_label *label = d->recording.label;
	struct heading_style style = {
	    .indent = 4, .digits = heading_digits(label), .features = true};

	heading_print(stdout, label, d->recording.end_error < 0 ? NULL : &d->recording.end, &style);
	if (d->options->sections & SECTION_HEADING_MORE)
		heading_more(stdout, label, &style);
}

static int pmdumplog_report(const char *what, int sts)
{
	char text[PM_MAXERRMSGLEN];

	fflush(stdout);
	fprintf(stderr, "%s: %s: %s\n", pmGetProgname(), what, pmErrStr_r(sts, text, sizeof(text)));
	return 1;
}

/* Prints the sections in their fixed order. */
static int print_sections(const struct dump *d, const struct chosen *chosen)
{
	unsigned int sections = d->options->sections;
	int sts = 0;

	if (sections & SECTION_HEADING)
		pmdumplog_print_heading(d);
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
		return pmdumplog_report("metadata", sts);
	if (sections & SECTION_INDEX)
		sts = index_print(d);
	if (sts >= 0 && sections & SECTION_RECORDS)
		sts = records_print(d, chosen);
	return sts < 0 ? pmdumplog_report("pmFetch", sts) : 0;
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
