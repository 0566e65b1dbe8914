/*
 * write - records go into the archive, with the metadata that they need (docs/spec/import.md 5).
 *
 * A call writes the descriptors and domains that its record needs, the record, then texts, then
 * labels (write_meta.c).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/libpcp.h>

#include "libbase/timespec.h"
#include "libdisk/log_label.h"
#include "libdisk/stamp.h"
#include "libpcp_import/import.h"
#include "libstore/archive_writer.h"

enum {
	ENTRY_EVERY = 100000, /* bytes of a volume between two index entries */
	MARK_NS = 1000000,    /* a mark is this much after the last record */
	USEC_NS = 1000,
	SEC_NS = 1000000000,
	SYSTEM_CODES = -4096, /* codes above are of the system */
};

/* ---- the files ---- */

static void put_label_text(char *out, const char *text)
{
	snprintf(out, LOG_LABEL_TEXT, "%s", text != NULL ? text : "");
}

static void fill_label(const struct import *c, const struct timespec *begin,
		       struct log_label *label)
{
	char host[LOG_LABEL_TEXT] = "";
	char zone[LOG_LABEL_TEXT] = "";
	char *zoneinfo;

	*label = (struct log_label){.version = c->version, .pid = getpid(), .start = *begin};
	if (c->host == NULL)
		gethostname(host, sizeof(host) - 1);
	put_label_text(label->host, c->host != NULL ? c->host : host);
	if (c->zone != NULL) {
		put_label_text(label->timezone, c->zone);
		return;
	}
	put_label_text(label->timezone, __pmTimezone_r(zone, sizeof(zone)));
	zoneinfo = __pmZoneinfo();
	put_label_text(label->zoneinfo, zoneinfo);
	free(zoneinfo);
}

/* The file that is in the way, as PCP reports it. */
static void report_file(const struct import *c, int r)
{
	static const char *const suffixes[] = {".index", ".meta", ".0"};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.index", c->archive);
	if (r != -EEXIST) {
		fprintf(stderr, "__pmLogNewFile: failed to create \"%s\": %s\n", path, pmErrStr(r));
		return;
	}
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", c->archive, suffixes[i]);
		if (access(path, F_OK) == 0)
			break;
	}
	fprintf(stderr, "__pmLogNewFile: \"%s\" already exists, not over-written\n", path);
}

/* A record that would make a volume this large begins the next one. */
static uint64_t volume_max(void)
{
	const char *text = getenv("PCP_LOGIMPORT_MAXLOGSZ");
	uint64_t size = text != NULL ? strtoul(text, NULL, 10) : INT32_MAX;

	return size > 0 ? size - 1 : 0;
}

static int open_writer(struct import *c, const struct timespec *begin)
{
	struct log_label label;
	int r;

	if (c->writer != NULL)
		return 0;
	if (c->archive == NULL)
		return PM_ERR_NOCONTEXT;
	fill_label(c, begin, &label);
	r = archive_writer_new(c->archive, &label, &c->writer);
	if (r == 0)
		r = archive_writer_plain(c->writer);
	if (r != 0) {
		archive_writer_abandon(c->writer);
		c->writer = NULL;
		return r;
	}
	archive_writer_volume_max(c->writer, volume_max());
	c->opened_version = c->version;
	c->volume = 0;
	c->entry_after = ENTRY_EVERY;
	return 0;
}

/* Nothing was written since the context began: the next call begins again. */
static void close_unbegun(struct import *c)
{
	archive_writer_abandon(c->writer);
	c->writer = NULL;
	for (size_t i = 0; i < c->nmetrics; i++)
		c->metrics[i]->written = false;
	for (size_t i = 0; i < c->nindoms; i++)
		c->indoms[i]->written = false;
	for (size_t i = 0; i < c->ntexts; i++)
		c->texts[i].written = false;
}

/* ---- records ---- */

static int by_inst(const void *a, const void *b)
{
	int x = ((const pmValue *)a)->inst, y = ((const pmValue *)b)->inst;

	return x < y ? -1 : x > y;
}

static pmValueSet *new_set(struct import *c, pmID pmid, int numval)
{
	size_t n = numval > 1 ? (size_t)numval : 1;
	pmValueSet *set =
	    arena_alloc(&c->record, offsetof(pmValueSet, vlist) + n * sizeof(pmValue));

	if (set == NULL)
		return NULL;
	*set = (pmValueSet){.pmid = pmid, .numval = numval, .valfmt = PM_VAL_INSITU};
	return set;
}

