/*
 * test_archive_track - what is known around a time: searches back and forward that end at a value,
 * a mark or nothing; times that need none; instances and their lifetimes; values that are kept.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libdisk/meta.h"
#include "libdisk/result_record.h"
#include "libdisk/result_view.h"
#include "libpcp/archive_track.h"
#include "libstore/archive_meta.h"
#include "libstore/member.h"
#include "pcp_test.h"
#include "starve.h"

enum { METRIC = 60 << 22, DOMAIN = 60 << 22 | 1 };

static const struct timespec base = {1000, 0};

static struct archive_track *new_track(int type, int sem)
{
	const pmDesc desc = {METRIC, type, PM_INDOM_NULL, sem, {0}};
	struct archive_track *m = NULL;
	struct archive_meta *meta;

	assert_int_equal(archive_meta_new(&meta), 0);
	assert_int_equal(archive_track_new(meta, &desc, &base, &m), 0);
	archive_meta_free(meta);
	assert_int_equal(m->n, 1);
	return m;
}

/* The track sees a record of time t with this set. */
static int see_set(struct archive_track *m, pmValueSet *vset, double t, bool back)
{
	const struct timespec stamp = {base.tv_sec + (time_t)t, 0};
	struct buffer record = BUFFER_INIT;
	struct result_view view;
	struct vset_view set;
	int r;

	assert_int_equal(result_record_put(&record, 3, &stamp, &vset, 1), 0);
	assert_int_equal(result_view_init(&view, 3, buffer_head(&record), buffer_pending(&record)),
			 0);
	assert_int_equal(result_view_find(&view, METRIC, &set), 1);
	r = archive_track_see(m, &view, &set, t, back);
	buffer_done(&record);
	return r;
}

static int see(struct archive_track *m, int32_t value, double t, bool back)
{
	pmValueSet set = {.pmid = METRIC, .numval = 1, .valfmt = PM_VAL_INSITU};

	set.vlist[0] = (pmValue){.inst = PM_IN_NULL, .value = {.lval = value}};
	return see_set(m, &set, t, back);
}

static int see_text(struct archive_track *m, const char *text, double t, bool back)
{
	union test_block block;
	pmValueSet set = {.pmid = METRIC, .numval = 1, .valfmt = PM_VAL_DPTR};

	set.vlist[0].inst = PM_IN_NULL;
	set.vlist[0].value.pval = test_block(&block, text, strlen(text) + 1, PM_TYPE_STRING);
	return see_set(m, &set, t, back);
}

/* Searches to a value on either side of t. */
static void surround(struct archive_track *m, double from, double t, double to)
{
	double floor = INFINITY;

	assert_true(archive_track_open_back(m, m->tracks, t, &floor));
	assert_int_equal(see(m, (int32_t)from, from, true), 0);
	assert_true(archive_track_open_forward(m, m->tracks, t));
	assert_int_equal(see(m, (int32_t)to, to, false), 0);
	assert_int_equal(m->open, 0);
}

static void is_bound(const struct bound *b, enum bound_kind kind, double t)
{
	assert_int_equal(b->kind, kind);
	assert_true(b->t == t);
}

static void test_between(void **state)
{
	struct archive_track *m = new_track(PM_TYPE_32, PM_SEM_COUNTER);
	double floor = INFINITY;

	surround(m, 4, 5, 8);
	is_bound(&m->tracks->prior, BOUND_VALUE, 4);
	is_bound(&m->tracks->next, BOUND_VALUE, 8);
	assert_int_equal(m->tracks->prior.number.l, 4);
	assert_int_equal(m->tracks->next.number.l, 8);
	/* Nothing to read between both. */
	assert_false(archive_track_open_back(m, m->tracks, 4, &floor));
	assert_false(archive_track_open_back(m, m->tracks, 7.5, &floor));
	assert_false(archive_track_open_forward(m, m->tracks, 7.5));
	assert_true(floor == INFINITY);
	archive_track_free(m);
}

/* Moves to the next value, and after it: the known values limit the search backward. */
static void test_onwards(void **state)
{
	struct archive_track *m = new_track(PM_TYPE_32, PM_SEM_COUNTER);
	double floor = INFINITY;

	surround(m, 4, 5, 8);
	assert_false(archive_track_open_back(m, m->tracks, 8, &floor));
	is_bound(&m->tracks->prior, BOUND_VALUE, 8);
	assert_false(archive_track_open_forward(m, m->tracks, 8));
	assert_true(archive_track_open_back(m, m->tracks, 11, &floor));
	assert_true(floor == 8);
	archive_track_see_end(m, 11, true);
	is_bound(&m->tracks->prior, BOUND_VALUE, 8);
	assert_true(archive_track_open_forward(m, m->tracks, 11));
	archive_track_see_end(m, 11, false);
	is_bound(&m->tracks->next, BOUND_NONE, INFINITY);
	assert_false(archive_track_open_back(m, m->tracks, 100, &floor));
	/* The archive has grown to 20 since. */
	archive_track_grown(m, 20);
	assert_false(archive_track_open_back(m, m->tracks, 15, &floor));
	assert_true(archive_track_open_back(m, m->tracks, 25, &floor));
	archive_track_see_end(m, 25, true);
	is_bound(&m->tracks->prior, BOUND_VALUE, 8);
	archive_track_free(m);
}

