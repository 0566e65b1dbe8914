/*
 * repair_index - the index that an archive has, and the one that it ought to have
 * (docs/spec/archive.md 8).
 */
#include "libstore/repair_inner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/timespec.h"
#include "libdisk/index_entry.h"
#include "libstore/archive_files.h"
#include "libstore/archive_repair.h"
#include "libstore/member.h"
#include "libstore/writer_inner.h"

/* ---- the one that it has ---- */

void index_list_done(struct index_list *list)
{
	free(list->entries);
	*list = (struct index_list){NULL};
}

static int index_list_add(struct index_list *list, const struct index_entry *entry)
{
	if (list->n == list->cap) {
		size_t cap = list->cap == 0 ? 64 : list->cap * 2;
		struct index_entry *entries = reallocarray(list->entries, cap, sizeof(*entries));

		if (entries == NULL)
			return -ENOMEM;
		list->entries = entries;
		list->cap = cap;
	}
	list->entries[list->n++] = *entry;
	return 0;
}

static int load_entries(struct index_list *list, struct repair_scan *scan)
{
	size_t len = index_entry_len(scan->label.version), left;
	int r = 0;

	for (uint64_t at = scan->offset; at + len <= scan->size && r == 0; at += len) {
		const uint8_t *p = member_at(scan->m, at, len, &left);
		struct index_entry entry;

		if (p == NULL)
			return member_error(scan->m);
		index_entry_load(p, scan->label.version, &entry);
		r = index_list_add(list, &entry);
	}
	return r;
}

int index_list_load(struct index_list *list, const char *path, int *ret_version, bool *ret_whole)
{
	struct repair_scan scan;
	struct member *m;
	int r = member_open(path, &m);

	*ret_whole = false;
	*ret_version = 0;
	if (r != 0)
		return r == -ENOMEM ? r : 0;
	/* Pieces are not asked for: the label alone is read by it. */
	r = repair_scan_begin(&scan, m, SCAN_META, LOG_LABEL_VOL_INDEX);
	if (r == 0) {
		*ret_version = scan.label.version;
		r = load_entries(list, &scan);
		*ret_whole = r == 0 && list->n > 0 &&
			     (scan.size - scan.offset) % index_entry_len(*ret_version) == 0;
	}
	repair_scan_done(&scan);
	member_close(m);
	return r == -ENOMEM ? r : 0;
}

static int encode(const struct index_list *list, const struct log_label *label, struct buffer *out)
{
	struct log_label own = *label;
	int r;

	own.volume = LOG_LABEL_VOL_INDEX;
	r = log_label_encode(out, &own);
	for (size_t i = 0; i < list->n && r == 0; i++) {
		r = index_entry_encode(out, label->version, &list->entries[i]);
		if (r == -E2BIG || r == -ERANGE) /* version 2 does without */
			r = 0;
	}
	return r;
}

/* Writes BASE.index again, whole, durable before it gets its name. 0, -errno. */
static int index_list_write(const struct index_list *list, const char *base,
			    const struct log_label *label)
{
	struct writer_file file = WRITER_FILE_NONE;
	struct buffer out = BUFFER_INIT;
	char path[PATH_MAX], tmp[PATH_MAX];
	int r = store_name(path, base, ".index");

	if (r == 0)
		r = store_name(tmp, base, ".index.new");
	if (r == 0)
		r = encode(list, label, &out);
	if (r == 0 && unlink(tmp) < 0 && errno != ENOENT)
		r = -errno;
	if (r == 0)
		r = writer_file_create(&file, tmp);
	if (r == 0)
		r = writer_file_append(&file, buffer_head(&out), buffer_pending(&out), true);
	writer_file_trim(&file);
	if (r == 0 && fdatasync(file.fd) < 0)
		r = -errno;
	if (r == 0 && rename(tmp, path) < 0)
		r = -errno;
	if (r != 0 && file.fd >= 0)
		unlink(tmp);
	writer_file_close(&file);
	buffer_done(&out);
	return r;
}

/* ---- the one that it ought to have ---- */

enum { INDEX_EVERY = 100000 }; /* bytes of data from one entry to the next */

/* The index as it should be, and how that which is there compares. */
struct reindex {
	struct index_list list; /* what is to be written */
	const struct index_list *old;
	size_t at;  /* next of the old entries */
	bool right; /* the old one is */
	uint64_t threshold;
	struct index_entry last; /* of the last record */
};

/* An entry has the offset at which a record begins; older writers wrote the offset at which it
 * ends. */
