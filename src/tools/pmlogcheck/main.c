/*
 * pmlogcheck - checks an archive for errors (docs/spec/archive.md 12).
 */
#include "tools/pmlogcheck/pmlogcheck.h"

#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/archive_files.h"
#include "libstore/member.h"
#include "tools/archive/product.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"
#include "tools/pmlogcheck/frames.h"

/*
 * The command line
 */

enum { KEEP_UNDESCRIBED = 7 }; /* an option without a letter */

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ { "label", 0, 'l', 0, "print the archive label" }, CMDLINE_FLAG, AT(heading) },
	{ { "metadataonly", 0, 'm', 0, "skip checking log data volumes" }, CMDLINE_FLAG, AT(metadata_only) },
	{ PMOPT_NAMESPACE },
	{ { "repair", 1, 'R', "OUT", "copy what is whole to a new archive" }, CMDLINE_TEXT, AT(repair) },
	{ { "keep-undescribed", 0, KEEP_UNDESCRIBED, NULL, NULL }, CMDLINE_FLAG, AT(keep_undescribed) },
	{ { "", 0, '|', NULL, "  --keep-undescribed    with -R: copy values of metrics without a description" }, CMDLINE_LIBRARY },
	{ PMOPT_START, CMDLINE_START },
	{ PMOPT_FINISH },
	{ { "trim", 0, 't', 0, "cut a torn end off the files, in place, and write the index" }, CMDLINE_FLAG, AT(trim) },
	{ { "verbose", 0, 'v', 0, "verbose output" }, CMDLINE_FLAG, AT(verbose) },
	{ PMOPT_VERSION },
	{ { "nowrap", 0, 'w', 0, "suppress counter wrap warnings" }, CMDLINE_FLAG, AT(no_wraps) },
	FINDING_STRICT_ROWS,
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE, CMDLINE_HOSTZONE, .complaint = "at most one of -Z and -z allowed" },
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
	o->pm.short_usage = "[options] archive";
	cmdline_parse(o, rows, argc, argv);
	if (o->trim && o->repair != NULL)
		cmdline_complain(&o->pm, "at most one of --trim and --repair allowed");
	if (o->keep_undescribed && o->repair == NULL)
		cmdline_complain(&o->pm, "--keep-undescribed is for --repair");
	if (o->pm.errors == 0 && o->pm.optind >= argc && (o->pm.flags & PM_OPTFLAG_EXIT) == 0) {
		pmprintf("Error: no archive specified\n\n");
		o->pm.errors++;
	}
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->archive = argv[o->pm.optind];
	return true;
}

static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

static bool check_piece(const char *path, enum frames_kind kind, struct frames_version *first,
			bool verbose)
{
	const char *name = pieces_name(path);
	char text[PM_MAXERRMSGLEN];
	struct frames f;
	struct member *m;
	int sts;

	sts = member_open(path, &m);
	if (sts < 0) {
		fprintf(finding(), "%s: cannot open file: %s\n", name,
			pmErrStr_r(sts, text, sizeof(text)));
		return false;
	}
	progress_begin(name, verbose);
	f = frames_check(m, name, kind, first, verbose, stderr, progress_tick);
	progress_clear();
	member_close(m);
	return !f.fatal;
}

/* "DIR/BASE" of a missing file: the directory is always printed. */
static void say_missing(const char *base, const char *what)
{
	fprintf(finding(), "%s%s%s\n", strchr(base, '/') != NULL ? "" : "./", base, what);
}

/* Checks all files and reports missing ones. Returns false if the archive cannot be opened. */
static bool pieces_check(const struct archive_files *files, bool verbose)
{
	struct frames_version first = {0};
	bool good = true;

	for (size_t i = 0; i < files->nvolumes; i++)
		good &= check_piece(files->volumes[i].path, FRAMES_DATA, &first, verbose);
	if (files->index != NULL)
		good &= check_piece(files->index, FRAMES_INDEX, &first, verbose);
	if (files->meta != NULL)
		good &= check_piece(files->meta, FRAMES_META, &first, verbose);
	else
		say_missing(files->base, ".meta: missing metadata file");
	if (files->nvolumes == 0)
		say_missing(files->base, ".0 (or similar): missing log file ");
	return good && files->meta != NULL && files->nvolumes > 0;
}

/*
 * The program
 */

/* The end of the archive, or of the window. */
static void pmlogcheck_print_heading(const struct check *c)
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
		pmlogcheck_print_heading(c);
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
