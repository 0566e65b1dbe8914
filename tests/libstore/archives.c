/*
 * archives - walks every archive of a folder in both directions, seeks in it, and prints one line
 * an archive.
 *
 *     archives FOLDER
 *     PATH version=V start=T end=T records=N marks=N first=T last=T
 *     PATH error=CODE
 *
 * Backward must give what forward gave, and a seek what a linear search finds: if not, the line
 * ends in differ=WHAT.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/hash.h"
#include "libstore/archive.h"
#include "libstore/member.h"

enum { SEEKS = 40 };

struct seen {
	struct timespec stamp;
	struct archive_place place;
	uint64_t hash;
	bool mark;
};

struct walk {
	struct archive *archive;
	struct seen *seen;
	size_t n, cap;
	size_t marks;
	bool ascending; /* stamps never go back */
	const char *differ;
};

static uint32_t seed = 1;

static uint32_t number(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

static int64_t nanoseconds(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static struct seen see(struct archive *archive, const struct result_view *view)
{
	size_t len;
	const void *record = archive_record(archive, &len);

	return (struct seen){view->stamp, archive_place(archive), hash_bytes(record, len),
			     result_view_is_mark(view)};
}

static bool same(const struct seen *a, const struct seen *b)
{
	return nanoseconds(&a->stamp) == nanoseconds(&b->stamp) && a->hash == b->hash &&
	       a->place.volume == b->place.volume && a->place.offset == b->place.offset &&
	       a->place.end == b->place.end;
}

static int forward(struct walk *w)
{
	struct result_view view;
	int r;

	w->ascending = true;
	while ((r = archive_next(w->archive, &view)) > 0) {
		if (w->n == w->cap) {
			w->cap = w->cap * 2 + 64;
			w->seen = reallocarray(w->seen, w->cap, sizeof(*w->seen));
			if (w->seen == NULL)
				abort();
		}
		if (w->n > 0 && nanoseconds(&view.stamp) < nanoseconds(&w->seen[w->n - 1].stamp))
			w->ascending = false;
		w->seen[w->n++] = see(w->archive, &view);
		w->marks += result_view_is_mark(&view);
	}
	return r;
}

static int backward(struct walk *w)
{
	struct result_view view;
	size_t i = w->n;
	int r;

	while ((r = archive_prev(w->archive, &view)) > 0) {
		struct seen now = see(w->archive, &view);

		if (i == 0 || !same(&now, &w->seen[--i])) {
			w->differ = "backward";
			return 0;
		}
	}
	if (r == 0 && i != 0)
		w->differ = "backward-short";
	return r;
}

static void heads(struct walk *w)
{
	struct archive_head head;
	struct timespec zero = {INT32_MIN, 0};
	size_t i = 0;
	int r;

	for (r = archive_head_seek(w->archive, &zero, &head); r > 0;
	     r = archive_head_next(w->archive, &head, &head)) {
		if (i == w->n || nanoseconds(&head.stamp) != nanoseconds(&w->seen[i].stamp) ||
		    head.place.offset != w->seen[i].place.offset ||
		    head.place.end != w->seen[i].place.end || head.mark != w->seen[i].mark)
			break;
		i++;
	}
	if (r != 0 || i != w->n)
		w->differ = "heads";
}

/* The first record at or after a time (after: strictly after). */
static size_t linear(const struct walk *w, int64_t when, bool after)
{
	size_t i = 0;

	while (i < w->n && (nanoseconds(&w->seen[i].stamp) < when ||
			    (after && nanoseconds(&w->seen[i].stamp) == when)))
		i++;
	return i;
}

static void seek(struct walk *w, int64_t when, bool back)
{
	struct timespec t = {(time_t)(when / 1000000000), (long)(when % 1000000000)};
	struct result_view view;
	size_t at = linear(w, when, back);
	int r = back ? archive_seek_back(w->archive, &t) : archive_seek_forward(w->archive, &t);

	if (r == 0 && !back) {
		r = archive_next(w->archive, &view);
		at = r > 0 ? at : at == w->n ? SIZE_MAX : at;
	} else if (r == 0) {
		r = archive_prev(w->archive, &view);
		at = r > 0 ? at - 1 : at == 0 ? SIZE_MAX : at;
	}
	if (r < 0 || (r == 0 && at != SIZE_MAX)) {
		w->differ = "seek";
	} else if (r > 0) {
		struct seen now = see(w->archive, &view);

		if (at >= w->n || !same(&now, &w->seen[at]))
			w->differ = "seek-place";
	}
}

static void seeks(struct walk *w)
{
	int64_t first = nanoseconds(&w->seen[0].stamp);
	int64_t span = nanoseconds(&w->seen[w->n - 1].stamp) - first;

	for (int i = 0; i < SEEKS && w->differ == NULL; i++) {
		int64_t when =
		    first - span / 10 + (int64_t)((double)span * 1.2 * number() / (1 << 24));

		if (i % 2 == 0) /* exactly a record's */
			when = nanoseconds(&w->seen[number() % w->n].stamp);
		seek(w, when, i % 4 >= 2);
	}
}

static int walk_all(struct walk *w, struct timespec *ret_end)
{
	int r = archive_end(w->archive, ret_end);

	if (r == 0)
		r = forward(w);
	if (r < 0)
		return r;
	heads(w);
	if (w->ascending && w->n > 0)
		seeks(w);
	archive_to_end(w->archive);
	r = backward(w);
	archive_rewind(w->archive);
	return r;
}

static void print_stamp(const char *key, const struct timespec *t)
{
	printf(" %s=%" PRId64 ".%09ld", key, (int64_t)t->tv_sec, t->tv_nsec);
}

static void one(const char *base)
{
	struct walk w = {NULL};
	struct timespec end = {0, 0};
	const struct log_label *label;
	int r = archive_open(base, 0, &w.archive);

	if (r < 0) {
		printf("%s error=%d\n", base, r);
		return;
	}
	label = archive_label(w.archive);
	r = walk_all(&w, &end);
	printf("%s version=%d", base, label->version);
	print_stamp("start", &label->start);
	print_stamp("end", &end);
	printf(" records=%zu marks=%zu ascending=%d", w.n, w.marks, w.ascending);
	if (w.n > 0) {
		print_stamp("first", &w.seen[0].stamp);
		print_stamp("last", &w.seen[w.n - 1].stamp);
	}
	if (r < 0)
		printf(" stopped=%d", r);
	if (w.differ != NULL)
		printf(" differ=%s", w.differ);
	printf("\n");
	archive_close(w.archive);
	free(w.seen);
}

int main(int argc, char **argv)
{
	char **bases = NULL;
	int n = argc == 2 ? archive_files_list(argv[1], &bases) : -1;

	if (n < 0) {
		fprintf(stderr, "archives: %s: %d\n", argc == 2 ? argv[1] : "one folder, please",
			n);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		one(bases[i]);
		free(bases[i]);
	}
	free(bases);
	return 0;
}
