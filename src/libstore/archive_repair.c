/*
 * archive_repair - see archive_repair.h.
 *
 * Everything is examined before anything is changed. A kill leaves only torn tails: they are cut. A
 * crash of the machine leaves more: pages of the last sync interval that were not written before
 * later ones, and data whose metadata is lost. So if the archive was last written before this
 * machine was started, damage near the end is cut too, and data near the end without metadata;
 * "near" is REPAIR_NEAR_S of the archive's own time. Elsewhere whole records stay, whatever
 * surrounds them.
 *
 * Order of the changes: .meta, volumes, index. Each is idempotent, and none makes another one
 * necessary that a second run would not find again.
 */
#include "libstore/archive_repair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libstore/archive_files.h"
#include "libstore/member.h"
#include "libstore/repair_inner.h"

enum {
	REPAIR_NEAR_S = 60,
	TRIES = 8, /* each finds another file in another form than the one before */
	BLOCK = 4096,
};

/* Something between stamp and the end of the archive may have been lost with the machine. */
static bool is_near_end(const struct repair *r, const struct timespec *stamp)
{
	return stamp->tv_sec >= r->end.tv_sec - REPAIR_NEAR_S;
}

static void take_piece(struct repair *r, struct volume *v, const struct scan_piece *piece)
{
	if (!piece->whole) {
		damage_list_add(&v->damage, piece->offset, piece->end);
		return;
	}
	v->records++;
	v->last = piece->view.stamp;
	damage_list_stamp(&v->damage, &v->last);
	if (timespec_before(&r->end, &v->last))
		r->end = v->last;
}

static int scan_volume(struct repair *r, struct volume *v)
{
	struct repair_scan scan;
	struct scan_piece piece;
	int err = repair_open_scan(v->path, SCAN_DATA, v->number, &scan);

	v->size = v->keep = scan.size;
	v->label = scan.label;
	if (err == PM_ERR_NODATA || err == PM_ERR_LABEL) {
		/* A label that was not written whole, or one of something else. */
		v->foreign = v->size >= LOG_LABEL_LEN_V3 && !r->crashed;
		v->keep = 0;
		err = 0;
	} else if (err == 0) {
		while ((err = repair_scan_next(&scan, &piece)) == 1)
			take_piece(r, v, &piece);
	}
	repair_close_scan(&scan);
	return err;
}

static bool index_has_volume(const struct repair *r, int number)
{
	for (size_t i = 0; i < r->index.n; i++) {
		if (r->index.entries[i].volume == number)
			return true;
	}
	return false;
}

static int scan_volumes(struct repair *r)
{
	int err = 0;

	r->volumes = calloc(r->files.nvolumes + 1, sizeof(*r->volumes));
	if (r->volumes == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < r->files.nvolumes && err == 0; i++) {
		struct volume *v = &r->volumes[i];

		v->number = r->files.volumes[i].number;
		v->path = r->files.volumes[i].path;
		v->plain = repair_is_plain(v->path);
		v->trusted =
		    !v->plain && i + 1 < r->files.nvolumes && index_has_volume(r, v->number);
		if (!v->trusted)
			err = scan_volume(r, v);
	}
	return err;
}

/*
 * Where a file has to end: before its torn tail, and before what a crash damaged. Damage before
 * old is known to be older than that.
 */
static uint64_t find_keep(const struct repair *r, const struct damage_list *damage, uint64_t size,
			  uint64_t old, uint64_t *ret_left)
{
	*ret_left = damage->count;
	for (size_t i = 0; i < damage->n; i++) {
		const struct damage_region *region = &damage->at[i];
		bool torn = i + 1 == damage->n && region->end >= size;
		bool lost = r->crashed && region->offset >= old &&
			    (region->next.tv_sec == 0 || is_near_end(r, &region->next));

		if (torn || lost) {
			*ret_left = damage->count - (damage->n - i);
			return region->offset;
		}
	}
	return size;
}

/* Metadata before this offset was there long before the end. */
static uint64_t old_meta(const struct repair *r)
{
	uint64_t offset = 0;

	for (size_t i = 0; i < r->index.n; i++) {
		const struct index_entry *e = &r->index.entries[i];

		if (!is_near_end(r, &e->stamp) && e->meta_offset > (int64_t)offset)
			offset = (uint64_t)e->meta_offset;
	}
	return offset;
}

static int repair_load_meta(struct repair *r)
{
	uint64_t left;
	int err;

	if (r->files.meta == NULL)
		return PM_ERR_LOGFILE;
	err = repair_meta_load(&r->meta, r->files.meta, UINT64_MAX);
	if (err != 0)
		return err;
	r->meta_loaded = true;
	r->meta_keep = r->meta.size;
	if (!repair_is_plain(r->files.meta))
		return 0;
	r->meta_keep = find_keep(r, &r->meta.damage, r->meta.size, old_meta(r), &left);
	r->done->damaged += left;
	if (r->meta_keep == r->meta.size)
		return 0;
	r->done->meta_cut = r->meta.size - r->meta_keep;
	repair_meta_done(&r->meta);
	err = repair_meta_load(&r->meta, r->files.meta, r->meta_keep);
	r->meta_loaded = err == 0;
	r->meta.size = r->meta_keep;
	return err;
}

