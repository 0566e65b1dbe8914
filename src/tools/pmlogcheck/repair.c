/*
 * repair - an archive without its damage: copied to a new one, or cut in place.
 */
#include "tools/pmlogcheck/pmlogcheck.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/hash.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libdisk/result_record.h"
#include "libdisk/result_view.h"
#include "libstore/archive.h"
#include "libstore/archive_files.h"
#include "libstore/archive_repair.h"
#include "libstore/archive_writer.h"
#include "libstore/member.h"
#include "tools/archive/metadata.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * The files of an archive
 */

const char *pieces_name(const char *path)
{
	return strncmp(path, "./", 2) == 0 ? path + 2 : path;
}

/*
 * Two streams are merged by time: the records of .meta in the order of the file, and the data
 * records. The metadata of a record must be queued before it, so all metadata that is not newer
 * than the record goes first. Instance domains are written as whole domains: a delta is applied to
 * what the new archive already has.
 *
 * A mark is written where data was skipped, after the last record before it: a mark may have been
 * lost, and then no rate may be computed across the gap.
 */

enum { MARK_AFTER_NS = 1000000, NSEC_PER_SEC = 1000000000 };

struct repair {
	struct archive *from;
	struct archive_writer *to;
	struct meta_walk meta;
	bool meta_held; /* a record of .meta that is newer than the last data record */
	bool meta_done;
	enum meta_type type;
	union meta_body body;
	uint64_t regions; /* damaged regions of the data so far */
	struct timespec last;
	uint64_t records, meta_records;
	uint64_t meta_bytes; /* bytes skipped */
	uint64_t damaged;    /* records with a whole frame and a damaged body */
	bool gap;            /* data was skipped since the last record */
	uint64_t
	    refused; /* records that an archive cannot hold, such as one whose time went backward */
	bool keep;   /* copy values without a descriptor */
	struct hash undescribed; /* the PMIDs of such values */
	uint64_t emptied;        /* records without any other values */
};

/* Finds the next offset, after damage, of a whole and valid record. */
static void find_meta(struct repair *r)
{
	uint64_t at = r->meta.offset, size = member_size(r->meta.member);

	for (uint64_t next = at + 1; next < size; next++) {
		if (meta_walk_at(&r->meta, next, &r->type, &r->body) == 0) {
			r->meta_bytes += next - at;
			r->meta.offset = next;
			return;
		}
	}
	r->meta_bytes += size - at;
	r->meta.offset = size;
}

/* Reads the next record of .meta that can be decoded. Returns false if there is none. */
static bool hold_meta(struct repair *r)
{
	int sts;

	while (!r->meta_held && !r->meta_done) {
		sts = meta_walk_next(&r->meta, ~0u, &r->type, &r->body);
		r->meta_held = sts > 0;
		r->meta_done = sts == 0 && r->meta.offset >= member_size(r->meta.member);
		if (sts < 0 && r->meta.at < r->meta.offset)
			r->meta.offset = r->meta.at;
		if (sts <= 0 && !r->meta_done)
			find_meta(r);
	}
	return r->meta_held;
}

static const struct timespec *meta_stamp(const struct repair *r)
{
	switch (r->type) {
	case META_DESC:
	case META_TEXT:
		return NULL;
	case META_LABEL:
	case META_LABEL_V2:
		return &r->body.label.stamp;
	default:
		return &r->body.indom.stamp;
	}
}

