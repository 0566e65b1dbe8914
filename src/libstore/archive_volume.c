/*
 * archive_volume - the volumes of an archive: opened when first read, some kept open; and the
 * records in one of them, whole or by their heads.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libdisk/record.h"
#include "libdisk/stamp.h"
#include "libstore/archive_inner.h"
#include "libstore/member.h"

enum { OPEN_MAX_VOLUMES = 3 };

int archive_label_read(struct member *m, unsigned int flags, int32_t volume,
		       struct log_label *ret_label)
{
	size_t left;
	const uint8_t *p = member_at(m, 0, 1, &left);
	struct log_label label;
	int r;

	if (p == NULL)
		return member_error(m) < 0 ? member_error(m) : PM_ERR_NODATA;
	r = log_label_decode(p, left, &label);
	if (r < 0)
		return r;
	if (label.volume != volume)
		return PM_ERR_LABEL;
	if ((label.features & ~LOG_LABEL_FEATURE_QA) != 0 && !(flags & ARCHIVE_NO_FEATURE_CHECK))
		return PM_ERR_FEATURE;
	*ret_label = label;
	return 0;
}

int archive_label_same(const struct log_label *a, const struct log_label *b)
{
	return a->version == b->version && a->pid == b->pid && strcmp(a->host, b->host) == 0
		   ? 0
		   : PM_ERR_LABEL;
}

static void volume_close(struct archive_open_volume *vol)
{
	member_close(vol->m);
	vol->m = NULL;
}

/* Closes the one that was not used for longest where too many are open. */
static void volumes_limit(struct archive *a)
{
	struct archive_open_volume *oldest = NULL;
	size_t open = 0;

	for (size_t v = 0; v < a->files.nvolumes; v++) {
		struct archive_open_volume *vol = &a->volumes[v];

		if (vol->m == NULL)
			continue;
		open++;
		if (a->record != NULL && v == a->record_v)
			continue;
		if (oldest == NULL || vol->used < oldest->used)
			oldest = vol;
	}
	if (open >= OPEN_MAX_VOLUMES && oldest != NULL)
		volume_close(oldest);
}

/* The path of a volume that has disappeared: it may have been compressed. */
static int volume_find(struct archive *a, size_t v)
{
	struct archive_files now;
	int r = archive_files_find(a->files.base, &now);

	if (r < 0)
		return r == -ENOMEM ? r : -ENOENT;
	r = -ENOENT;
	for (size_t i = 0; i < now.nvolumes; i++) {
		if (now.volumes[i].number != a->files.volumes[v].number)
			continue;
		free(a->files.volumes[v].path);
		a->files.volumes[v].path = TAKE(now.volumes[i].path);
		r = 0;
	}
	archive_files_done(&now);
	return r;
}

static int volume_open(struct archive *a, size_t v)
{
	struct archive_open_volume *vol = &a->volumes[v];
	int r;

	volumes_limit(a);
	r = member_open_lazy(a->files.volumes[v].path, &vol->m);
	if (r == -ENOENT) {
		r = volume_find(a, v);
		if (r == 0)
			r = member_open_lazy(a->files.volumes[v].path, &vol->m);
		vol->gone = r == -ENOENT;
	}
	if (r == 0)
		vol->size = member_size_to(vol->m, 0);
	return r;
}

/* The label of a volume that is read for the first time. 1; 0 while it has none. */
static int volume_check(struct archive *a, size_t v)
{
	struct archive_open_volume *vol = &a->volumes[v];
	struct log_label label;
	int r = archive_label_read(vol->m, a->flags, a->files.volumes[v].number, &label);

	if (r == PM_ERR_NODATA)
		return 0;
	if (r == 0)
		r = archive_label_same(&a->label, &label);
	if (r < 0 && r != -ENOMEM && (a->flags & ARCHIVE_SKIP_DAMAGE)) {
		a->damage.regions++;
		a->damage.bytes += a->label_len;
		r = 0;
	}
	if (r < 0)
		return r;
	vol->checked = true;
	return 1;
}