/* The first record near the end that the metadata that is left does not describe. */
static int find_undescribed(const struct repair *r, const struct volume *v, uint64_t *ret_offset)
{
	struct timespec described = repair_meta_last(&r->meta);
	struct repair_scan scan;
	struct scan_piece piece;
	int err = repair_open_scan(v->path, SCAN_DATA, v->number, &scan);

	while (err == 0 && (err = repair_scan_next(&scan, &piece)) == 1 && piece.offset < v->keep) {
		err = 0;
		if (!piece.whole || !is_near_end(r, &piece.view.stamp) ||
		    timespec_before(&piece.view.stamp, &described) ||
		    repair_meta_describes(&r->meta, &piece.view))
			continue;
		*ret_offset = piece.offset;
		err = 1;
		break;
	}
	repair_close_scan(&scan);
	return err < 0 ? err : err == 1 && *ret_offset < v->keep;
}

/* Data whose metadata was lost is cut, with all that follows. */
static int cut_undescribed(struct repair *r)
{
	bool cut = false;

	for (size_t i = 0; i < r->files.nvolumes; i++) {
		struct volume *v = &r->volumes[i];
		uint64_t offset = v->keep;
		int found;

		if (cut && v->plain && !v->foreign)
			v->keep = 0;
		if (cut || !v->plain || v->records == 0 || !is_near_end(r, &v->last))
			continue;
		found = find_undescribed(r, v, &offset);
		if (found < 0)
			return found;
		if (found == 1)
			v->keep = offset;
		cut = found == 1;
	}
	return 0;
}

static void decide_volumes(struct repair *r)
{
	for (size_t i = 0; i < r->files.nvolumes; i++) {
		struct volume *v = &r->volumes[i];
		uint64_t left = v->foreign;

		if (v->foreign)
			v->keep = v->size;
		else if (v->keep > 0 && v->plain)
			v->keep = find_keep(r, &v->damage, v->size, 0, &left);
		else
			left = v->damage.count;
		r->done->damaged += left;
	}
}

/* A volume of which nothing but a label would be left goes. */
static bool volume_is_empty(const struct volume *v)
{
	return !v->trusted && !v->foreign && v->plain &&
	       (v->records == 0 || v->keep <= log_label_len(v->label.version));
}

static bool archive_is_empty(const struct repair *r)
{
	for (size_t i = 0; i < r->files.nvolumes; i++) {
		if (!volume_is_empty(&r->volumes[i]))
			return false;
	}
	return true;
}

/* The index first, so that it never points into nothing; .meta last: it makes a name an archive. */
static int remove_all(struct repair *r)
{
	int err = r->files.index != NULL ? repair_remove_file(r->files.index) : 0;

	for (size_t i = r->files.nvolumes; i > 0 && err == 0; i--)
		err = repair_remove_file(r->files.volumes[i - 1].path);
	if (err == 0 && r->files.meta != NULL)
		err = repair_remove_file(r->files.meta);
	if (err == 0)
		err = repair_sync_dir(r->base);
	if (err == 0)
		*r->done = (struct archive_repair){.removed = true};
	return err;
}

/* Cuts, or gives back blocks that were allocated ahead of a file that is whole. */
static int cut_file(const char *path, uint64_t keep)
{
	AUTO_FD int fd = open(path, O_WRONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_size == keep && (uint64_t)st.st_blocks * 512 <= keep + 2 * BLOCK)
		return 0;
	if (ftruncate(fd, (off_t)keep) < 0 || fdatasync(fd) < 0)
		return -errno;
	return 0;
}

static int apply_cuts(struct repair *r)
{
	int err = repair_is_plain(r->files.meta) ? cut_file(r->files.meta, r->meta_keep) : 0;

	for (size_t i = r->files.nvolumes; i > 0 && err == 0; i--) {
		struct volume *v = &r->volumes[i - 1];

		if (!v->plain || v->foreign)
			continue;
		if (volume_is_empty(v)) {
			v->records = 0;
			r->done->data_cut += v->size;
			err = repair_remove_file(v->path);
		} else {
			r->done->data_cut += v->size - v->keep;
			err = cut_file(v->path, v->keep);
		}
	}
	return err;
}

/* Without metadata nothing can be read: what never became an archive goes, anything else stays. */
static int no_meta(struct repair *r, int err)
{
	uint64_t records = 0;
	bool old = false;

	for (size_t i = 0; i < r->files.nvolumes; i++) {
		const struct volume *v = &r->volumes[i];

		records += v->records;
		old |= v->foreign || v->trusted || !v->plain;
		old |= v->records > 0 && !is_near_end(r, &v->label.start);
	}
	if (!old && (records == 0 || r->crashed))
		return remove_all(r);
	return err;
}

