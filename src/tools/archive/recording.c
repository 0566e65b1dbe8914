/*
 * recording - an archive that is read: the files that an argument names, opening them, and their
 * damage.
 */
#include "tools/archive/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_files.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"
#include "libstore/member.h"
#include "tools/common/cmdline.h"

/*
 * The archives of an argument
 */

/* Takes over the name, also on failure. */
static int recording_add(struct bases *b, char *name)
{
	char **names = name != NULL ? reallocarray(b->names, b->n + 1, sizeof(*names)) : NULL;

	if (names == NULL) {
		free(name);
		return -ENOMEM;
	}
	b->names = names;
	b->names[b->n++] = name;
	return 0;
}

static int recording_add_folder(struct bases *b, const char *folder)
{
	char **found = NULL;
	int n = archive_files_list(folder, &found), sts = 0;

	if (n < 0) {
		b->failed = strdup(folder);
		return n;
	}
	for (int i = 0; i < n; i++) {
		if (sts < 0)
			free(found[i]);
		else
			sts = recording_add(b, found[i]);
	}
	free(found);
	return sts;
}

int bases_find(const char *argument, struct bases *ret_bases)
{
	AUTO_FREE char *list = strdup(argument);
	char *save = NULL;
	struct stat st;
	int sts = list != NULL ? 0 : -ENOMEM;

	*ret_bases = (struct bases){0};
	for (char *name = sts < 0 ? NULL : strtok_r(list, ",", &save); name != NULL && sts >= 0;
	     name = strtok_r(NULL, ",", &save)) {
		if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
			sts = recording_add_folder(ret_bases, name);
		else
			sts = recording_add(ret_bases, strdup(name));
	}
	return sts;
}

void bases_done(struct bases *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->names[i]);
	free(b->names);
	free(b->failed);
	*b = (struct bases){0};
}

/*
 * Damage
 */

static int64_t volume_size(const struct archive *a, int number)
{
	const struct archive_files *files = archive_files(a);
	struct stat st;

	for (size_t i = 0; i < files->nvolumes; i++)
		if (files->volumes[i].number == number && stat(files->volumes[i].path, &st) == 0)
			return st.st_size;
	return 0;
}

void damage_report(const struct archive *a, const char *name, int code, const char *rest)
{
	struct archive_place place = archive_place(a);
	char text[PM_MAXERRMSGLEN];

	fprintf(finding(), "%s: Error: __pmLogRead[log %s]: %s\n", pmGetProgname(), name,
		pmErrStr_r(code, text, sizeof(text)));
	if (code != PM_ERR_LOGREC)
		return;
	fprintf(stderr,
		"%s: Error occurred at byte offset %" PRIu64 " into a file of %" PRIi64 " bytes.\n"
		"%s\n",
		pmGetProgname(), place.end, volume_size(a, place.volume), rest);
}

/*
 * Recordings
 */

bool recording_is_one(const char *name)
{
	struct stat st;

	if (strchr(name, ',') == NULL && (stat(name, &st) < 0 || !S_ISDIR(st.st_mode)))
		return true;
	fprintf(stderr, "%s: Multiple archives are not supported\n", pmGetProgname());
	return false;
}

static int load_meta(struct recording *r)
{
	int version = archive_label(r->archive)->version;
	int sts = archive_meta_new(&r->meta);

	if (sts < 0)
		return sts;
	return archive_meta_load(r->meta, archive_meta_member(r->archive), version, 0,
				 log_label_len(version), &r->meta_end);
}

/* A torn end is reported, and the records before it have their window all the same. */
static void note_end(struct recording *r, bool torn)
{
	if (r->end_error < 0)
		r->end = (struct timespec){.tv_sec = PM_MAX_TIME_T};
	else if (torn)
		r->end_error = PM_ERR_LOGREC;
}

int recording_open(const char *name, unsigned int flags, struct recording *ret_recording)
{
	struct recording r = {0};
	int sts = archive_open(name, flags, &r.archive);

	if (sts >= 0)
		sts = load_meta(&r);
	if (sts < 0) {
		recording_close(&r);
		return sts;
	}
	r.label = archive_label(r.archive);
	r.end_error = archive_end(r.archive, &r.end);
	note_end(&r, archive_end_is_torn(r.archive));
	*ret_recording = r;
	return 0;
}

int recording_open_set(const char *names, struct recording *ret_recording)
{
	struct recording r = {0};
	int sts = archive_set_open(names, 0, &r.set);

	if (sts < 0)
		return sts;
	r.meta = archive_set_meta(r.set);
	r.label = archive_set_first_label(r.set);
	r.end_error = archive_set_end(r.set, &r.end);
	note_end(&r, archive_set_end_is_torn(r.set));
	*ret_recording = r;
	return 0;
}

static void report_refusal(const char *line)
{
	fprintf(finding(), "%s: Error: %s\n", pmGetProgname(), line);
}

void recording_report_refusals(void)
{
	member_on_refusal(report_refusal);
}

void recording_warn(const struct recording *r, const char *name)
{
	char text[PM_MAXERRMSGLEN];

	if (r->end_error < 0)
		fprintf(finding(),
			"%s: Cannot locate end of archive %s: %s\n\n"
			"WARNING: This archive is sufficiently damaged that it may not be possible "
			"to\n"
			"         produce complete information.  Continuing and hoping for the "
			"best.\n\n",
			pmGetProgname(), name, pmErrStr_r(r->end_error, text, sizeof(text)));
}

void recording_close(struct recording *r)
{
	if (r->set != NULL)
		archive_set_close(r->set);
	else
		archive_meta_free(r->meta);
	if (r->archive != NULL)
		archive_close(r->archive);
	*r = (struct recording){0};
}