int archive_volume_get(struct archive *a, size_t v, struct member **ret_member)
{
	struct archive_open_volume *vol = &a->volumes[v];
	int r;

	vol->used = ++a->uses;
	if (vol->gone)
		return 0;
	if (vol->m == NULL) {
		r = volume_open(a, v);
		if (r == -ENOENT)
			return 0;
		if (r < 0)
			return r;
	}
	if (!vol->checked) {
		r = volume_check(a, v);
		if (r <= 0)
			return r;
	}
	*ret_member = vol->m;
	return 1;
}

int archive_volume_size(struct archive *a, size_t v, uint64_t *ret_size)
{
	struct archive_open_volume *vol = &a->volumes[v];
	struct member *m;
	int r = archive_volume_get(a, v, &m);

	if (r >= 0)
		vol->size = r > 0 ? member_size(m) : 0;
	if (r > 0 && member_fault(m) < 0)
		r = member_fault(m);
	if (r >= 0)
		*ret_size = vol->size;
	return r;
}

int archive_volume_look(struct archive *a)
{
	size_t n = a->files.nvolumes;
	struct archive_volume *files;
	struct archive_open_volume *volumes;
	char *path;
	int number = a->files.volumes[n - 1].number;

	if (number == INT32_MAX)
		return 0;
	number++;
	if (asprintf(&path, "%s.%d", a->files.base, number) < 0)
		return -ENOMEM;
	if (access(path, R_OK) < 0) {
		free(path);
		return 0;
	}
	files = reallocarray(a->files.volumes, n + 1, sizeof(*files));
	if (files != NULL)
		a->files.volumes = files;
	volumes = reallocarray(a->volumes, n + 1, sizeof(*volumes));
	if (volumes != NULL)
		a->volumes = volumes;
	if (files == NULL || volumes == NULL) {
		free(path);
		return -ENOMEM;
	}
	files[n] = (struct archive_volume){number, path};
	volumes[n] = (struct archive_open_volume){NULL};
	a->files.nvolumes++;
	return 1;
}

void archive_volumes_close(struct archive *a)
{
	for (size_t v = 0; a->volumes != NULL && v < a->files.nvolumes; v++)
		volume_close(&a->volumes[v]);
	free(a->volumes);
	a->volumes = NULL;
}

