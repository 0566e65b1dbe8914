/*
 * metadata - passes 1 and 2: the temporal index, and the descriptors.
 */
#include "tools/pmlogcheck/pmlogcheck.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/member.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * The temporal index
 */

enum { NSEC_PER_SEC = 1000000000 };

struct walk {
	const struct check *check;
	int64_t label_len;
	uint64_t meta_size;
	int volume; /* the volume whose size is known; -1: none */
	bool volume_missing;
	uint64_t volume_size;
	size_t number; /* number of the entry, from 1 */
	const struct index_entry *before;
};

__attribute__((format(printf, 2, 3))) static void index_say(const struct walk *w, const char *fmt,
							    ...)
{
	va_list ap;

	fprintf(finding(), "%s.index[entry %zu]: ", w->check->name, w->number);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* There may be many volumes, but the entries of one are adjacent: only one is open at a time. */
static void find_volume(struct walk *w, int number)
{
	const struct archive_files *files = archive_files(w->check->recording.archive);
	struct member *m;

	if (w->volume == number)
		return;
	w->volume = number;
	w->volume_missing = true;
	for (size_t i = 0; i < files->nvolumes; i++)
		if (files->volumes[i].number == number &&
		    member_open(files->volumes[i].path, &m) == 0) {
			w->volume_size = member_size(m);
			w->volume_missing = false;
			member_close(m);
		}
	if (w->volume_missing)
		fprintf(finding(), "%s.%d: file missing for log volume %d\n", w->check->name,
			number, number);
}

static void check_offset(const struct walk *w, const char *file, int64_t offset, uint64_t size)
{
	if (offset < w->label_len)
		index_say(w, "offset to %s (%" PRId64 ") before end of label record (%" PRId64 ")",
			  file, offset, w->label_len);
	else if ((uint64_t)offset > size)
		index_say(w, "offset to %s (%" PRId64 ") past end of file (%" PRIu64 ")", file,
			  offset, size);
}

static void check_stamp(const struct walk *w, const struct timespec *t)
{
	if (t->tv_sec < 0 || t->tv_nsec < 0)
		index_say(w, "illegal negative timestamp value (%lld sec, %ld nsec)",
			  (long long)t->tv_sec, t->tv_nsec);
	if (t->tv_nsec >= NSEC_PER_SEC)
		index_say(w, "illegal timestamp nsec value (%lld sec, %ld nsec)",
			  (long long)t->tv_sec, t->tv_nsec);
}

static void metadata_check_order(const struct walk *w, const struct index_entry *e)
{
	const struct timespec *start = &w->check->recording.label->start;
	const struct index_entry *b = w->before;

	if (stamp_compare(&e->stamp, start) < 0)
		index_say(w, "timestamp (%lld.%09ld) less than log label timestamp (%lld.%09ld)",
			  (long long)e->stamp.tv_sec, e->stamp.tv_nsec, (long long)start->tv_sec,
			  start->tv_nsec);
	if (b == NULL)
		return;
	if (stamp_compare(&e->stamp, &b->stamp) < 0)
		index_say(w,
			  "timestamp (%lld.%09ld) went backwards in time (from %lld.%09ld at "
			  "[entry %zu])",
			  (long long)e->stamp.tv_sec, e->stamp.tv_nsec, (long long)b->stamp.tv_sec,
			  b->stamp.tv_nsec, w->number - 1);
	if (e->volume < b->volume)
		index_say(w, "volume number (%d) decreased (from %d at [entry %zu])", e->volume,
			  b->volume, w->number - 1);
	if (e->volume == b->volume && e->meta_offset < b->meta_offset)
		index_say(w,
			  "offset to metadata (%" PRId64 ") decreased (from %" PRId64
			  " at [entry %zu])",
			  e->meta_offset, b->meta_offset, w->number - 1);
	if (e->volume == b->volume && e->data_offset < b->data_offset)
		index_say(w,
			  "offset to log (%" PRId64 ") decreased (from %" PRId64 " at [entry %zu])",
			  e->data_offset, b->data_offset, w->number - 1);
}

static void check_entry(struct walk *w, const struct index_entry *e)
{
	if (e->volume < 0)
		index_say(w, "illegal negative volume number %d", e->volume);
	else
		find_volume(w, e->volume);
	check_stamp(w, &e->stamp);
	check_offset(w, "metadata", e->meta_offset, w->meta_size);
	if (e->volume >= 0 && !w->volume_missing)
		check_offset(w, "log", e->data_offset, w->volume_size);
	metadata_check_order(w, e);
}

void index_check(const struct check *c)
{
	const struct index_entry *entries;
	struct walk w = {
	    .check = c,
	    .label_len = (int64_t)log_label_len(c->recording.label->version),
	    .meta_size = member_size(archive_meta_member(c->recording.archive)),
	    .volume = -1,
	};
	char text[PM_MAXERRMSGLEN];
	size_t n = 0;
	int sts = archive_index(c->recording.archive, &entries, &n);

	if (c->options->verbose)
		fprintf(stderr, "%s: start pass1 (check temporal index)\n", c->name);
	if (sts < 0)
		fprintf(finding(), "%s.index: %s\n", c->name, pmErrStr_r(sts, text, sizeof(text)));
	else if (n == 0)
		fprintf(finding(), "%s: warning temporal index is missing\n", c->name);
	for (size_t i = 0; i < n; i++) {
		w.number = i + 1;
		check_entry(&w, &entries[i]);
		w.before = &entries[i];
	}
}

/*
 * Descriptors
 */

enum { DIMENSION_MAX = 2 };

/* A descriptor that is checked. */
struct subject {
	const char *archive;
	const char *name;
	const pmDesc *desc;
};

__attribute__((format(printf, 2, 3))) static void metrics_say(const struct subject *s,
							      const char *fmt, ...)
{
	char id[32];
	va_list ap;

	fprintf(finding(), "%s.meta: %s [%s]: ", s->archive, s->name,
		pmIDStr_r(s->desc->pmid, id, sizeof(id)));
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* One dimension of the units; largest scale -1: any scale is allowed. */
static void check_units(const struct subject *s, const char *what, int dimension, int scale,
			int scale_max)
{
	if (dimension < -DIMENSION_MAX || dimension > DIMENSION_MAX)
		metrics_say(s, "bad dimension (%d) for %s in pmDesc", dimension, what);
	if (dimension == 0 && scale != 0)
		metrics_say(s, "non-zero scale (%d) with zero dimension for %s in pmDesc", scale,
			    what);
	if (scale_max >= 0 && scale > scale_max)
		metrics_say(s, "bad scale (%d) for %s in pmDesc", scale, what);
}

static bool type_known(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_HIGHRES_EVENT;
}

static void check_desc(const struct subject *s)
{
	const pmDesc *d = s->desc;
	const pmUnits *u = &d->units;

	if (!type_known(d->type))
		metrics_say(s, "bad type (%d) in pmDesc", d->type);
	if (d->indom != PM_INDOM_NULL && pmInDom_domain(d->indom) != pmID_domain(d->pmid))
		metrics_say(s, "domain of pmid (%u) != domain of indom (%u)", pmID_domain(d->pmid),
			    pmInDom_domain(d->indom));
	if (d->sem != PM_SEM_COUNTER && d->sem != PM_SEM_INSTANT && d->sem != PM_SEM_DISCRETE)
		metrics_say(s, "bad semantics (%d) in pmDesc", d->sem);
	check_units(s, "Space", u->dimSpace, (int)u->scaleSpace, PM_SPACE_EBYTE);
	check_units(s, "Time", u->dimTime, (int)u->scaleTime, PM_TIME_HOUR);
	check_units(s, "Count", u->dimCount, u->scaleCount, -1);
}

void metrics_check(const struct check *c)
{
	const struct archive_metric *const *list;
	char text[PM_MAXERRMSGLEN], id[32];
	size_t n;

	if (c->options->verbose)
		fprintf(stderr, "%s: start pass2\n", c->name);
	list = archive_meta_metrics(c->recording.meta, &n);
	for (size_t i = 0; i < n; i++) {
		struct subject s = {.archive = c->name, .desc = &list[i]->desc};

		if (list[i]->nnames == 0) {
			fprintf(finding(), "%s.meta: PMID %s: no name in PMNS: %s\n", c->name,
				pmIDStr_r(s.desc->pmid, id, sizeof(id)),
				pmErrStr_r(PM_ERR_PMID, text, sizeof(text)));
			continue;
		}
		s.name = list[i]->names[0];
		if (s.desc->type != PM_TYPE_NOSUPPORT)
			check_desc(&s);
	}
}
