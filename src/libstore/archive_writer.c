/*
 * archive_writer - see archive_writer.h.
 *
 * The steps of a record: it is checked and encoded in memory; its volume is made, if it needs one;
 * pending metadata is written; then the record; then, where section 8 asks for one, an index entry.
 * Each step either happens whole or has no effect, so a failure ends the sequence and is returned.
 */
#include "libstore/archive_writer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libdisk/result_record.h"
#include "libdisk/stamp.h"
#include "libstore/archive_files.h"
#include "libstore/archive_sync.h"
#include "libstore/writer_inner.h"

enum { RECORD_KEEP = 1 << 20 }; /* memory that is kept from one record to the next */

/* -EEXIST if an archive of this name, or a part of one, is there. */
static int check_absent(const char *base)
{
	struct archive_files files;
	bool any;
	int r = archive_files_members(base, &files);

	if (r != 0)
		return r;
	any = files.index != NULL || files.meta != NULL || files.nvolumes > 0;
	archive_files_done(&files);
	return any ? -EEXIST : 0;
}

/* The last position that an index can give. */
static uint64_t position_max(int version)
{
	return version == DISK_V2 ? DISK_V2_OFFSET_MAX : INT64_MAX;
}

int archive_writer_new(const char *base, const struct log_label *label,
		       struct archive_writer **ret_writer)
{
	struct archive_writer *w;
	int r;

	if (base[0] == '\0' || (label->version != DISK_V2 && label->version != DISK_V3))
		return -EINVAL;
	if (!stamp_fits(&label->start, label->version))
		return -ERANGE;
	r = check_absent(base);
	if (r != 0)
		return r;
	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return -ENOMEM;
	w->meta = w->data = w->index.file = WRITER_FILE_NONE;
	w->label = *label;
	w->label.volume = 0;
	w->volume_max = position_max(label->version);
	writer_meta_init(&w->known, label->version);
	w->base = strdup(base);
	if (w->base == NULL) {
		archive_writer_abandon(w);
		return -ENOMEM;
	}
	*ret_writer = w;
	return 0;
}

int archive_writer_meta(struct archive_writer *w, enum meta_type type, const union meta_body *body)
{
	return w->ended == WRITER_OPEN ? writer_meta_add(&w->known, type, body) : -ESTALE;
}

void archive_writer_repeat(struct archive_writer *w)
{
	w->known.repeat = true;
}

void archive_writer_repeat_labels(struct archive_writer *w)
{
	w->known.repeat_labels = true;
}

int archive_writer_plain(struct archive_writer *w)
{
	w->plain = w->known.plain = true;
	return writer_index_begin(&w->index, &w->label);
}

void archive_writer_volume_max(struct archive_writer *w, uint64_t size)
{
	if (size < w->volume_max)
		w->volume_max = size;
}

bool archive_writer_has_desc(const struct archive_writer *w, pmID pmid)
{
	return writer_meta_has_desc(&w->known, pmid);
}

bool archive_writer_has_labels(const struct archive_writer *w, int type, uint32_t ident)
{
	return writer_meta_has_labels(&w->known, type, ident);
}

bool archive_writer_has_text(const struct archive_writer *w, int type, uint32_t ident)
{
	return writer_meta_has_text(&w->known, type, ident);
}

const struct wire_inst *archive_writer_indom(const struct archive_writer *w, pmInDom indom,
					     size_t *ret_n, struct timespec *ret_stamp)
{
	const struct writer_domain *d = writer_meta_domain(&w->known, indom);

	if (d == NULL)
		return NULL;
	*ret_n = d->n;
	*ret_stamp = d->stamp;
	return d->insts;
}

/* Appends what waits to .meta. */
static int flush_meta(struct archive_writer *w)
{
	struct buffer *queue = &w->known.queue;
	int r;

	if (buffer_pending(queue) == 0)
		return 0;
	r = writer_file_append(&w->meta, buffer_head(queue), buffer_pending(queue), false);
	if (r == 0)
		buffer_trim(queue, RECORD_KEEP);
	return r;
}

int archive_writer_flush(struct archive_writer *w)
{
	if (w->ended != WRITER_OPEN)
		return -ESTALE;
	return w->begun ? flush_meta(w) : 0;
}

/* A label in front of what the buffer will hold. */
static int put_label(struct archive_writer *w, int volume, struct buffer *out)
{
	struct log_label label = w->label;

	label.volume = volume;
	return log_label_encode(out, &label);
}

/* Removes a file of ours that is not part of the archive. A file that stays would be in the way
 * (-EEXIST). */
static void drop_file(struct archive_writer *w, const char *path)
{
	if (unlink(path) == 0 || errno == ENOENT)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(w->left); i++) {
		if (w->left[i].path[0] == '\0') {
			snprintf(w->left[i].path, sizeof(w->left[i].path), "%s", path);
			return;
		}
	}
}

static void drop_left(struct archive_writer *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(w->left); i++) {
		char *path = w->left[i].path;

		if (path[0] != '\0' && (unlink(path) == 0 || errno == ENOENT))
			path[0] = '\0';
	}
}

