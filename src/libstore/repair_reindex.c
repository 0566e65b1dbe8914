/*
 * repair_reindex - the index that an archive ought to have, beside the one that it has
 * (docs/spec/archive.md 8).
 */
#include "libstore/repair_state.h"

#include "libdisk/index_entry.h"
#include "libstore/archive_repair.h"
#include "libstore/store_time.h"

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
		    (stamp != NULL && store_time_before(stamp, &e->stamp)))
			x->right = false;
	}
}

static int index_record(const struct repair *r, struct reindex *x, const struct volume *v,
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
		if (store_time_before(&v->label.start, &e.stamp))
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
		err = piece.whole ? index_record(r, x, v, &piece) : 0;
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
