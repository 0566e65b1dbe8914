/*
 * pmloglabel - checks and rewrites the labels of an archive (docs/spec/logger.md D3).
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/limits.h"
#include "libstore/archive_files.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"
#include "tools/pmloglabel/piece.h"

/*
 * options - the command line of pmloglabel.
 */

struct options {
	pmOptions pm;
	bool heading, more;
	bool verbose;
	bool write; /* fields that the options change */
	const char *host;
	const char *timezone;
	bool set_pid;
	int pid;
	int version; /* 0: not given */
	const char *archive;
};

/* A number in the range of int; otherwise an error is reported and counted. */
static int pmloglabel_get_number(struct options *o, const char *what)
{
	char *end, text[128];
	long n = strtol(o->pm.optarg, &end, 10);

	if (*o->pm.optarg != '\0' && *end == '\0' && n >= INT_MIN && n <= INT_MAX)
		return (int)n;
	pmsprintf(text, sizeof(text), "%s requires numeric argument", what);
	cmdline_complain(&o->pm, text);
	return 0;
}

static void set_pid(void *options)
{
	struct options *o = options;

	o->pid = pmloglabel_get_number(o, "-p");
	o->set_pid = true;
}

static void pmloglabel_set_version(void *options)
{
	struct options *o = options;
	char text[64];

	o->version = pmloglabel_get_number(o, "-V");
	if (o->version == DISK_V2 || o->version == DISK_V3)
		return;
	pmsprintf(text, sizeof(text), "unknown version number (%s)", o->pm.optarg);
	if (o->pm.errors == 0)
		cmdline_complain(&o->pm, text);
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ { "host", 1, 'h', "HOSTNAME", "set the hostname for all files in archive" }, CMDLINE_TEXT, AT(host) },
	{ { "label", 0, 'l', 0, "dump the archive label" }, CMDLINE_FLAG, AT(heading) },
	{ { "", 0, 'L', 0, "more verbose form of label dump" }, CMDLINE_FLAG, AT(more) },
	{ { "pid", 1, 'p', "PID", "set the logger process ID field for all files in archive" }, CMDLINE_CALL, .call = set_pid },
	{ { "", 0, 's', 0, "write the label sentinel values for all files in archive" }, CMDLINE_FLAG, AT(write) },
	{ { "verbose", 0, 'v', 0, "run in verbose mode, reporting on each stage of checking" }, CMDLINE_FLAG, AT(verbose) },
	{ { "version", 1, 'V', "NUM", "write magic and version numbers for all files in archive" }, CMDLINE_CALL, .call = pmloglabel_set_version },
	{ { "timezone", 1, 'Z', "TZ", "set the timezone for all files in archive" }, CMDLINE_TEXT, AT(timezone) },
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
	if (cmdline_is_version(argc, argv)) {
		*ret_status = 0;
		return false;
	}
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_usage = "[options] archive";
	cmdline_parse(o, rows, argc, argv);
	o->heading |= o->more;
	o->write |= o->host != NULL || o->timezone != NULL || o->set_pid || o->version != 0;
	if (o->pm.optind != argc - 1 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		cmdline_complain(&o->pm, "insufficient arguments");
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->archive = argv[o->pm.optind];
	return true;
}

static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

/*
 * The program
 */

/* Exit statuses. */
enum {
	STATUS_CLEAN = 0,
	STATUS_UNUSABLE = 1,
	STATUS_PROBLEMS = 2,
	STATUS_NOT_WRITTEN = 3,
};

struct pieces {
	struct piece *list; /* owned; data volumes ascending, index, metadata */
	size_t n;
	const struct piece *reference; /* the first good label; or one that could be read */
};

static void read_piece(struct pieces *p, const struct options *o, const char *path, int32_t volume)
{
	struct piece *piece = &p->list[p->n++];

	*piece = piece_read(path, volume);
	if (o->verbose)
		printf("Checking label on %s\n", piece->name);
}

static void read_all(struct pieces *p, const struct options *o, const struct archive_files *files)
{
	p->list = calloc(files->nvolumes + 2, sizeof(p->list[0]));
	if (p->list == NULL)
		pmNoMem("labels", files->nvolumes * sizeof(p->list[0]), PM_FATAL_ERR);
	for (size_t i = 0; i < files->nvolumes; i++)
		read_piece(p, o, files->volumes[i].path, files->volumes[i].number);
	if (files->index != NULL)
		read_piece(p, o, files->index, LOG_LABEL_VOL_INDEX);
	else if (o->verbose)
		puts("No temporal index found");
	read_piece(p, o, files->meta, LOG_LABEL_VOL_META);
	for (size_t i = 0; i < p->n && p->reference == NULL; i++)
		if (p->list[i].sts == 0)
			p->reference = &p->list[i];
	for (size_t i = 0; i < p->n && p->reference == NULL; i++)
		if (!p->list[i].unread)
			p->reference = &p->list[i];
}

