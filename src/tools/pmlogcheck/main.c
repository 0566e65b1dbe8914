/*
 * pmlogcheck - checks an archive for errors (docs/spec/archive.md 12).
 */
#include <stdio.h>

#include "libstore/archive_files.h"
#include "libbase/cleanup.h"
#include "tools/archive/heading.h"
#include "tools/archive/recording.h"
#include "tools/common/finding.h"
#include "tools/common/output.h"
#include "tools/pmlogcheck/check.h"
#include "tools/pmlogcheck/index.h"
#include "tools/pmlogcheck/metrics.h"
#include "tools/pmlogcheck/options.h"
#include "tools/pmlogcheck/pieces.h"
#include "tools/pmlogcheck/records.h"
#include "tools/pmlogcheck/repair.h"
#include "tools/pmlogcheck/trim.h"

/* The end of the archive, or of the window. */
static void print_heading(const struct check *c)
{
	const struct recording *r = &c->recording;
	struct heading_style style = {.indent = 2, .digits = STAMP_MILLI};

	heading_print(stderr, r->label, r->end_error < 0 ? NULL : &c->window.finish, &style);
}

/* Runs passes 1 to 3. */
static int check_recording(struct check *c)
{
	char text[PM_MAXERRMSGLEN];
	int sts = recording_open(c->options->archive, 0, &c->recording);

	if (sts < 0) {
		fprintf(stderr, "%s: cannot open archive \"%s\": %s\nChecking abandoned.\n",
			pmGetProgname(), c->options->archive, pmErrStr_r(sts, text, sizeof(text)));
		return 1;
	}
	if (!window_choose(&c->options->pm, &c->recording, &c->window)) {
		recording_close(&c->recording);
		return 1;
	}
	fflush(stdout); /* the note about the time zone comes before messages on standard error */
	if (c->options->heading)
		print_heading(c);
	index_check(c);
	metrics_check(c);
	if (!c->options->metadata_only)
		records_check(c);
	recording_close(&c->recording);
	return 0;
}

static int check_files(const struct options *o, struct archive_files *files)
{
	struct check c = {.options = o};

	if (files->index == NULL && files->meta == NULL && files->nvolumes == 0) {
		fprintf(stderr, "%s: no PCP archive files match \"%s\"\n", pmGetProgname(),
			o->archive);
		return 1;
	}
	if (o->trim && !trim_run(files))
		return 1;
	c.name = pieces_name(files->base);
	if (o->verbose)
		fprintf(stderr, "Scanning for components of archive \"%s\"\n", o->archive);
	if (!pieces_check(files, o->verbose)) {
		if (o->verbose)
			fprintf(stderr, "Due to earlier errors, cannot continue ... bye\n");
		return 1;
	}
	return check_recording(&c);
}

/* Finds the files by the name of the archive or of one of its files. */
static int find_files(const char *name, struct archive_files *ret_files)
{
	AUTO_FREE char *base = NULL;
	int sts = archive_files_base(name, &base);

	return sts < 0 ? sts : archive_files_members(base, ret_files);
}

static int check_archive(const struct options *o)
{
	struct archive_files files;
	char text[PM_MAXERRMSGLEN];
	int sts = find_files(o->archive, &files);
	int status;

	if (sts < 0) {
		fprintf(stderr, "%s: cannot open archive \"%s\": %s\n", pmGetProgname(), o->archive,
			pmErrStr_r(sts, text, sizeof(text)));
		return 1;
	}
	status = check_files(o, &files);
	archive_files_done(&files);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	int status = 1;

	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	recording_report_refusals();
	if (options_parse(&o, argc, argv, &status)) {
		if (o.repair != NULL)
			status = repair_run(o.archive, o.repair, o.keep_undescribed) ? 0 : 1;
		else
			status = check_archive(&o);
	}
	options_done(&o);
	return output_finish(finding_status(status));
}