static pmValueSet *set_of_metric(struct import *c, const struct import_metric *m)
{
	int numval = m->error < 0 ? m->error : (int)m->nvalues;
	bool words = m->desc.type == PM_TYPE_32 || m->desc.type == PM_TYPE_U32;
	pmValueSet *set = new_set(c, m->desc.pmid, numval);

	if (set == NULL)
		return NULL;
	if (!words)
		set->valfmt = PM_VAL_DPTR;
	for (int i = 0; i < numval; i++) {
		set->vlist[i].inst = m->values[i].inst;
		if (words)
			set->vlist[i].value.lval = m->values[i].u.word;
		else
			set->vlist[i].value.pval = m->values[i].u.block;
	}
	if (numval > 1)
		qsort(set->vlist, (size_t)numval, sizeof(pmValue), by_inst);
	return set;
}

static int collect_pending(struct import *c, pmValueSet ***ret_sets)
{
	pmValueSet **sets = arena_calloc(&c->record, c->npending, sizeof(*sets));

	if (sets == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < c->npending; i++) {
		sets[i] = set_of_metric(c, c->pending[i]);
		if (sets[i] == NULL)
			return -ENOMEM;
	}
	*ret_sets = sets;
	return 0;
}

/* Copies of the caller's sets, each in ascending order of instances. */
static int collect_given(struct import *c, pmValueSet *const *given, size_t n,
			 pmValueSet ***ret_sets)
{
	pmValueSet **sets = arena_calloc(&c->record, n, sizeof(*sets));

	if (sets == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int numval = given[i]->numval;

		if (import_metric_id(c, given[i]->pmid) == NULL)
			return PM_ERR_PMID;
		sets[i] = new_set(c, given[i]->pmid, numval);
		if (sets[i] == NULL)
			return -ENOMEM;
		sets[i]->valfmt = given[i]->valfmt;
		if (numval > 0) {
			memcpy(sets[i]->vlist, given[i]->vlist, (size_t)numval * sizeof(pmValue));
			qsort(sets[i]->vlist, (size_t)numval, sizeof(pmValue), by_inst);
		}
	}
	*ret_sets = sets;
	return 0;
}

static void entry_of_record(struct import *c, const struct timespec *stamp, uint64_t meta_at,
			    bool brought)
{
	struct archive_writer_state s = archive_writer_state(c->writer);

	if (!brought && s.volume == c->volume && s.volume_size <= c->entry_after)
		return;
	c->volume = s.volume;
	c->entry_after = s.record_at + ENTRY_EVERY;
	import_write_entry(c, stamp, meta_at, s.record_at);
}

static int write_sets(struct import *c, const struct timespec *stamp, pmValueSet *const *sets,
		      size_t n)
{
	uint64_t meta_at = archive_writer_state(c->writer).meta_end;
	bool brought = false;
	int r;

	for (size_t i = 0; i < n; i++) {
		r = import_write_metric(c, sets[i]->pmid, stamp);
		if (r < 0)
			return r;
		brought |= r > 0;
	}
	r = archive_writer_result(c->writer, stamp, sets, (uint32_t)n);
	if (r == 0)
		entry_of_record(c, stamp, meta_at, brought);
	return r;
}

/* ---- a call ---- */

static bool has_texts(const struct import *c)
{
	return c->ntexts > 0 && !c->texts[c->ntexts - 1].written;
}

static void print_stamp(const struct timespec *stamp)
{
	__pmTimestamp t = {stamp->tv_sec, (int32_t)stamp->tv_nsec};

	__pmPrintTimestamp(stderr, &t);
}

static int refuse_stamp(const struct timespec *stamp, const struct timespec *last)
{
	fputs("Fatal Error: timestamp ", stderr);
	print_stamp(stamp);
	fputs(" not greater than previous valid timestamp ", stderr);
	print_stamp(last);
	fputc('\n', stderr);
	return PMI_ERR_BADTIMESTAMP;
}

/* A record may not be before a mark either: readers would skip it. */
static int check_stamp(const struct import *c, const struct timespec *stamp, bool record)
{
	int version = c->writer != NULL ? c->opened_version : c->version;
	struct timespec last = c->last;

	if (!stamp_fits(stamp, version))
		return PMI_ERR_BADTIMESTAMP;
	if (c->state != IMPORT_ACTIVE)
		return 0;
	if (record && c->writer != NULL && archive_writer_state(c->writer).records > 0)
		last = archive_writer_state(c->writer).last; /* of a mark, perhaps */
	if (timespec_before(&last, &c->last))
		last = c->last;
	return timespec_before(stamp, &last) ? refuse_stamp(stamp, &last) : 0;
}

/* After a failure: reports a file that could not be made. */
static int give_up(struct import *c, int r)
{
	bool unbegun = c->writer == NULL || archive_writer_state(c->writer).records == 0;

	if (unbegun && r != -ENOMEM && r > SYSTEM_CODES)
		report_file(c, r);
	if (c->state == IMPORT_START)
		close_unbegun(c);
	return r;
}

static int write_record(struct import *c, const struct timespec *stamp, pmValueSet *const *sets,
			size_t n)
{
	int r = open_writer(c, stamp);

	if (r == 0)
		r = write_sets(c, stamp, sets, n);
	if (r != 0)
		return give_up(c, r);
	c->state = IMPORT_ACTIVE;
	c->last = *stamp;
	return 0;
}

