/* archive - see archive.h. Opening, and the position between two records. */
#include "libstore/archive.h"

#include <errno.h>
#include <stdlib.h>

#include "libdisk/record.h"
#include "libstore/archive_inner.h"
#include "libstore/member.h"

/* The first volume: its label is the archive's. */
static int open_data(struct archive *a)
{
	struct archive_open_volume *vol = &a->volumes[0];
	int r = member_open_lazy(a->files.volumes[0].path, &vol->m);

	if (r == 0)
		r = archive_label_read(vol->m, a->flags, a->files.volumes[0].number, &a->label);
	if (r < 0)
		return r;
	a->label_len = log_label_len(a->label.version);
	vol->checked = true;
	vol->size = member_size_to(vol->m, a->label_len + 1);
	return vol->size > a->label_len ? 0 : PM_ERR_NODATA;
}

/* Opens another member, whose label must be of the same archive. PM_ERR_NODATA if it has only a
 * label. */
static int open_beside(struct archive *a, const char *path, int32_t volume,
		       int (*open)(const char *path, struct member **ret_member),
		       struct member **ret_member)
{
	struct log_label label;
	struct member *m;
	int r = open(path, &m);

	if (r < 0)
		return r;
	r = archive_label_read(m, a->flags, volume, &label);
	if (r == 0)
		r = archive_label_same(&a->label, &label);
	if (r == 0 && member_size_to(m, a->label_len + 1) == a->label_len)
		r = PM_ERR_NODATA;
	if (r < 0) {
		member_close(m);
		return r;
	}
	*ret_member = m;
	return 0;
}

/* The index is only looked at: its entries are read when a time is looked for. */
static int open_index(struct archive *a)
{
	struct member *m;
	int r;

	if (a->files.index == NULL)
		return 0;
	r = open_beside(a, a->files.index, LOG_LABEL_VOL_INDEX, member_open_lazy, &m);
	if (r == 0)
		member_close(m);
	if (r == PM_ERR_NODATA || r == -ENOENT) {
		free(a->files.index);
		a->files.index = NULL;
		r = 0;
	}
	return r;
}

static int open_all(struct archive *a)
{
	int r;

	a->volumes = calloc(a->files.nvolumes, sizeof(*a->volumes));
	if (a->volumes == NULL)
		return -ENOMEM;
	r = open_data(a);
	if (r == 0)
		r = open_index(a);
	if (r == 0)
		r = open_beside(a, a->files.meta, LOG_LABEL_VOL_META, member_open, &a->meta);
	return r;
}

int archive_open(const char *name, unsigned int flags, struct archive **ret_archive)
{
	struct archive *a = calloc(1, sizeof(*a));
	int r;

	if (a == NULL)
		return -ENOMEM;
	a->flags = flags;
	r = archive_files_find(name, &a->files);
	if (r == 0)
		r = open_all(a);
	if (r < 0) {
		archive_close(a);
		return r;
	}
	archive_rewind(a);
	*ret_archive = a;
	return 0;
}

void archive_close(struct archive *a)
{
	if (a == NULL)
		return;
	archive_volumes_close(a);
	member_close(a->meta);
	archive_files_done(&a->files);
	free(a->entries);
	free(a->marks.marks);
	free(a);
}

const struct log_label *archive_label(const struct archive *a)
{
	return &a->label;
}

const struct archive_files *archive_files(const struct archive *a)
{
	return &a->files;
}

struct member *archive_meta_member(struct archive *a)
{
	return a->meta;
}

void archive_rewind(struct archive *a)
{
	a->spot = (struct archive_spot){0, a->label_len};
}

void archive_to_end(struct archive *a)
{
	struct timespec stamp;
	size_t last;
	uint64_t size = 0;

	if (archive_end(a, &stamp) == 0) {
		a->spot = a->end;
		return;
	}
	last = a->files.nvolumes - 1;
	archive_volume_size(a, last, &size);
	a->spot = (struct archive_spot){last, size};
}

