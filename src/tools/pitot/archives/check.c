/*
 * check - `pitot archives check`: reads every record of the archives of a folder.
 *
 * The frames of the files are those that pmlogcheck checks. Its warnings about values, such as
 * counters that wrap, are not damage.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libdisk/index_entry.h"
#include "libdisk/meta.h"
#include "libdisk/result_view.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/member.h"
#include "tools/archive/metadata.h"
#include "tools/pitot/archives/archives.h"
#include "tools/pitot/pitot.h"
#include "tools/pmlogcheck/frames.h"

/* Makes the archive damaged if one of its files has a wrong frame; the reason names the file. */
static void check_frames(struct stored *s, const char *path, enum frames_kind kind,
			 struct frames_version *first)
{
	char error[PM_MAXERRMSGLEN], *text = NULL;
	struct frames frames;
	struct member *m;
	size_t len;
	FILE *out;
	int sts;

	if (path == NULL || s->state == STORED_DAMAGED)
		return;
	sts = member_open(path, &m);
	if (sts < 0) {
		stored_damaged(s, "%s: %s", path, pmErrStr_r(sts, error, sizeof(error)));
		return;
	}
	out = open_memstream(&text, &len);
	if (out == NULL)
		pmNoMem("frames", STORED_REASON, PM_FATAL_ERR);
	frames = frames_check(m, path, kind, first, false, out, NULL);
	fclose(out);
	member_close(m);
	if (frames.fatal || len > 0)
		stored_damaged(s, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static void check_files(struct stored *s)
{
	struct frames_version first = {0};

	for (size_t i = 0; i < s->files.nvolumes; i++)
		check_frames(s, s->files.volumes[i].path, FRAMES_DATA, &first);
	check_frames(s, s->files.index, FRAMES_INDEX, &first);
	check_frames(s, s->files.meta, FRAMES_META, &first);
}

/* Decodes every record of the metadata. */
static int walk_metadata(struct archive *a)
{
	union meta_body body;
	enum meta_type type;
	struct meta_walk w;
	int sts;

	meta_walk_begin(&w, archive_meta_member(a), archive_label(a)->version);
	do {
		sts = meta_walk_next(&w, ~0u, &type, &body);
	} while (sts > 0);
	meta_walk_end(&w);
	return sts;
}

static void check_metadata(struct stored *s, struct archive *a)
{
	int version = archive_label(a)->version;
	char error[PM_MAXERRMSGLEN];
	struct archive_meta *meta;
	uint64_t end;
	int sts = archive_meta_new(&meta);

	if (sts < 0)
		pmNoMem("metadata", STORED_REASON, PM_FATAL_ERR);
	sts = archive_meta_load(meta, archive_meta_member(a), version, 0, log_label_len(version),
				&end);
	archive_meta_free(meta);
	if (sts >= 0)
		sts = walk_metadata(a);
	if (sts < 0)
		stored_damaged(s, "%s: %s", s->files.meta, pmErrStr_r(sts, error, sizeof(error)));
}

/* The decompressed size of a volume; of a volume that does not exist (culled), the largest one. */
static uint64_t volume_size(const struct stored *s, int number)
{
	uint64_t size = UINT64_MAX;

	for (size_t i = 0; i < s->files.nvolumes; i++) {
		struct member *m;

		if (s->files.volumes[i].number != number ||
		    member_open(s->files.volumes[i].path, &m) < 0)
			continue;
		size = member_size(m);
		member_close(m);
	}
	return size;
}

/* The entries are in the order of time, and point into the files. */
static void check_index(struct stored *s, struct archive *a)
{
	const uint64_t meta_size = member_size(archive_meta_member(a));
	const struct index_entry *entries;
	uint64_t size = 0;
	size_t n;

	if (archive_index(a, &entries, &n) < 0)
		return; /* check_frames has reported it */
	for (size_t i = 0; i < n; i++) {
		const struct index_entry *e = &entries[i];

		if (i == 0 || e->volume != entries[i - 1].volume)
			size = volume_size(s, e->volume);
		if (i > 0 && timespec_before(&e->stamp, &entries[i - 1].stamp))
			stored_damaged(s, "%s: entry %zu is older than the one before it",
				       s->files.index, i + 1);
		else if (e->meta_offset < 0 || (uint64_t)e->meta_offset > meta_size ||
			 e->data_offset < 0 || (uint64_t)e->data_offset > size)
			stored_damaged(s, "%s: entry %zu points after the end of a file",
				       s->files.index, i + 1);
	}
}

/* The path of the volume with this number, or the base. */
static const char *volume_path(const struct stored *s, int number)
{
	for (size_t i = 0; i < s->files.nvolumes; i++) {
		if (s->files.volumes[i].number == number)
			return s->files.volumes[i].path;
	}
	return s->files.base;
}

static void check_records(struct stored *s, struct archive *a)
{
	struct timespec before = {0};
	char error[PM_MAXERRMSGLEN];
	struct result_view view;
	struct archive_place at;
	int sts;

	while ((sts = archive_next(a, &view)) > 0) {
		at = archive_place(a);
		if (timespec_before(&view.stamp, &before))
			stored_damaged(
			    s, "%s: the record at byte %" PRIu64 " is older than the one before it",
			    volume_path(s, at.volume), at.offset);
		before = view.stamp;
	}
	if (sts == 0)
		return;
	at = archive_place(a);
	stored_damaged(s, "%s: after byte %" PRIu64 ": %s", volume_path(s, at.volume), at.end,
		       pmErrStr_r(sts, error, sizeof(error)));
}

/* The files of an archive that is being written may end in the middle of a record. */
void check_archive(struct stored *s)
{
	char error[PM_MAXERRMSGLEN];
	struct archive *a;
	int sts;

	if (s->state == STORED_COMPLETE)
		check_files(s);
	if (s->state == STORED_DAMAGED)
		return;
	sts = archive_open(s->files.base, 0, &a);
	if (sts < 0) {
		/* Its first bytes may not be written yet. */
		if (s->state != STORED_WRITTEN)
			stored_damaged(s, "%s", pmErrStr_r(sts, error, sizeof(error)));
		return;
	}
	check_metadata(s, a);
	if (s->state == STORED_COMPLETE)
		check_index(s, a);
	check_records(s, a);
	archive_close(a);
}

int check_folder(const struct archives_options *o, const char *dir)
{
	struct stored_folder f;
	size_t damaged = 0;
	int sts = stored_folder_read(dir, &f);

	(void)o;
	if (sts < 0)
		return stored_failed(dir, sts);
	for (size_t i = 0; i < f.n; i++) {
		check_archive(&f.at[i]);
		if (f.at[i].state != STORED_DAMAGED)
			continue;
		damaged++;
		word_clean(f.at[i].reason);
		printf("%s: damaged: %s\n", f.at[i].files.base, f.at[i].reason);
	}
	printf("%s: %zu archives checked, %zu damaged\n", dir, f.n, damaged);
	stored_folder_done(&f);
	return damaged == 0 ? PITOT_OK : PITOT_FAILED;
}
