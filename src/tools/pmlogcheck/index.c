#include "tools/pmlogcheck/index.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/member.h"
#include "tools/archive/stamp.h"
#include "tools/common/finding.h"
#include "tools/pmlogcheck/check.h"

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

__attribute__((format(printf, 2, 3))) static void say(const struct walk *w, const char *fmt, ...)
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
		fprintf(finding(), "%s.%d: file missing for log volume %d\n", w->check->name, number,
			number);
}

static void check_offset(const struct walk *w, const char *file, int64_t offset, uint64_t size)
{
	if (offset < w->label_len)
		say(w, "offset to %s (%" PRId64 ") before end of label record (%" PRId64 ")", file,
		    offset, w->label_len);
	else if ((uint64_t)offset > size)
		say(w, "offset to %s (%" PRId64 ") past end of file (%" PRIu64 ")", file, offset,
		    size);
}

static void check_stamp(const struct walk *w, const struct timespec *t)
{
	if (t->tv_sec < 0 || t->tv_nsec < 0)
		say(w, "illegal negative timestamp value (%lld sec, %ld nsec)",
		    (long long)t->tv_sec, t->tv_nsec);
	if (t->tv_nsec >= NSEC_PER_SEC)
		say(w, "illegal timestamp nsec value (%lld sec, %ld nsec)", (long long)t->tv_sec,
		    t->tv_nsec);
}

static void check_order(const struct walk *w, const struct index_entry *e)
{
	const struct timespec *start = &w->check->recording.label->start;
	const struct index_entry *b = w->before;

	if (stamp_compare(&e->stamp, start) < 0)
		say(w, "timestamp (%lld.%09ld) less than log label timestamp (%lld.%09ld)",
		    (long long)e->stamp.tv_sec, e->stamp.tv_nsec, (long long)start->tv_sec,
		    start->tv_nsec);
	if (b == NULL)
		return;
	if (stamp_compare(&e->stamp, &b->stamp) < 0)
		say(w,
		    "timestamp (%lld.%09ld) went backwards in time (from %lld.%09ld at "
		    "[entry %zu])",
		    (long long)e->stamp.tv_sec, e->stamp.tv_nsec, (long long)b->stamp.tv_sec,
		    b->stamp.tv_nsec, w->number - 1);
	if (e->volume < b->volume)
		say(w, "volume number (%d) decreased (from %d at [entry %zu])", e->volume,
		    b->volume, w->number - 1);
	if (e->volume == b->volume && e->meta_offset < b->meta_offset)
		say(w,
		    "offset to metadata (%" PRId64 ") decreased (from %" PRId64 " at [entry %zu])",
		    e->meta_offset, b->meta_offset, w->number - 1);
	if (e->volume == b->volume && e->data_offset < b->data_offset)
		say(w, "offset to log (%" PRId64 ") decreased (from %" PRId64 " at [entry %zu])",
		    e->data_offset, b->data_offset, w->number - 1);
}

static void check_entry(struct walk *w, const struct index_entry *e)
{
	if (e->volume < 0)
		say(w, "illegal negative volume number %d", e->volume);
	else
		find_volume(w, e->volume);
	check_stamp(w, &e->stamp);
	check_offset(w, "metadata", e->meta_offset, w->meta_size);
	if (e->volume >= 0 && !w->volume_missing)
		check_offset(w, "log", e->data_offset, w->volume_size);
	check_order(w, e);
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