static int repair_by_inst(const void *a, const void *b)
{
	const struct wire_inst *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

/* Brings a domain into the form of today's loggers: sorted, each instance once. */
static int put_indom(struct repair *r)
{
	struct meta_indom indom = r->body.indom;
	AUTO_FREE struct wire_inst *sorted = calloc(indom.numinst + 1, sizeof(sorted[0]));
	uint32_t n = 0;

	if (sorted == NULL)
		return -ENOMEM;
	if (indom.numinst > 0)
		memcpy(sorted, indom.insts, indom.numinst * sizeof(sorted[0]));
	qsort(sorted, indom.numinst, sizeof(sorted[0]), repair_by_inst);
	for (uint32_t i = 0; i < indom.numinst; i++)
		if (n == 0 || sorted[n - 1].inst != sorted[i].inst)
			sorted[n++] = sorted[i];
	indom.insts = sorted;
	indom.numinst = n;
	return archive_writer_meta(r->to, r->type, &(union meta_body){.indom = indom});
}

/* Applies a delta, which gives the whole domain. */
static int put_delta(struct repair *r)
{
	struct meta_indom indom = r->body.indom;
	struct timespec stamp;
	size_t n_old, n = 0;
	const struct wire_inst *old = archive_writer_indom(r->to, indom.indom, &n_old, &stamp);
	AUTO_FREE struct wire_inst *now = NULL;
	int sts;

	if (old == NULL)
		return PM_ERR_LOGREC;
	now = calloc(n_old + indom.numinst + 1, sizeof(now[0]));
	if (now == NULL)
		return -ENOMEM;
	sts = indom_apply(old, n_old, indom.insts, indom.numinst, now, &n);
	if (sts < 0)
		return sts;
	indom.insts = now;
	indom.numinst = (uint32_t)n;
	return archive_writer_meta(r->to, META_INDOM, &(union meta_body){.indom = indom});
}

static bool hopeless(int sts)
{
	return sts == -ENOMEM || sts == -ENOSPC || sts == -EIO || sts == -EDQUOT || sts == -EFBIG ||
	       sts == -EEXIST || sts == -ESTALE || sts == -EACCES || sts == -EROFS ||
	       sts == -ENOENT;
}

/*
 * Counts the failure. Returns the error only if nothing can be written to the new archive at all.
 */
static int repair_count(struct repair *r, int sts, uint64_t *counter)
{
	if (sts >= 0)
		(*counter)++;
	else if (hopeless(sts))
		return sts;
	else
		r->refused++;
	return 0;
}

/* Writes the metadata that is not newer than a record. */
static int put_meta_until(struct repair *r, const struct timespec *when)
{
	const struct timespec *stamp;
	int sts = 0;

	while (sts >= 0 && hold_meta(r)) {
		stamp = meta_stamp(r);
		if (stamp != NULL && stamp_compare(stamp, when) > 0)
			break;
		if (r->type == META_INDOM_DELTA)
			sts = put_delta(r);
		else if (r->type == META_INDOM || r->type == META_INDOM_V2)
			sts = put_indom(r);
		else
			sts = archive_writer_meta(r->to, r->type, &r->body);
		sts = sts == 0 ? 0 : repair_count(r, sts, &r->meta_records);
		r->meta_held = false;
	}
	return sts;
}

static struct timespec after(struct timespec t)
{
	t.tv_nsec += MARK_AFTER_NS;
	if (t.tv_nsec >= NSEC_PER_SEC) {
		t.tv_sec++;
		t.tv_nsec -= NSEC_PER_SEC;
	}
	return t;
}

/* Writes a mark if data was skipped since the last record. */
static int mark_gap(struct repair *r, const struct timespec *next)
{
	uint64_t regions = archive_damage(r->from).regions;
	struct timespec mark = after(r->last);

	if (regions == r->regions && !r->gap)
		return 0;
	r->regions = regions;
	r->gap = false;
	if (r->records == 0 || stamp_compare(&mark, next) > 0)
		return 0;
	return archive_writer_mark(r->to, &mark);
}

static int note_undescribed(struct repair *r, pmID pmid)
{
	uint64_t hash = hash_u64(pmid);

	/* The table holds each PMID plus 1, so that no entry is NULL. */
	if (hash_find(&r->undescribed, hash, NULL, NULL) != NULL)
		return 0;
	return hash_add(&r->undescribed, hash, (void *)((uintptr_t)pmid + 1));
}

/* Returns 1 if all values of the record have descriptors, 0 if some have none, or -ENOMEM. */
static int is_described(struct repair *r, const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	struct vset_view set;
	int all = 1;

	while (result_walk_next(view, &walk, &set) > 0) {
		if (archive_writer_has_desc(r->to, set.pmid))
			continue;
		if (note_undescribed(r, set.pmid) < 0)
			return -ENOMEM;
		all = 0;
	}
	return all;
}

/* Removes the values without a descriptor. Returns 1 if nothing is left. */
static int put_described(struct repair *r, const struct result_view *view)
{
	AUTO_FREE pmHighResResult *result = NULL;
	size_t len;
	const void *record = archive_record(r->from, &len);
	int sts = result_record_to_host(archive_label(r->from)->version, record, len, &result);
	int n = 0;

	if (sts < 0)
		return sts;
	for (int i = 0; i < result->numpmid; i++) {
		if (archive_writer_has_desc(r->to, result->vset[i]->pmid))
			result->vset[n++] = result->vset[i];
	}
	return n == 0 ? 1 : archive_writer_result(r->to, &view->stamp, result->vset, (uint32_t)n);
}

/* Returns 1 if the record was left out. */
static int put_values(struct repair *r, const struct result_view *view)
{
	int sts = is_described(r, view);

	if (sts == 0 && !r->keep)
		return put_described(r, view);
	return sts < 0 ? sts : archive_writer_copy(r->to, &view->stamp, view);
}

static int repair_put_record(struct repair *r, const struct result_view *view)
{
	int sts;

	if (result_view_check(view) < 0) {
		r->damaged++;
		r->gap = true;
		return 0;
	}
	sts = put_meta_until(r, &view->stamp);
	if (sts >= 0)
		sts = mark_gap(r, &view->stamp);
	if (sts >= 0 && result_view_is_mark(view))
		sts = archive_writer_mark(r->to, &view->stamp);
	else if (sts >= 0)
		sts = put_values(r, view);
	if (sts > 0) {
		r->emptied++;
		return 0;
	}
	if (sts >= 0)
		r->last = view->stamp;
	return repair_count(r, sts, &r->records);
}

static int copy(struct repair *r)
{
	struct result_view view;
	int volume = -1;
	int sts;

	while ((sts = archive_next(r->from, &view)) > 0) {
		int now = archive_place(r->from).volume;

		if (volume >= 0 && now != volume)
			sts = archive_writer_volume(r->to);
		volume = now;
		if (sts >= 0)
			sts = repair_put_record(r, &view);
		if (sts < 0)
			break;
	}
	return sts;
}

static void say_done(const struct repair *r, const char *out)
{
	struct archive_damage damage = archive_damage(r->from);

	fprintf(stderr, "%s: %" PRIu64 " records and %" PRIu64 " of metadata copied\n", out,
		r->records, r->meta_records);
	if (damage.regions > 0)
		fprintf(finding(), "%s: %" PRIu64 " damaged regions skipped, %" PRIu64 " bytes\n",
			out, damage.regions, damage.bytes);
	if (r->damaged > 0)
		fprintf(finding(), "%s: %" PRIu64 " damaged records skipped\n", out, r->damaged);
	if (r->meta_bytes > 0)
		fprintf(finding(), "%s: %" PRIu64 " bytes of damaged metadata skipped\n", out,
			r->meta_bytes);
	if (r->undescribed.count > 0)
		fprintf(finding(), "%s: %zu metrics have values and no description: %s\n", out,
			(size_t)r->undescribed.count,
			r->keep ? "kept"
				: "their values are left out (--keep-undescribed keeps them)");
	if (r->emptied > 0)
		fprintf(finding(), "%s: %" PRIu64 " records had no other values\n", out,
			r->emptied);
	if (r->refused > 0)
		fprintf(finding(), "%s: %" PRIu64 " records left out that no archive can hold\n",
			out, r->refused);
}

static int run(struct repair *r, const char *out)
{
	const struct log_label *label = archive_label(r->from);
	int sts = archive_writer_new(out, label, &r->to);
	int end;

	if (sts < 0)
		return sts;
	meta_walk_begin(&r->meta, archive_meta_member(r->from), label->version);
	sts = copy(r);
	meta_walk_end(&r->meta);
	end = archive_writer_end(r->to);
	if (sts >= 0)
		sts = end;
	if (sts >= 0 && r->records == 0)
		sts = PM_ERR_NODATA;
	return sts;
}

bool repair_run(const char *archive, const char *out, bool keep)
{
	struct repair r = {.keep = keep};
	char text[PM_MAXERRMSGLEN];
	const char *what = archive;
	int sts = archive_open(archive, ARCHIVE_SKIP_DAMAGE | ARCHIVE_NO_FEATURE_CHECK, &r.from);

	if (sts >= 0) {
		what = out;
		sts = run(&r, out);
	}
	if (sts < 0)
		fprintf(stderr, "%s: cannot repair: %s: %s\n", pmGetProgname(), what,
			pmErrStr_r(sts, text, sizeof(text)));
	else
		say_done(&r, out);
	hash_done(&r.undescribed);
	if (r.from != NULL)
		archive_close(r.from);
	return sts >= 0;
}

/*
 * Cutting in place
 */

static void say_cut(const char *name, const char *what, uint64_t bytes)
{
	if (bytes > 0)
		fprintf(stderr, "%s: %" PRIu64 " bytes cut off the %s\n", name, bytes, what);
}

static void trim_say_done(const char *name, const struct archive_repair *done)
{
	say_cut(name, "metadata", done->meta_cut);
	say_cut(name, "last volume", done->data_cut);
	if (done->index_written)
		fprintf(stderr, "%s: temporal index written\n", name);
	if (done->damaged > 0)
		fprintf(finding(), "%s: %" PRIu64 " damaged regions left, see --repair\n", name,
			done->damaged);
	if (done->removed)
		fprintf(stderr, "%s: removed, there was no record in it\n", name);
}

static int list_again(struct archive_files *files)
{
	struct archive_files now;
	int r = archive_files_members(files->base, &now);

	if (r < 0)
		return r;
	archive_files_done(files);
	*files = now;
	return 0;
}

bool trim_run(struct archive_files *files)
{
	struct archive_repair done;
	char text[PM_MAXERRMSGLEN];
	int sts = archive_repair(files->base, &done);

	if (sts >= 0)
		trim_say_done(pieces_name(files->base), &done);
	if (sts >= 0 && !done.removed)
		sts = list_again(files);
	if (sts < 0)
		fprintf(stderr, "%s: cannot trim \"%s\": %s\n", pmGetProgname(),
			pieces_name(files->base), pmErrStr_r(sts, text, sizeof(text)));
	return sts >= 0 && !done.removed;
}
