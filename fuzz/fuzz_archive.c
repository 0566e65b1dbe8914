/*
 * fuzz_archive - any bytes as the files of an archive.
 *
 * The archive (members.h) is opened, walked in both directions, by heads and after seeks, and all
 * of its metadata is read.
 */
#include <string.h>

#include "fuzz.h"
#include "libbase/cleanup.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "members.h"

enum { SEEN_MAX = 4096 };

struct seen {
	struct timespec stamp;
	struct archive_place place;
};

static struct seen seen[SEEN_MAX];

static int compare(const struct timespec *a, const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

static bool same_place(struct archive_place a, struct archive_place b)
{
	return a.volume == b.volume && a.offset == b.offset && a.end == b.end;
}

/* The number of records of forward reading, and its final result. */
static size_t forward(struct archive *a, int *ret_r, bool *ret_ascending)
{
	struct result_view view;
	size_t n = 0;

	*ret_ascending = true;
	while (n < SEEN_MAX && (*ret_r = archive_next(a, &view)) > 0) {
		size_t len;

		FUZZ_REQUIRE(archive_record(a, &len) != NULL);
		seen[n] = (struct seen){view.stamp, archive_place(a)};
		FUZZ_REQUIRE(seen[n].place.end - seen[n].place.offset == len);
		if (n > 0 && compare(&seen[n - 1].stamp, &view.stamp) > 0)
			*ret_ascending = false;
		n++;
	}
	return n;
}

static void backward(struct archive *a, size_t n, bool whole)
{
	struct result_view view;
	size_t i = n;
	int r;

	while ((r = archive_prev(a, &view)) > 0) {
		if (whole)
			FUZZ_REQUIRE(i > 0 && same_place(archive_place(a), seen[i - 1].place));
		if (i-- == 0)
			return; /* records may follow damage, but only a limited number */
	}
	if (whole && r == 0)
		FUZZ_REQUIRE(i == 0);
}

static void seeks(struct archive *a, size_t n, bool check)
{
	struct result_view view;
	struct archive_head head;
	int r;

	for (size_t i = 0; i < n; i += 1 + n / 8) {
		size_t first = i, last = i;

		while (first > 0 && compare(&seen[first - 1].stamp, &seen[i].stamp) == 0)
			first--;
		while (last + 1 < n && compare(&seen[last + 1].stamp, &seen[i].stamp) == 0)
			last++;
		r = archive_head_seek(a, &seen[i].stamp, &head);
		FUZZ_REQUIRE(!check || (r > 0 && same_place(head.place, seen[first].place)));
		if (archive_seek_forward(a, &seen[i].stamp) == 0) {
			r = archive_next(a, &view);
			FUZZ_REQUIRE(!check || same_place(archive_place(a), seen[first].place));
		}
		if (archive_seek_back(a, &seen[i].stamp) == 0) {
			r = archive_prev(a, &view);
			FUZZ_REQUIRE(!check || same_place(archive_place(a), seen[last].place));
		}
		archive_at(a, &seen[i].place, &view);
	}
}

static void records(struct archive *a, unsigned int flags)
{
	struct timespec end;
	bool ascending, whole;
	int r = 0;
	size_t n = forward(a, &r, &ascending);

	whole = r == 0 && !(flags & MEMBERS_SKIP);
	backward(a, n, whole);
	seeks(a, n, whole && ascending && n < SEEN_MAX && !(flags & MEMBERS_INDEX));
	if (archive_end(a, &end) == 0 && whole && n > 0 && n < SEEN_MAX)
		FUZZ_REQUIRE(compare(&end, &seen[n - 1].stamp) <= 0 || !ascending);
	archive_to_end(a);
	backward(a, n, false);
	archive_rewind(a);
}

static void indom(struct archive_meta *meta, pmInDom id)
{
	const struct archive_indom *const *all;
	const struct archive_indom *at;
	int n = archive_meta_indom(meta, id, &all);

	for (int i = 0; i < n; i++) {
		FUZZ_REQUIRE(i == 0 || compare(&all[i - 1]->stamp, &all[i]->stamp) <= 0);
		for (size_t j = 0; j < all[i]->n && j < 50; j++) {
			const struct wire_inst *inst = &all[i]->insts[j];

			FUZZ_REQUIRE(j == 0 || all[i]->insts[j - 1].inst < inst->inst);
			FUZZ_REQUIRE(archive_indom_inst(all[i], inst->inst) == inst);
			FUZZ_REQUIRE(inst->name.s[inst->name.len] == '\0');
			FUZZ_REQUIRE(archive_indom_lookup(all[i], inst->name.s) >= 0);
		}
		FUZZ_REQUIRE(archive_meta_indom_at(meta, id, &all[i]->stamp, &at) == 0 &&
			     at != NULL);
	}
	FUZZ_REQUIRE(archive_meta_indom_union(meta, id, &at) < 0 || (at != NULL) == (n > 0));
}

static void metric(struct archive_meta *meta, const struct archive_metric *m)
{
	static const int levels[] = {PM_LABEL_CONTEXT, PM_LABEL_DOMAIN, PM_LABEL_INDOM,
				     PM_LABEL_CLUSTER, PM_LABEL_ITEM,   PM_LABEL_INSTANCES};
	struct timespec late = {INT64_MAX, 0};
	pmLabelSet *sets;
	int err;

	FUZZ_REQUIRE(archive_meta_metric(meta, m->desc.pmid) == m);
	for (size_t i = 0; i < m->nnames; i++)
		FUZZ_REQUIRE(archive_meta_pmid(meta, m->names[i]) == m->desc.pmid);
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		int n = archive_meta_labels(meta, levels[i], m->desc.pmid, &late, &sets);

		for (int j = 0; j < n; j++) {
			free(sets[j].json);
			free(sets[j].labels);
		}
		if (n > 0)
			free(sets);
	}
	for (int type = 0; type < 16; type++)
		archive_meta_text(meta, type, m->desc.pmid, &err);
}

static void metadata(struct archive *a)
{
	struct archive_meta *meta;
	const struct archive_metric *const *metrics;
	const pmInDom *indoms;
	uint64_t offset;
	size_t n;

	FUZZ_REQUIRE(archive_meta_new(&meta) == 0);
	archive_meta_load(meta, archive_meta_member(a), archive_label(a)->version, 0,
			  log_label_len(archive_label(a)->version), &offset);
	metrics = archive_meta_metrics(meta, &n);
	for (size_t i = 0; i < n; i++)
		metric(meta, metrics[i]);
	n = archive_meta_indoms(meta, &indoms);
	for (size_t i = 0; i < n; i++)
		indom(meta, indoms[i]);
	archive_meta_free(meta);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int flags;
	struct archive *a;
	const char *base;

	if (size < MEMBERS_HEAD)
		return 0;
	base = members_write(data, size, &flags);
	if (archive_open(base, flags & MEMBERS_SKIP ? ARCHIVE_SKIP_DAMAGE : 0, &a) < 0)
		return 0;
	records(a, flags);
	metadata(a);
	archive_close(a);
	return 0;
}
