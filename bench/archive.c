/*
 * archive - reading an archive through libstore (docs/performance.md D).
 *
 *     bench-archive BASE
 *
 * Prints, in CPU time: microseconds to open, load the metadata, find the end and close; nanoseconds
 * per value to read each value forward and backward; nanoseconds per record to read only its frame;
 * microseconds of a seek to a random time with its record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"

enum { OPENS = 50, SEEKS = 2000 };

static uint64_t sum; /* prevents the compiler from removing the code */

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void stop(const char *what, int r)
{
	fprintf(stderr, "bench-archive: %s: %d\n", what, r);
	exit(1);
}

static struct archive *open_archive(const char *base)
{
	struct archive *a;
	int r = archive_open(base, 0, &a);

	if (r < 0)
		stop(base, r);
	return a;
}

/* With the metadata of a context. */
static void open_all(const char *base)
{
	struct archive *a = open_archive(base);
	struct archive_meta *meta;
	struct timespec end;
	uint64_t offset;
	int version = archive_label(a)->version;
	int r = archive_meta_new(&meta);

	if (r == 0)
		r = archive_meta_load(meta, archive_meta_member(a), version, 0,
				      log_label_len(version), &offset);
	if (r == 0)
		r = archive_end(a, &end);
	if (r < 0)
		stop(base, r);
	archive_meta_free(meta);
	archive_close(a);
}

static uint64_t values_of(const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	struct wire_value value;
	struct vset_view set;
	pmAtomValue atom;
	uint64_t n = 0;

	while (result_walk_next(view, &walk, &set) > 0) {
		for (int32_t i = 0; i < set.numval; i++, n++) {
			if (vset_view_value(view, &set, i, &value) == 0 &&
			    wire_value_number(&value, PM_TYPE_U64, &atom) == 0)
				sum += atom.ull;
		}
	}
	return n;
}

/* Nanoseconds per value to read all values. */
static double scan(struct archive *a, int (*next)(struct archive *, struct result_view *))
{
	struct result_view view;
	double start = cpu();
	uint64_t n = 0;

	while (next(a, &view) > 0)
		n += values_of(&view);
	return (cpu() - start) / (double)n;
}

/* Nanoseconds per record to read only its frame. */
static double walk(struct archive *a)
{
	struct result_view view;
	double start = cpu();
	uint64_t n = 0;

	while (archive_next(a, &view) > 0)
		n++;
	return (cpu() - start) / (double)n;
}

static double seek(struct archive *a)
{
	const struct timespec from = archive_label(a)->start;
	struct timespec end;
	struct result_view view;
	uint32_t turn = 1;
	double start;

	if (archive_end(a, &end) < 0)
		stop("end", -1);
	start = cpu();
	for (int i = 0; i < SEEKS; i++) {
		struct timespec when = from;

		turn = turn * 69069 + 1;
		when.tv_sec += turn % (uint32_t)(end.tv_sec - from.tv_sec + 1);
		if (archive_seek_forward(a, &when) < 0 || archive_next(a, &view) <= 0)
			stop("seek", -1);
		sum += view.numpmid;
	}
	return (cpu() - start) / SEEKS;
}

int main(int argc, char **argv)
{
	struct archive *a;
	double start, opened, forward, backward, walked;

	if (argc != 2)
		stop("usage: BASE", argc);
	open_all(argv[1]);
	start = cpu();
	for (int i = 0; i < OPENS; i++)
		open_all(argv[1]);
	opened = (cpu() - start) / OPENS;
	a = open_archive(argv[1]);
	forward = scan(a, archive_next);
	backward = scan(a, archive_prev);
	archive_rewind(a);
	walked = walk(a);
	printf("%.1f %.2f %.2f %.0f %.1f\n", opened / 1e3, forward, backward, walked,
	       seek(a) / 1e3);
	archive_close(a);
	return sum == 0;
}