static int write_notes(struct import *c, const struct timespec *stamp)
{
	int r = open_writer(c, stamp);

	if (r == 0)
		r = import_write_texts(c, stamp);
	if (r == 0)
		r = import_write_labels(c, stamp);
	if (r == 0)
		r = archive_writer_flush(c->writer);
	if (r != 0)
		return give_up(c, r);
	c->state = IMPORT_ACTIVE;
	c->last = *stamp;
	return 0;
}

static int write_pending(struct import *c, const struct timespec *stamp)
{
	pmValueSet **sets = NULL;
	int r = 0;

	if (c->state == IMPORT_END)
		return PM_ERR_NOCONTEXT;
	if (c->npending == 0 && c->nlabels == 0 && !has_texts(c))
		return PMI_ERR_NODATA;
	r = check_stamp(c, stamp, c->npending > 0);
	if (r != 0)
		return r;
	if (c->npending > 0) {
		r = collect_pending(c, &sets);
		if (r == 0)
			r = write_record(c, stamp, sets, c->npending);
		import_drop(c);
	}
	if (r == 0 && (c->nlabels > 0 || has_texts(c)))
		r = write_notes(c, stamp);
	return r;
}

static int write_mark(struct import *c, const struct timespec *stamp)
{
	if (c->writer == NULL || archive_writer_state(c->writer).records == 0)
		return 0; /* a gap before the first record is none */
	return archive_writer_mark(c->writer, stamp);
}

/* Without values it is a mark at a time of the caller. */
static int write_given(struct import *c, const struct timespec *stamp, pmValueSet *const *given,
		       int n)
{
	pmValueSet **sets;
	int r;

	if (c->state == IMPORT_END)
		return PM_ERR_NOCONTEXT;
	r = check_stamp(c, stamp, true);
	if (r != 0)
		return r;
	import_drop(c);
	if (n <= 0) {
		r = write_mark(c, stamp);
		if (r == 0)
			c->last = *stamp;
		return r;
	}
	r = collect_given(c, given, (size_t)n, &sets);
	if (r == 0)
		r = write_record(c, stamp, sets, (size_t)n);
	import_drop(c);
	return r;
}

int import_end(struct import *c)
{
	struct archive_writer_state s;
	int r = 0;

	if (c->writer != NULL) {
		r = archive_writer_flush(c->writer);
		s = archive_writer_state(c->writer);
		if (s.records > 0)
			import_write_entry(c, &c->last, s.meta_end, s.volume_size);
		if (r == 0)
			r = archive_writer_end(c->writer);
		else
			archive_writer_end(c->writer);
		c->writer = NULL;
	}
	import_drop(c);
	c->state = IMPORT_END;
	return r;
}

/* ---- the public calls ---- */

/* A negative sec is the present time. Too many parts of a second are seconds. */
static int write_at(long long sec, long long parts, long long part_ns)
{
	struct import *c = import_enter();
	long long per_sec = SEC_NS / part_ns;
	struct timespec stamp = {sec + parts / per_sec, (long)(parts % per_sec * part_ns)};

	if (sec < 0)
		clock_gettime(CLOCK_REALTIME, &stamp);
	else if (parts < 0)
		return import_leave(c, PMI_ERR_BADTIMESTAMP);
	return import_leave(c, c != NULL ? write_pending(c, &stamp) : 0);
}

int pmiWrite(int sec, int usec)
{
	return write_at(sec, usec, USEC_NS);
}

int pmiWrite2(long long sec, int usec)
{
	return write_at(sec, usec, USEC_NS);
}

int pmiHighResWrite(long long sec, int nsec)
{
	return write_at(sec, nsec, 1);
}

int pmiPutResult(const pmResult *result)
{
	struct import *c = import_enter();
	struct timespec stamp;

	if (c == NULL || result == NULL)
		return import_leave(c, PMI_ERR_NODATA);
	stamp = (struct timespec){result->timestamp.tv_sec, result->timestamp.tv_usec * USEC_NS};
	return import_leave(c, write_given(c, &stamp, result->vset, result->numpmid));
}

int pmiPutHighResResult(const pmHighResResult *result)
{
	struct import *c = import_enter();

	if (c == NULL || result == NULL)
		return import_leave(c, PMI_ERR_NODATA);
	return import_leave(c, write_given(c, &result->timestamp, result->vset, result->numpmid));
}

int pmiPutMark(void)
{
	struct import *c = import_enter();
	struct timespec stamp;

	if (c == NULL || c->state == IMPORT_END)
		return import_leave(c, PM_ERR_NOCONTEXT);
	stamp = timespec_add_ns(&c->last, MARK_NS);
	return import_leave(c, write_mark(c, &stamp));
}
