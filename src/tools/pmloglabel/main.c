/*
 * pmloglabel - checks and rewrites the labels of an archive (docs/spec/logger.md D3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libstore/archive_files.h"
#include "tools/archive/heading.h"
#include "tools/archive/recording.h"
#include "tools/common/output.h"
#include "tools/common/source.h"
#include "tools/pmloglabel/options.h"
#include "tools/pmloglabel/piece.h"

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

static void set_text(char *to, const char *from)
{
	size_t len = strnlen(from, LOG_LABEL_TEXT - 1);

	memset(to, 0, LOG_LABEL_TEXT);
	memcpy(to, from, len);
}

/* A zone's name belongs to its rules: with new rules the name is unknown. */
static void change(struct log_label *label, const struct options *o)
{
	if (o->host != NULL)
		set_text(label->host, o->host);
	if (o->timezone != NULL) {
		set_text(label->timezone, o->timezone);
		set_text(label->zoneinfo, "");
	}
	if (o->set_pid)
		label->pid = o->pid;
}

static bool write_all(const struct pieces *p, const struct options *o, const struct log_label *label)
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

static void print_heading(const struct options *o, const struct log_label *label)
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

static int run(const struct options *o, struct pieces *p)
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
	change(&label, o);
	if (o->write && !write_all(p, o, &label))
		status = STATUS_NOT_WRITTEN;
	if (o->heading)
		print_heading(o, &label);
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
	status = run(o, &pieces);
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