/* Label and first metadata, in one write. */
static int begin_meta(struct archive_writer *w)
{
	struct buffer first = BUFFER_INIT;
	char path[PATH_MAX];
	int r = put_label(w, LOG_LABEL_VOL_META, &first);

	if (r == 0)
		r = store_name(path, w->base, ".meta");
	if (r == 0) {
		buffer_put(&first, buffer_head(&w->known.queue), buffer_pending(&w->known.queue));
		r = first.err;
	}
	if (r == 0)
		r = writer_file_create(&w->meta, path);
	if (r == 0) {
		r = writer_file_append(&w->meta, buffer_head(&first), buffer_pending(&first),
				       false);
		if (r != 0)
			drop_file(w, path);
	}
	buffer_done(&first);
	return r;
}

/* Makes a volume with its label. A failure leaves no file. */
static int begin_volume(struct archive_writer *w, int number, struct writer_file *ret_file)
{
	struct buffer label = BUFFER_INIT;
	char path[PATH_MAX];
	int r = put_label(w, number, &label);

	if (r == 0)
		r = store_name_volume(path, w->base, number);
	if (r == 0)
		r = writer_file_create(ret_file, path);
	if (r == 0) {
		r = writer_file_append(ret_file, buffer_head(&label), buffer_pending(&label),
				       false);
		if (r != 0) {
			writer_file_close(ret_file);
			drop_file(w, path);
		}
	}
	buffer_done(&label);
	return r;
}

static void drop_member(struct archive_writer *w, const char *suffix)
{
	char path[PATH_MAX];

	if (store_name(path, w->base, suffix) == 0)
		drop_file(w, path);
}

/* The first record with all that comes before it; after a failure nothing of it is there. */
static int begin_archive(struct archive_writer *w, const struct timespec *stamp)
{
	struct timespec start = w->label.start;
	int r;

	drop_left(w);
	r = check_absent(w->base);
	if (r != 0)
		return r;
	if (start.tv_sec == 0 && start.tv_nsec == 0)
		w->label.start = *stamp;
	if (buffer_pending(&w->index.pending) == 0) /* a plain writer has begun it */
		r = writer_index_begin(&w->index, &w->label);
	if (r == 0)
		r = begin_volume(w, 0, &w->data);
	if (r == 0) {
		r = begin_meta(w);
		if (r == 0) {
			r = writer_file_append(&w->data, buffer_head(&w->record),
					       buffer_pending(&w->record), false);
			if (r != 0)
				drop_member(w, ".meta");
		}
		if (r != 0)
			drop_member(w, ".0");
	}
	if (r == 0) {
		buffer_trim(&w->known.queue, RECORD_KEEP);
		w->begun = true;
		w->names_dirty = true;
		w->meta_before = log_label_len(w->label.version);
		return 0;
	}
	writer_file_close(&w->meta);
	writer_file_close(&w->data);
	writer_index_done(&w->index);
	w->meta = w->data = WRITER_FILE_NONE;
	w->label.start = start;
	return r;
}

static int switch_volume(struct archive_writer *w)
{
	struct writer_file next;
	int r;

	drop_left(w);
	r = begin_volume(w, w->label.volume + 1, &next);
	if (r != 0)
		return r;
	writer_close_volume(w, true);
	w->closed_size += w->data.size;
	w->data = next;
	w->label.volume++;
	w->next_volume = false;
	w->names_dirty = true;
	return 0;
}

/* Each volume has a record at least. Version 2 ends one where its index can't point any more; a
 * mark may exceed the maximum that the caller has set. */
static bool volume_is_full(const struct archive_writer *w, size_t len, bool is_mark)
{
	uint64_t max = is_mark ? position_max(w->label.version) : w->volume_max;

	return w->data.size > log_label_len(w->label.version) && w->data.size + len > max;
}

/* A closing mark belongs to what is before it: it begins no volume if it need not. */
static int append_record(struct archive_writer *w, bool use_reserve)
{
	size_t len = buffer_pending(&w->record);
	int r;

	if (!use_reserve) {
		r = flush_meta(w);
		if (r != 0)
			return r;
	}
	if ((w->next_volume && !use_reserve) || w->data.fd < 0 ||
	    volume_is_full(w, len, use_reserve)) {
		r = switch_volume(w);
		if (r != 0)
			return r;
	}
	return writer_file_append(&w->data, buffer_head(&w->record), len, use_reserve);
}

static void add_entry(struct archive_writer *w, const struct index_entry *entry)
{
	bool there = w->index.file.fd >= 0;

	writer_index_add(&w->index, w->base, entry, w->data.size);
	w->names_dirty |= !there && w->index.file.fd >= 0;
}

void archive_writer_entry(struct archive_writer *w, const struct index_entry *entry)
{
	if (w->begun)
		add_entry(w, entry);
	else if (index_entry_encode(&w->index.pending, w->label.version, entry) != 0)
		w->index.pending.err = 0; /* readers do without it */
}