/* Before what is known: it is known no more. */
static void test_backwards(void **state)
{
	struct archive_track *m = new_track(PM_TYPE_32, PM_SEM_COUNTER);
	double floor = INFINITY;

	surround(m, 4, 5, 8);
	assert_true(archive_track_open_back(m, m->tracks, 3, &floor));
	assert_true(floor == -INFINITY);
	archive_track_see_end(m, 3, true);
	is_bound(&m->tracks->prior, BOUND_NONE, -INFINITY);
	assert_false(archive_track_open_forward(m, m->tracks, 3));
	assert_false(archive_track_open_back(m, m->tracks, 2, &floor));
	archive_track_free(m);
}

static void test_marks(void **state)
{
	struct archive_track *m = new_track(PM_TYPE_32, PM_SEM_COUNTER);
	double floor = INFINITY;

	assert_true(archive_track_open_back(m, m->tracks, 5, &floor));
	archive_track_see_mark(m, 3, true);
	is_bound(&m->tracks->prior, BOUND_MARK, 3);
	assert_false(archive_track_open_forward(m, m->tracks, 5));
	archive_track_forget(m);
	assert_true(archive_track_open_back(m, m->tracks, 5, &floor));
	assert_int_equal(see(m, 1, 4, true), 0);
	assert_true(archive_track_open_forward(m, m->tracks, 5));
	archive_track_see_mark(m, 7, false);
	is_bound(&m->tracks->next, BOUND_MARK, 7);
	/* Behind the mark it is what was before. */
	floor = INFINITY;
	assert_true(archive_track_open_back(m, m->tracks, 9, &floor));
	assert_true(floor == 7);
	archive_track_see_end(m, 9, true);
	is_bound(&m->tracks->prior, BOUND_MARK, 7);
	archive_track_free(m);
}

static void test_discrete(void **state)
{
	struct archive_track *m = new_track(PM_TYPE_32, PM_SEM_DISCRETE);
	double floor = INFINITY;

	assert_true(archive_track_open_back(m, m->tracks, 5, &floor));
	assert_int_equal(see(m, 1, 4, true), 0);
	assert_false(archive_track_open_forward(m, m->tracks, 5));
	assert_int_equal(m->open, 0);
	archive_track_free(m);
}

/* Texts are kept, and freed; a value that is none of the type is not seen. */
static void test_texts(void **state)
{
	struct archive_track *m = new_track(PM_TYPE_STRING, PM_SEM_INSTANT);
	double floor = INFINITY;

	assert_true(archive_track_open_back(m, m->tracks, 5, &floor));
	assert_int_equal(see(m, 1, 4, true), 0);
	assert_int_equal(m->open, 1);
	starve_left = 1; /* the first is the record's */
	assert_int_equal(see_text(m, "early", 3, true), -ENOMEM);
	starve_left = -1;
	assert_int_equal(m->open, 1);
	assert_int_equal(see_text(m, "early", 3, true), 0);
	assert_string_equal((char *)m->tracks->prior.block->bytes + PM_VAL_HDR_SIZE, "early");
	assert_true(archive_track_open_forward(m, m->tracks, 5));
	assert_int_equal(see_text(m, "late", 7, false), 0);
	assert_false(archive_track_open_back(m, m->tracks, 7, &floor));
	assert_string_equal((char *)m->tracks->prior.block->bytes + PM_VAL_HDR_SIZE, "late");
	archive_track_free(m);
}

/* Numbers in blocks, of the same length at least. */
static void test_blocks_of_numbers(void **state)
{
	struct archive_track *m = new_track(PM_TYPE_U64, PM_SEM_COUNTER);
	pmValueSet set = {.pmid = METRIC, .numval = 1, .valfmt = PM_VAL_DPTR};
	uint64_t number = 1ULL << 40;
	union test_block block;
	double floor = INFINITY;

	assert_true(archive_track_open_back(m, m->tracks, 5, &floor));
	set.vlist[0].inst = PM_IN_NULL;
	set.vlist[0].value.pval = test_block(&block, &number, sizeof(number), PM_TYPE_U64);
	assert_int_equal(see_set(m, &set, 4, true), 0);
	assert_true(m->tracks->prior.number.ull == number);
	assert_false(m->in_place);
	archive_track_free(m);
}

/*
 * Instances
 */