/* A record is given out. */
static int give(struct archive *a, struct archive_spot from, struct archive_bytes bytes,
		const struct result_view *view)
{
	a->last = (struct archive_place){
	    a->files.volumes[from.v].number,
	    from.offset,
	    from.offset + bytes.len,
	};
	a->last_stamp = view->stamp;
	a->record = bytes.p;
	a->record_v = from.v;
	a->record_len = bytes.len;
	return 1;
}

/* Moves to the beginning of the next volume. 1 if there is one, or if the spot's own volume must be
 * looked at again because another was made since; 0; an error. */
static int onward(struct archive *a, struct archive_spot *spot)
{
	if (spot->v + 1 == a->files.nvolumes)
		return archive_volume_look(a);
	*spot = (struct archive_spot){spot->v + 1, a->label_len};
	return 1;
}

/* An error where damage is skipped: it is a region of the volume, or the rest of it. */
static bool is_damage(const struct archive *a, int r)
{
	return (a->flags & ARCHIVE_SKIP_DAMAGE) && (r == PM_ERR_LOGREC || r == PM_ERR_LABEL);
}

int archive_next(struct archive *a, struct result_view *ret_view)
{
	struct archive_spot spot = a->spot;
	struct archive_bytes bytes;
	int r;

	for (;;) {
		r = archive_sieve_next(a, spot, &bytes, ret_view);
		if (r == 0)
			r = archive_volume_next(a, spot, &bytes, ret_view);
		if (r < 0 && is_damage(a, r)) {
			r = archive_damage_next(a, &spot);
			if (r == 0)
				continue;
		}
		if (r == 0) {
			r = onward(a, &spot);
			if (r > 0)
				continue;
		}
		break;
	}
	if (r <= 0)
		return r;
	a->spot = (struct archive_spot){spot.v, spot.offset + bytes.len};
	return give(a, spot, bytes, ret_view);
}

/* To the end of the volume before a spot's. 1; 0 if there is none; an error. */
static int backward(struct archive *a, struct archive_spot *spot)
{
	int r;

	if (spot->v == 0)
		return 0;
	r = archive_volume_size(a, spot->v - 1, &spot->offset);
	if (r < 0 && !is_damage(a, r))
		return r;
	if (r < 0)
		spot->offset = a->label_len;
	spot->v--;
	return 1;
}

int archive_prev(struct archive *a, struct result_view *ret_view)
{
	struct archive_spot spot = a->spot;
	struct archive_bytes bytes;
	int r;

	for (;;) {
		r = archive_sieve_prev(a, spot, &bytes, ret_view);
		if (r == 0)
			r = archive_volume_prev(a, spot, &bytes, ret_view);
		if (r < 0 && is_damage(a, r)) {
			r = archive_damage_prev(a, &spot);
			if (r == 0)
				continue;
		}
		if (r == 0) {
			r = backward(a, &spot);
			if (r > 0)
				continue;
		}
		break;
	}
	if (r <= 0)
		return r;
	spot.offset -= bytes.len;
	a->spot = spot;
	return give(a, spot, bytes, ret_view);
}

int archive_at(struct archive *a, const struct archive_place *place, struct result_view *ret_view)
{
	struct archive_spot spot = {archive_volume_place(a, place->volume), place->offset};
	struct archive_bytes bytes;
	struct result_view view;
	int r;

	if (spot.v == a->files.nvolumes || spot.offset < a->label_len)
		return -EINVAL;
	r = archive_volume_next(a, spot, &bytes, &view);
	if (r == 0 || (r > 0 && spot.offset + bytes.len != place->end))
		return PM_ERR_LOGREC;
	if (r < 0)
		return r;
	a->spot = (struct archive_spot){spot.v, place->end};
	*ret_view = view;
	return give(a, spot, bytes, ret_view);
}

struct archive_place archive_place(const struct archive *a)
{
	return a->last;
}

const void *archive_record(const struct archive *a, size_t *ret_len)
{
	*ret_len = a->record_len;
	return a->record;
}

struct archive_damage archive_damage(const struct archive *a)
{
	return a->damage;
}