/* After a record: docs/spec/archive.md 8. */
static void writer_index_record(struct archive_writer *w, const struct timespec *stamp,
				uint64_t offset)
{
	struct index_entry entry = {*stamp, w->label.volume, (int64_t)w->meta_before,
				    (int64_t)offset};
	bool first = offset == log_label_len(w->label.version);
	bool all_written = buffer_pending(&w->known.queue) == 0; /* not so for a mark */
	bool indom = w->known.indom_queued && all_written;

	if (w->records == 0)
		entry.stamp = w->label.start;
	if (first || indom || writer_index_due(&w->index, w->data.size))
		add_entry(w, &entry);
	if (all_written)
		w->known.indom_queued = false;
	w->meta_before = w->meta.size;
}

static int write_record(struct archive_writer *w, const struct timespec *stamp, bool use_reserve)
{
	uint64_t offset;
	int r = w->begun ? append_record(w, use_reserve) : begin_archive(w, stamp);

	if (r != 0)
		return r;
	offset = w->data.size - buffer_pending(&w->record);
	if (!w->plain)
		writer_index_record(w, stamp, offset);
	w->last = *stamp;
	w->last_offset = offset;
	w->records++;
	return 0;
}

static int check_stamp(const struct archive_writer *w, const struct timespec *stamp)
{
	if (w->ended != WRITER_OPEN)
		return -ESTALE;
	if (timespec_before(stamp, w->begun ? &w->last : &w->label.start))
		return -EINVAL;
	if (!w->begun && !writer_meta_has_any_desc(&w->known))
		return -EINVAL;
	return 0;
}

int archive_writer_result(struct archive_writer *w, const struct timespec *stamp,
			  pmValueSet *const *sets, uint32_t n)
{
	int r = check_stamp(w, stamp);

	if (r != 0)
		return r;
	if (n == 0) /* would be a mark */
		return -EINVAL;
	buffer_trim(&w->record, RECORD_KEEP);
	r = result_record_put(&w->record, w->label.version, stamp, sets, n);
	w->record.err = 0;
	return r != 0 ? r : write_record(w, stamp, false);
}

int archive_writer_copy(struct archive_writer *w, const struct timespec *stamp,
			const struct result_view *view)
{
	int r = check_stamp(w, stamp);

	if (r != 0)
		return r;
	buffer_trim(&w->record, RECORD_KEEP);
	r = result_record_copy(&w->record, w->label.version, stamp, view);
	w->record.err = 0;
	return r != 0 ? r : write_record(w, stamp, false);
}

int archive_writer_mark(struct archive_writer *w, const struct timespec *stamp)
{
	int r = check_stamp(w, stamp);

	if (r != 0)
		return r;
	if (!w->begun)
		return -EINVAL;
	buffer_trim(&w->record, RECORD_KEEP);
	r = result_record_put_mark(&w->record, w->label.version, stamp);
	w->record.err = 0;
	return r != 0 ? r : write_record(w, stamp, true);
}

int archive_writer_volume(struct archive_writer *w)
{
	if (w->ended != WRITER_OPEN)
		return -ESTALE;
	if (!w->begun)
		return 0;
	w->next_volume = true;
	return w->label.volume + 1;
}

int archive_writer_finish(struct archive_writer *w)
{
	struct index_entry last = {w->last, w->label.volume, (int64_t)w->meta.size,
				   (int64_t)w->last_offset};
	int r = 0;

	if (w->ended == WRITER_FINISHED || !w->begun)
		return 0;
	if (!w->plain)
		add_entry(w, &last);
	if (!w->index.lost)
		r = writer_index_flush(&w->index, w->base);
	writer_file_trim(&w->meta);
	writer_file_trim(&w->data);
	writer_file_trim(&w->index.file);
	if (w->ended == WRITER_OPEN)
		w->ended = WRITER_FINISHED;
	return r;
}

int archive_writer_end(struct archive_writer *w)
{
	int r = archive_writer_finish(w);
	int synced = archive_writer_sync(w);

	archive_writer_abandon(w);
	return r != 0 ? r : synced;
}

void archive_writer_abandon(struct archive_writer *w)
{
	if (w == NULL)
		return;
	writer_forget_closed(w, 0, w->nclosed);
	free(w->closed);
	writer_file_close(&w->meta);
	writer_file_close(&w->data);
	writer_index_done(&w->index);
	writer_meta_done(&w->known);
	buffer_done(&w->record);
	free(w->base);
	free(w);
}

struct archive_writer_state archive_writer_state(const struct archive_writer *w)
{
	return (struct archive_writer_state){
	    .base = w->base,
	    .start = w->label.start,
	    .last = w->last,
	    .volume = w->label.volume,
	    .volume_size = w->data.size,
	    .data_size = w->closed_size + w->data.size,
	    .record_at = w->last_offset,
	    .meta_size = w->meta.size,
	    .meta_end = (w->begun ? w->meta.size : log_label_len(w->label.version)) +
			buffer_pending(&w->known.queue),
	    .index_size = w->index.file.size,
	    .records = w->records,
	    .unsynced = writer_is_dirty(w),
	    .finished = w->ended != WRITER_OPEN,
	};
}