static void check_entries(struct reindex *x, const struct volume *v, uint64_t offset,
			  const struct timespec *stamp)
{
	while (x->at < x->old->n && x->old->entries[x->at].volume == v->number &&
	       (uint64_t)x->old->entries[x->at].data_offset <= offset) {
		const struct index_entry *e = &x->old->entries[x->at++];

		if ((uint64_t)e->data_offset != offset ||
		    (stamp != NULL && timespec_before(stamp, &e->stamp)))
			x->right = false;
	}
}

static int reindex_index_record(const struct repair *r, struct reindex *x, const struct volume *v,
				const struct scan_piece *piece)
{
	bool first = piece->offset == log_label_len(v->label.version), indom;
	uint64_t meta = repair_meta_offset(&r->meta, &piece->view.stamp, &indom);
	struct index_entry e = {piece->view.stamp, v->number, (int64_t)meta,
				(int64_t)piece->offset};
	bool start = x->last.data_offset == 0;

	check_entries(x, v, piece->offset, &piece->view.stamp);
	x->last = e;
	if (!first && !indom && !start && piece->end <= x->threshold)
		return 0;
	x->threshold = piece->end + INDEX_EVERY;
	if (start) {
		if (timespec_before(&v->label.start, &e.stamp))
			e.stamp = v->label.start;
		e.meta_offset = (int64_t)log_label_len(v->label.version);
	}
	return index_list_add(&x->list, &e);
}

/* The old entries of a volume that was not examined. */
static int index_trusted(const struct repair *r, struct reindex *x, const struct volume *v)
{
	int err = 0;

	for (; x->at < x->old->n && x->old->entries[x->at].volume == v->number && err == 0;
	     x->at++) {
		const struct index_entry *e = &x->old->entries[x->at];

		if ((uint64_t)e->meta_offset <= r->meta_keep)
			err = index_list_add(&x->list, e);
		else
			x->right = false;
		x->last = *e;
	}
	return err;
}

static int index_volume(const struct repair *r, struct reindex *x, const struct volume *v)
{
	struct repair_scan scan;
	struct scan_piece piece;
	int err;

	/* Volumes that are gone may have entries: readers skip them. */
	while (x->at < x->old->n && x->old->entries[x->at].volume < v->number)
		x->at++;
	if (v->trusted)
		return index_trusted(r, x, v);
	err = repair_open_scan(v->path, SCAN_DATA, v->number, &scan);

	while (err == 0 && (err = repair_scan_next(&scan, &piece)) == 1)
		err = piece.whole ? reindex_index_record(r, x, v, &piece) : 0;
	repair_close_scan(&scan);
	if (err == 0)
		check_entries(x, v, v->keep, NULL);
	return err;
}

/* The last entry is that of the last record, and says that all metadata is before it. */
static int index_end(const struct repair *r, struct reindex *x)
{
	const struct index_entry *old = x->old->n > 0 ? &x->old->entries[x->old->n - 1] : NULL;
	struct index_entry *end = &x->last;

	end->meta_offset = (int64_t)r->meta_keep;
	if (x->at < x->old->n || old == NULL || old->meta_offset != end->meta_offset ||
	    old->volume != end->volume || old->data_offset != end->data_offset)
		x->right = false;
	return index_list_add(&x->list, end);
}

static int write_index(struct repair *r, const struct reindex *x, const struct log_label *label)
{
	int err = index_list_write(&x->list, r->base, label);

	if (err != 0)
		return err;
	r->done->index_written = true;
	if (r->files.index != NULL && !repair_is_plain(r->files.index))
		err = repair_remove_file(r->files.index);
	return err != 0 ? err : repair_sync_dir(r->base);
}

int repair_mend_index(struct repair *r)
{
	struct reindex x = {.old = &r->index, .right = r->index_whole, .threshold = INDEX_EVERY};
	const struct log_label *label = NULL;
	int err = 0;

	for (size_t i = 0; i < r->files.nvolumes && err == 0; i++) {
		const struct volume *v = &r->volumes[i];

		if (v->foreign || (v->records == 0 && !v->trusted))
			continue;
		if (label == NULL && !v->trusted)
			label = &v->label;
		err = index_volume(r, &x, v);
	}
	if (err == 0 && label != NULL)
		err = index_end(r, &x);
	if (err == 0 && label != NULL && !x.right)
		err = write_index(r, &x, label);
	index_list_done(&x.list);
	return err;
}