size_t archive_volume_place(const struct archive *a, int number)
{
	size_t low = 0, high = a->files.nvolumes;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (a->files.volumes[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < a->files.nvolumes && a->files.volumes[low].number == number)
		return low;
	return a->files.nvolumes;
}

/* The result for a member that returned no bytes: its error, or that of an end at this place. */
static int no_bytes(const struct member *m, int end)
{
	return member_error(m) < 0 ? member_error(m) : end;
}

int archive_volume_next(struct archive *a, struct archive_spot at, struct archive_bytes *ret_bytes,
			struct result_view *ret_view)
{
	struct member *m;
	const uint8_t *p;
	uint32_t len;
	size_t left;
	int r = archive_volume_get(a, at.v, &m);

	if (r > 0 && archive_volume_is_cut(a, at))
		return 0;
	if (r > 0)
		r = member_u32(m, at.offset, &len);
	if (r <= 0)
		return r;
	if (len < RECORD_MIN || len > RECORD_MAX)
		return PM_ERR_LOGREC;
	p = member_at(m, at.offset, len, &left);
	if (p == NULL)
		return no_bytes(m, PM_ERR_LOGREC);
	if (result_view_init(ret_view, a->label.version, p, len) < 0)
		return PM_ERR_LOGREC;
	*ret_bytes = (struct archive_bytes){p, len};
	return 1;
}

int archive_volume_prev(struct archive *a, struct archive_spot at, struct archive_bytes *ret_bytes,
			struct result_view *ret_view)
{
	struct member *m;
	const uint8_t *p;
	uint32_t len;
	size_t left;
	uint64_t room;
	int r = archive_volume_get(a, at.v, &m);

	if (r <= 0 || at.offset <= a->label_len)
		return r < 0 ? r : 0;
	room = at.offset - a->label_len;
	if (room < RECORD_MIN)
		return PM_ERR_LOGREC;
	r = member_u32(m, at.offset - sizeof(len), &len);
	if (r <= 0)
		return r < 0 ? r : PM_ERR_LOGREC;
	if (len < RECORD_MIN || len > RECORD_MAX || len > room)
		return PM_ERR_LOGREC;
	p = member_at(m, at.offset - len, len, &left);
	if (p == NULL)
		return no_bytes(m, PM_ERR_LOGREC);
	if (result_view_init(ret_view, a->label.version, p, len) < 0)
		return PM_ERR_LOGREC;
	*ret_bytes = (struct archive_bytes){p, len};
	return 1;
}

/*
 * ---- heads ----
 *
 * Reads bypass the windows, so that the position and the views that were returned do not change:
 * long records cost a read of their head each, short ones share one of a few KB.
 */

/* How many bytes to read at a spot: many if what was read last, made that long, had them as well.
 */
static size_t heads_aim(const struct archive *a, struct archive_spot spot)
{
	bool near = spot.v == a->heads.v && spot.offset >= a->heads.offset &&
		    spot.offset - a->heads.offset < ARCHIVE_HEADS;

	return near ? ARCHIVE_HEADS : ARCHIVE_HEAD;
}

const uint8_t *archive_heads_at(struct archive *a, struct member *m, struct archive_spot spot,
				size_t want, int *ret_r)
{
	size_t aim = heads_aim(a, spot);
	int64_t n;

	if (a->heads.v != spot.v || spot.offset < a->heads.offset ||
	    spot.offset - a->heads.offset > a->heads.len ||
	    want > a->heads.len - (size_t)(spot.offset - a->heads.offset)) {
		a->heads.len = 0;
		n = member_read(m, spot.offset, a->heads.bytes, aim);
		*ret_r = n < 0 ? (int)n : 0;
		if (n < 0)
			return NULL;
		a->heads.v = spot.v;
		a->heads.offset = spot.offset;
		a->heads.len = (size_t)n;
		if ((size_t)n < want)
			return NULL;
	}
	return a->heads.bytes + (spot.offset - a->heads.offset);
}

/* True if a record up to end is there, looking again where it was not. */
static bool volume_reaches(struct archive *a, struct member *m, size_t v, uint64_t end)
{
	uint64_t before = a->volumes[v].size;

	if (end <= before)
		return true;
	a->volumes[v].size = member_size_to(m, end);
	if (a->volumes[v].size != before)
		a->heads.len = 0; /* what was at its end may be another record now */
	return end <= a->volumes[v].size;
}

int archive_head_in(struct archive *a, struct archive_spot spot, struct archive_head *ret_head)
{
	size_t stamp = stamp_len(a->label.version);
	size_t want = 2 * sizeof(uint32_t) + stamp;
	uint32_t len, numpmid;
	struct member *m;
	const uint8_t *p;
	int r = archive_volume_get(a, spot.v, &m);

	if (r <= 0)
		return r;
	if (archive_volume_is_cut(a, spot))
		return 0;
	if (!volume_reaches(a, m, spot.v, spot.offset + sizeof(len)))
		return member_fault(m);
	p = archive_heads_at(a, m, spot, want, &r);
	if (p == NULL)
		return r < 0 ? r : PM_ERR_LOGREC;
	len = load_be32(p);
	numpmid = load_be32(p + sizeof(len) + stamp);
	if (len < want + sizeof(len) || len > RECORD_MAX ||
	    numpmid > (len - want - sizeof(len)) / VSET_HEAD)
		return PM_ERR_LOGREC;
	if (numpmid == 0 && len != want + sizeof(len))
		return PM_ERR_LOGREC;
	*ret_head = (struct archive_head){
	    stamp_load(p + sizeof(len), a->label.version),
	    numpmid == 0,
	    {a->files.volumes[spot.v].number, spot.offset, spot.offset + len},
	};
	if (volume_reaches(a, m, spot.v, spot.offset + len))
		return 1;
	return member_fault(m) < 0 ? member_fault(m) : PM_ERR_LOGREC;
}