/* Compares labels, except for the fields that will be rewritten. */
static unsigned int compared_fields(const struct options *o)
{
	unsigned int fields = PIECE_ALL_FIELDS;

	if (o->write)
		fields &= ~PIECE_ZONEINFO;
	if (o->host != NULL)
		fields &= ~PIECE_HOST;
	if (o->timezone != NULL)
		fields &= ~PIECE_TIMEZONE;
	if (o->set_pid)
		fields &= ~PIECE_PID;
	if (o->version != 0)
		fields &= ~PIECE_VERSION;
	return fields;
}

/* Reports each problem and returns their number. */
static int compare_all(const struct pieces *p, const struct options *o)
{
	unsigned int fields = compared_fields(o);
	int problems = 0;

	/* problems that will be fixed are reported on request; others always */
	if (o->write && !o->verbose && p->reference != NULL)
		return 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct piece *piece = &p->list[i];

		if (piece->sts < 0) {
			piece_complain(piece);
			problems++;
		} else if (piece->sts == 0) {
			problems += piece_compare(piece, p->reference, fields);
		}
	}
	return problems;
}

static void pmloglabel_set_text(char *to, const char *from)
{
	size_t len = strnlen(from, LOG_LABEL_TEXT - 1);

	memset(to, 0, LOG_LABEL_TEXT);
	memcpy(to, from, len);
}

/* A zone's name belongs to its rules: with new rules the name is unknown. */
static void pmloglabel_change(struct log_label *label, const struct options *o)
{
	if (o->host != NULL)
		pmloglabel_set_text(label->host, o->host);
	if (o->timezone != NULL) {
		pmloglabel_set_text(label->timezone, o->timezone);
		pmloglabel_set_text(label->zoneinfo, "");
	}
	if (o->set_pid)
		label->pid = o->pid;
}

static bool write_all(const struct pieces *p, const struct options *o,
		      const struct log_label *label)
{
	char text[PM_MAXERRMSGLEN];
	bool good = true;

	for (size_t i = 0; i < p->n; i++) {
		int sts;

		if (o->verbose)
			printf("Writing label on %s\n", p->list[i].name);
		sts = piece_write(&p->list[i], label);
		if (sts < 0)
			fprintf(stderr, "Failed %s write: %s\n", p->list[i].name,
				pmErrStr_r(sts, text, sizeof(text)));
		good = good && sts >= 0;
	}
	return good;
}

static void pmloglabel_print_heading(const struct options *o, const struct log_label *label)
{
	struct heading_style style = {.indent = 2, .digits = STAMP_MILLI};
	struct recording r = {0};
	char text[PM_MAXERRMSGLEN], why[PM_MAXERRMSGLEN + 32];
	int sts = recording_open(o->archive, 0, &r);
	const char *what = sts < 0 ? "pmNewContext" : "pmGetArchiveEnd";

	if (sts >= 0)
		sts = r.end_error;
	if (sts < 0) {
		pmsprintf(why, sizeof(why), "%s: %s", what, pmErrStr_r(sts, text, sizeof(text)));
		style.why = why;
	}
	heading_print(stdout, label, sts < 0 ? NULL : &r.end, &style);
	if (o->more)
		heading_more(stdout, label, &style);
	recording_close(&r);
}

static int pmloglabel_run(const struct options *o, struct pieces *p)
{
	struct log_label label;
	int status = compare_all(p, o) > 0 ? STATUS_PROBLEMS : STATUS_CLEAN;

	if (p->reference == NULL)
		return STATUS_PROBLEMS;
	label = p->reference->label;
	if (o->version != 0 && o->version != label.version) {
		fprintf(stderr,
			"%s: a label of version %d has no room in an archive of version %d\n",
			pmGetProgname(), o->version, label.version);
		return STATUS_NOT_WRITTEN;
	}
	pmloglabel_change(&label, o);
	if (o->write && !write_all(p, o, &label))
		status = STATUS_NOT_WRITTEN;
	if (o->heading)
		pmloglabel_print_heading(o, &label);
	return status;
}

static int label_archive(const struct options *o)
{
	struct archive_files files;
	struct pieces pieces = {0};
	int status;
	int sts = archive_files_find(o->archive, &files);

	if (sts < 0) {
		source_archive_failed(o->archive, sts);
		return STATUS_UNUSABLE;
	}
	if (o->verbose)
		printf("Scanning for components of archive \"%s\"\n", o->archive);
	read_all(&pieces, o, &files);
	status = pmloglabel_run(o, &pieces);
	free(pieces.list);
	archive_files_done(&files);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	int status = STATUS_UNUSABLE;

	recording_report_refusals();
	if (options_parse(&o, argc, argv, &status))
		status = label_archive(&o);
	options_done(&o);
	return output_finish(status);
}