/*
 * True if the archive was ended as it should be: the last entry of the index is that of a record
 * which ends the last volume, and all metadata is before it. That is all a writer leaves at its
 * end.
 */
static bool was_ended(const struct repair *r)
{
	const struct archive_volume *v;
	const struct index_entry *e;
	struct member *meta = NULL, *data = NULL;
	struct result_view view;
	bool ended = false;

	if (r->crashed || !r->index_whole || r->files.meta == NULL || r->files.nvolumes == 0)
		return false;
	v = &r->files.volumes[r->files.nvolumes - 1];
	e = &r->index.entries[r->index.n - 1];
	if (e->volume != v->number || e->data_offset < 0 ||
	    member_open(r->files.meta, &meta) != 0 || member_open(v->path, &data) != 0) {
		member_close(meta);
		return false;
	}
	if ((int64_t)member_size(meta) == e->meta_offset &&
	    (int64_t)member_size(data) > e->data_offset) {
		size_t len = (size_t)(member_size(data) - (uint64_t)e->data_offset), left;
		const uint8_t *p = len <= RECORD_MAX
				       ? member_at(data, (uint64_t)e->data_offset, len, &left)
				       : NULL;

		ended = p != NULL && result_view_init(&view, r->index_version, p, len) == 0 &&
			result_view_check(&view) == 0;
	}
	member_close(meta);
	member_close(data);
	return ended;
}

/*
 * Keeps the decision for the next run, which must not take another part of the shortened archive
 * for its end: marks the archive as written since the machine was started.
 */
static int settle(const struct repair *r)
{
	const struct archive_repair *done = r->done;

	if (!r->crashed || (done->meta_cut == 0 && done->data_cut == 0 && !done->index_written))
		return 0;
	for (size_t i = r->files.nvolumes; i > 0; i--) {
		const char *path = r->volumes[i - 1].path;

		if (utimensat(AT_FDCWD, path, NULL, 0) == 0)
			return 0;
		if (errno != ENOENT)
			return -errno;
	}
	return 0;
}

static int mend(struct repair *r)
{
	int err = 0;

	if (r->files.index != NULL)
		err =
		    index_list_load(&r->index, r->files.index, &r->index_version, &r->index_whole);
	if (err != 0 || was_ended(r))
		return err;
	err = scan_volumes(r);

	if (err != 0)
		return err;
	err = repair_load_meta(r);
	if (err == PM_ERR_LOGFILE || err == PM_ERR_NODATA || err == PM_ERR_LABEL ||
	    (err == 0 && r->meta.metrics.count == 0))
		return no_meta(r, err != 0 ? err : PM_ERR_LOGREC);
	if (err != 0)
		return err;
	r->index_whole &= r->index_version == r->meta.label.version;
	decide_volumes(r);
	if (r->crashed)
		err = cut_undescribed(r);
	if (err == 0 && archive_is_empty(r))
		return remove_all(r);
	if (err == 0)
		err = apply_cuts(r);
	if (err == 0)
		err = repair_mend_index(r);
	return err == 0 ? settle(r) : err;
}

/*
 * True if a file was last written before this machine was started: it went down while the archive
 * was open, or long after, which does no harm to what is whole.
 */
static bool before_boot(const char *path)
{
	struct timespec now, up;
	struct stat st;

	if (path == NULL || stat(path, &st) < 0 || clock_gettime(CLOCK_REALTIME, &now) < 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return false;
	return st.st_mtim.tv_sec < now.tv_sec - up.tv_sec;
}

static int repair_once(const char *base, struct archive_repair *done)
{
	struct repair r = {.base = base, .done = done};
	char tmp[PATH_MAX];
	int err = archive_files_members(base, &r.files);

	if (err != 0)
		return err;
	if (store_name(tmp, base, ".index.new") == 0)
		unlink(tmp); /* of a writer, or a repair, that was killed */
	if (r.files.index == NULL && r.files.meta == NULL && r.files.nvolumes == 0)
		err = -ENOENT;
	if (r.files.nvolumes > 0)
		r.crashed = before_boot(r.files.volumes[r.files.nvolumes - 1].path);
	else
		r.crashed = before_boot(r.files.meta);
	if (err == 0)
		err = mend(&r);
	if (r.meta_loaded)
		repair_meta_done(&r.meta);
	index_list_done(&r.index);
	free(r.volumes);
	archive_files_done(&r.files);
	return err;
}

/* A volume that has gone was compressed meanwhile (archive_compress); what was cut stays cut. */
int archive_repair(const char *base, struct archive_repair *ret_done)
{
	struct archive_repair done = {0};
	int err = -ENOENT;

	for (int i = 0; i < TRIES && err == -ENOENT; i++) {
		done.damaged = 0;
		err = repair_once(base, &done);
	}
	if (err == 0)
		*ret_done = done;
	return err;
}
