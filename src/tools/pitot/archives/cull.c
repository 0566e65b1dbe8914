/*
 * cull - `pitot archives cull`: removes whole archives, the oldest first, until the limits hold.
 *
 * The files of an archive are removed .meta first: without it no reader takes the rest for an
 * archive. A call that is killed is finished by the next one, because a volume with a label is
 * still an archive here. An archive that is being written counts for the size and is never removed.
 * Files without a label are never removed.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "tools/pitot/archives/archives.h"
#include "tools/pitot/pitot.h"

static int remove_file(const char *path)
{
	if (path == NULL || unlink(path) == 0 || errno == ENOENT)
		return PITOT_OK;
	return stored_failed(path, -errno);
}

/* The index before the volumes, which it would point to. */
static int remove_archive(const struct stored *s)
{
	if (remove_file(s->files.meta) != PITOT_OK || remove_file(s->files.index) != PITOT_OK)
		return PITOT_FAILED;
	for (size_t i = s->files.nvolumes; i > 0; i--) {
		if (remove_file(s->files.volumes[i - 1].path) != PITOT_OK)
			return PITOT_FAILED;
	}
	return PITOT_OK;
}

static bool is_over(const struct archives_options *o, const struct stored *s, uint64_t bytes)
{
	if (o->size > 0 && bytes > o->size)
		return true;
	return o->age_s > 0 && s->changed.tv_sec < clock_now().tv_sec - o->age_s;
}

static int cull_archives(const struct archives_options *o, const struct stored_folder *f)
{
	uint64_t bytes = 0;
	int status = PITOT_OK;

	for (size_t i = 0; i < f->n; i++)
		bytes += f->at[i].bytes;
	for (size_t i = 0; i < f->n; i++) {
		const struct stored *s = &f->at[i];

		if (s->state == STORED_WRITTEN || !s->labelled || !is_over(o, s, bytes))
			continue;
		if (!o->dry_run && remove_archive(s) != PITOT_OK) {
			status = PITOT_FAILED;
			continue;
		}
		bytes -= s->bytes;
		printf("%s: %s, %llu bytes\n", s->files.base,
		       o->dry_run ? "would be removed" : "removed", (unsigned long long)s->bytes);
	}
	if (o->size > 0 && bytes > o->size)
		pitot_complain("archives: what cannot be removed has more than %llu bytes",
			       (unsigned long long)o->size);
	return status;
}

int cull_folder(const struct archives_options *o, const char *dir)
{
	AUTO_FD int lock = stored_lock(dir);
	struct stored_folder f;
	int sts;

	if (lock < 0)
		return PITOT_FAILED;
	sts = stored_folder_read(dir, &f);
	if (sts < 0)
		return stored_failed(dir, sts);
	sts = cull_archives(o, &f);
	stored_folder_done(&f);
	return sts;
}