/* Domain DOMAIN from a time on: instances first to first + n - 1. */
static void put_domain(struct buffer *records, int at_s, int first, size_t n)
{
	struct wire_inst insts[32];
	char names[32][16];
	union meta_body body = {.indom = {{base.tv_sec + at_s, 0}, DOMAIN, (uint32_t)n, insts}};

	for (size_t i = 0; i < n; i++) {
		int len = snprintf(names[i], sizeof(names[i]), "i%d", first + (int)i);

		insts[i] = (struct wire_inst){first + (int)i, {names[i], (uint32_t)len}};
	}
	assert_int_equal(meta_encode(records, META_INDOM, &body), 0);
}

/* Tracks the metric of an instance domain that is described in the metadata. */
static struct archive_track *new_domain(struct buffer *records)
{
	const struct wire_str name = {"m", 1};
	const pmDesc desc = {METRIC, PM_TYPE_32, DOMAIN, PM_SEM_INSTANT, {0}};
	const union meta_body body = {.desc = {desc, 1, &name}};
	struct archive_track *m = NULL;
	struct archive_meta *meta;
	struct member *file;
	char path[32];
	uint64_t end;
	int fd = memfd_create("meta", MFD_CLOEXEC);

	assert_int_equal(meta_encode(records, META_DESC, &body), 0);
	assert_int_equal(file_write_full(fd, buffer_head(records), buffer_pending(records)), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(member_open(path, &file), 0);
	close(fd);
	assert_int_equal(archive_meta_new(&meta), 0);
	assert_int_equal(archive_meta_load(meta, file, 3, 0, 0, &end), 0);
	assert_int_equal(end, buffer_pending(records));
	assert_int_equal(archive_track_new(meta, &desc, &base, &m), 0);
	archive_meta_free(meta);
	member_close(file);
	buffer_done(records);
	return m;
}

/* Without any observation there is nothing to track. */
static void test_no_instances(void **state)
{
	struct buffer records = BUFFER_INIT;
	struct archive_track *m = new_domain(&records);

	assert_int_equal(m->n, 0);
	archive_track_free(m);
}

static void test_instances(void **state)
{
	union {
		pmValueSet set;
		char room[sizeof(pmValueSet) + 3 * sizeof(pmValue)];
	} s = {.set = {METRIC, 4, PM_VAL_INSITU, {{0}}}};
	static const int order[] = {3, 1, 99, 2};
	struct buffer records = BUFFER_INIT;
	struct archive_track *m;
	double floor = INFINITY;

	put_domain(&records, 0, 1, 3);
	m = new_domain(&records);
	assert_int_equal(m->n, 3);
	for (int i = 0; i < 4; i++)
		s.set.vlist[i] = (pmValue){.inst = order[i], .value = {.lval = order[i] * 10}};
	/* 2 is not asked for. */
	assert_true(archive_track_open_back(m, &m->tracks[0], 5, &floor));
	assert_true(archive_track_open_back(m, &m->tracks[2], 5, &floor));
	assert_int_equal(see_set(m, &s.set, 4, true), 0);
	assert_int_equal(m->open, 0);
	assert_int_equal(m->tracks[0].prior.number.l, 10);
	assert_int_equal(m->tracks[1].prior.kind, BOUND_UNKNOWN);
	assert_int_equal(m->tracks[2].prior.number.l, 30);
	archive_track_free(m);
}

static void lives(const struct track *track, int inst, double birth, double death)
{
	assert_int_equal(track->inst, inst);
	assert_true(track->birth == birth && track->death == death);
}

/* Only of domains with 16 instances at some time. */
static void test_lifetimes(void **state)
{
	struct buffer records = BUFFER_INIT;
	struct archive_track *m;

	put_domain(&records, 0, 1, 15);
	put_domain(&records, 10, 2, 15);
	m = new_domain(&records);
	assert_int_equal(m->n, 16);
	lives(&m->tracks[0], 1, -INFINITY, INFINITY);
	archive_track_free(m);
	put_domain(&records, 0, 1, 15);
	put_domain(&records, 10, 2, 15);
	put_domain(&records, 20, 3, 16);
	m = new_domain(&records);
	assert_int_equal(m->n, 18);
	lives(&m->tracks[0], 1, 0, 10);
	lives(&m->tracks[1], 2, 0, 20);
	lives(&m->tracks[2], 3, 0, INFINITY);
	lives(&m->tracks[15], 16, 10, INFINITY);
	lives(&m->tracks[17], 18, 20, INFINITY);
	archive_track_free(m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_between),           cmocka_unit_test(test_onwards),
	    cmocka_unit_test(test_backwards),         cmocka_unit_test(test_marks),
	    cmocka_unit_test(test_discrete),          cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_blocks_of_numbers), cmocka_unit_test(test_no_instances),
	    cmocka_unit_test(test_instances),         cmocka_unit_test(test_lifetimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
