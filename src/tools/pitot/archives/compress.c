/*
 * compress - `pitot archives compress`: the volumes of complete archives become .xz files.
 *
 * The archive of a running recorder is left alone: the recorder compresses its own volumes. A
 * damaged archive is left alone too, so that it can still be mended in place.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libstore/archive_compress.h"
#include "libstore/archive_keep.h"
#include "tools/pitot/archives/archives.h"
#include "tools/pitot/pitot.h"

/* Removes what a killed compression left beside the archives of each host. */
static void remove_remains(const struct stored_folder *f, const char *dir)
{
	struct timespec now = clock_now();

	for (size_t i = 0; i < f->n; i++) {
		size_t j = 0;

		while (j < i && strcmp(f->at[j].label.host, f->at[i].label.host) != 0)
			j++;
		if (j == i && f->at[i].labelled)
			archive_remains_remove(dir, f->at[i].label.host, &now);
	}
}

static long long size_of(const char *path, const char *suffix)
{
	AUTO_FREE char *name = NULL;
	struct stat st;

	if (asprintf(&name, "%s%s", path, suffix) < 0) {
		name = NULL;
		return 0;
	}
	return stat(name, &st) == 0 ? (long long)st.st_size : 0;
}

static int compress_volume(const char *path)
{
	const long long was = size_of(path, "");
	int sts = archive_compress(path, ARCHIVE_XZ);

	if (sts == -EBUSY || sts == -ENOENT) /* a recorder compresses it */
		return PITOT_OK;
	if (sts == -ENOSYS) {
		pitot_complain("archives: %s: there is no library that compresses (liblzma)", path);
		return PITOT_FAILED;
	}
	if (sts < 0)
		return stored_failed(path, sts);
	printf("%s.xz: compressed from %lld to %lld bytes\n", path, was, size_of(path, ".xz"));
	return PITOT_OK;
}

static int compress_archive(const struct stored *s)
{
	int status = PITOT_OK;

	for (size_t i = 0; i < s->files.nvolumes; i++) {
		const char *path = s->files.volumes[i].path;

		if (archive_files_suffix(path) == 0 && compress_volume(path) != PITOT_OK)
			status = PITOT_FAILED;
	}
	return status;
}

int compress_folder(const struct archives_options *o, const char *dir)
{
	AUTO_FD int lock = stored_lock(dir);
	struct stored_folder f;
	int sts, status = PITOT_OK;

	(void)o;
	if (lock < 0)
		return PITOT_FAILED;
	sts = stored_folder_read(dir, &f);
	if (sts < 0)
		return stored_failed(dir, sts);
	remove_remains(&f, dir);
	for (size_t i = 0; i < f.n; i++) {
		if (f.at[i].state == STORED_COMPLETE && compress_archive(&f.at[i]) != PITOT_OK)
			status = PITOT_FAILED;
	}
	stored_folder_done(&f);
	return status;
}
