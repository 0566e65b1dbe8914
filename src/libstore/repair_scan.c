/* repair_scan - see repair_inner.h; and files of an archive that is mended. */
#include "libstore/repair_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libdisk/record.h"
#include "libstore/archive_files.h"
#include "libstore/member.h"

enum {
	RECORD_SEARCHED_MAX = 1 << 20, /* a longer record is not found after damage */
	DATA_STEP = 4,                 /* data records are whole words, metadata is not */
};

int repair_scan_begin(struct repair_scan *s, struct member *m, enum scan_kind kind, int volume)
{
	const uint8_t *p;
	size_t left = 0;
	int r;

	*s = (struct repair_scan){.m = m, .kind = kind, .size = member_size(m)};
	if (s->size == 0)
		return PM_ERR_NODATA;
	p = member_at(m, 0, s->size < LOG_LABEL_LEN_V3 ? (size_t)s->size : LOG_LABEL_LEN_V3, &left);
	if (p == NULL)
		return member_error(m) != 0 ? member_error(m) : PM_ERR_LABEL;
	r = log_label_decode(p, left, &s->label);
	if (r != 0)
		return r;
	s->offset = log_label_len(s->label.version);
	return s->label.volume == volume ? 0 : PM_ERR_LABEL;
}

void repair_scan_done(struct repair_scan *s)
{
	arena_done(&s->mem);
}

/* 1 if a whole record begins at offset; 0; -ENOMEM, -errno: what can't be read is not damaged. */
static int scan_look(struct repair_scan *s, uint64_t offset, size_t max, struct scan_piece *piece)
{
	uint64_t size = s->size - offset;
	const uint8_t *p;
	size_t left, len;
	int r;

	if (size < RECORD_MIN)
		return 0;
	p = member_at(s->m, offset, sizeof(uint32_t), &left);
	if (p == NULL)
		return member_error(s->m);
	len = load_be32(p);
	if (len < RECORD_MIN || len > size || len > max)
		return 0;
	p = member_at(s->m, offset, len, &left);
	if (p == NULL)
		return member_error(s->m);
	if (record_check(p, len) != 0)
		return 0;
	if (s->kind == SCAN_DATA) {
		r = result_view_init(&piece->view, s->label.version, p, len);
		if (r == 0)
			r = result_view_check(&piece->view);
	} else {
		arena_reset(&s->mem);
		r = meta_decode(p, len, &s->mem, &piece->type, &piece->body);
	}
	if (r != 0)
		return r == -ENOMEM ? r : 0;
	piece->offset = offset;
	piece->end = offset + len;
	piece->whole = true;
	return 1;
}

/* Where the next whole record begins, or the file ends. */
static int find_whole(struct repair_scan *s, uint64_t from, uint64_t *ret_offset)
{
	struct scan_piece found;
	uint64_t step = s->kind == SCAN_DATA ? DATA_STEP : 1;
	int r = 0;

	for (uint64_t at = from + step; at < s->size && r == 0; at += step) {
		r = scan_look(s, at, RECORD_SEARCHED_MAX, &found);
		*ret_offset = at;
	}
	if (r == 0)
		*ret_offset = s->size;
	return r < 0 ? r : 0;
}

int repair_scan_next(struct repair_scan *s, struct scan_piece *ret_piece)
{
	uint64_t offset = s->offset;
	int r;

	if (offset >= s->size)
		return 0;
	r = scan_look(s, offset, RECORD_MAX, ret_piece);
	if (r < 0)
		return r;
	if (r == 0) {
		*ret_piece = (struct scan_piece){.offset = offset};
		r = find_whole(s, offset, &ret_piece->end);
		if (r != 0)
			return r;
	}
	s->offset = ret_piece->end;
	return 1;
}

bool repair_is_plain(const char *path)
{
	return archive_files_suffix(path) == 0;
}

int repair_open_scan(const char *path, enum scan_kind kind, int number, struct repair_scan *scan)
{
	struct member *m;
	int r = member_open(path, &m);

	*scan = (struct repair_scan){.m = NULL};
	if (r != 0)
		return r;
	return repair_scan_begin(scan, m, kind, number);
}

void repair_close_scan(struct repair_scan *scan)
{
	if (scan->m != NULL)
		member_close(scan->m);
	repair_scan_done(scan);
}

int repair_remove_file(const char *path)
{
	return unlink(path) == 0 || errno == ENOENT ? 0 : -errno;
}

int repair_sync_dir(const char *base)
{
	AUTO_FD int fd = store_open_dir(base);

	if (fd < 0)
		return fd;
	return fsync(fd) == 0 || errno == EINVAL ? 0 : -errno;
}
