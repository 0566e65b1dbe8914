/* test_archive_writer - the records that the writer accepts and refuses, and its results; the
 * peer's tools read its archives. */
#include "store_test.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inspect.h"
#include "libdisk/index_entry.h"
#include "libdisk/record.h"
#include "libstore/archive_files.h"
#include "libstore/archive_sync.h"
#include "libstore/member.h"
#include "libstore/repair_inner.h"
#include "scene.h"

static const int versions[] = {2, 3};

static struct archive_writer *writer_new(void **state, const char *name, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(store_test_path(state, name), &label, &w), 0);
	return w;
}

static void write_scenes(struct archive_writer *w, int version, uint64_t from, uint64_t to)
{
	for (uint64_t k = from; k < to; k++)
		assert_int_equal(scene_write(w, version, k), 0);
}

static bool is_there(void **state, const char *name)
{
	struct stat st;

	return stat(store_test_path(state, name), &st) == 0;
}

static void nothing_before_the_first_record(void **state)
{
	struct archive_writer *w = writer_new(state, "a", 3);
	struct timespec stamp = scene_stamp(0);
	struct archive_writer_state s = archive_writer_state(w);

	assert_int_equal(s.records, 0);
	assert_false(s.unsynced);
	assert_int_equal(archive_writer_volume(w), 0);
	assert_int_equal(archive_writer_mark(w, &stamp), -EINVAL);
	assert_int_equal(archive_writer_sync(w), 0);
	assert_int_equal(archive_writer_end(w), 0);
	assert_false(is_there(state, "a.0") || is_there(state, "a.meta") ||
		     is_there(state, "a.index"));
}

static void a_record_needs_a_descriptor(void **state)
{
	struct archive_writer *w = writer_new(state, "a", 3);
	struct timespec stamp = scene_stamp(0);
	pmValueSet set = {.pmid = SCENE_COUNT, .numval = 0};
	pmValueSet *sets[] = {&set};

	assert_int_equal(archive_writer_result(w, &stamp, sets, 1), -EINVAL);
	assert_int_equal(archive_writer_end(w), 0);
}

static void never_overwrites(void **state)
{
	struct log_label label = scene_label(3);
	struct archive_writer *w;

	store_test_file(state, "a.7.xz", "", 0);
	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), -EEXIST);
	w = writer_new(state, "b", 3);
	store_test_file(state, "b.0", "mine", 4);
	assert_int_equal(scene_write(w, 3, 0), -EEXIST);
	assert_int_equal(unlink(store_test_path(state, "b.0")), 0);
	write_scenes(w, 3, 0, 4);
	store_test_file(state, "b.1", "mine", 4);
	assert_int_equal(archive_writer_volume(w), 1);
	assert_int_equal(scene_write(w, 3, 4), -EEXIST);
	assert_int_equal(unlink(store_test_path(state, "b.1")), 0);
	write_scenes(w, 3, 4, 8);
	assert_int_equal(archive_writer_end(w), 0);
}

static void time_never_goes_back(void **state)
{
	struct archive_writer *w = writer_new(state, "a", 3);
	struct timespec stamp;

	write_scenes(w, 3, 0, 10);
	stamp = scene_stamp(9);
	assert_int_equal(archive_writer_mark(w, &stamp), 0); /* the same time is not a step back */
	stamp = scene_stamp(8);
	assert_int_equal(archive_writer_mark(w, &stamp), -EINVAL);
	assert_int_equal(archive_writer_state(w).records, 11);
	assert_int_equal(archive_writer_end(w), 0);
}

static void start_is_given_or_that_of_the_first(void **state)
{
	struct log_label label = scene_label(2);
	struct archive_writer *w = writer_new(state, "a", 2);

	write_scenes(w, 2, 0, 1);
	assert_int_equal(archive_writer_state(w).start.tv_sec, SCENE_START);
	assert_int_equal(archive_writer_end(w), 0);
	label.start.tv_sec = SCENE_START + 1;
	assert_int_equal(archive_writer_new(store_test_path(state, "b"), &label, &w), 0);
	assert_int_equal(scene_write(w, 2, 0), -EINVAL);
	write_scenes(w, 2, 1, 2);
	assert_int_equal(archive_writer_state(w).start.tv_sec, SCENE_START + 1);
	assert_int_equal(archive_writer_end(w), 0);
}

static void remembers_what_was_written(void **state)
{
	struct archive_writer *w = writer_new(state, "a", 3);
	struct wire_str name = {"scene.count", 11};
	union meta_body body = {
	    .desc = {{SCENE_COUNT, PM_TYPE_U64, PM_INDOM_NULL, PM_SEM_COUNTER, {0}}, 1, &name}};
	const struct wire_inst *insts;
	struct timespec stamp;
	int expected[SCENE_INSTS_MAX];
	size_t n;

	assert_null(archive_writer_indom(w, SCENE_INDOM, &n, &stamp));
	assert_false(archive_writer_has_desc(w, SCENE_COUNT));
	write_scenes(w, 3, 0, 5);
	assert_true(archive_writer_has_desc(w, SCENE_COUNT));
	assert_false(archive_writer_has_desc(w, SCENE_WORD));
	assert_true(archive_writer_has_labels(w, PM_LABEL_DOMAIN, 60));
	assert_false(archive_writer_has_labels(w, PM_LABEL_DOMAIN, 61));
	assert_true(archive_writer_has_text(w, PM_TEXT_ONELINE | PM_TEXT_PMID, SCENE_COUNT));
	assert_false(archive_writer_has_text(w, PM_TEXT_HELP | PM_TEXT_PMID, SCENE_COUNT));
	insts = archive_writer_indom(w, SCENE_INDOM, &n, &stamp);
	assert_non_null(insts);
	assert_int_equal(n, scene_instances(3, expected));
	assert_int_equal(stamp.tv_sec, SCENE_START + 3);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(insts[i].inst, expected[i]);

	assert_int_equal(archive_writer_meta(w, META_DESC, &body), 0);
	body.desc.desc.sem = PM_SEM_INSTANT;
	assert_int_equal(archive_writer_meta(w, META_DESC, &body), -EINVAL);
	body.desc.desc.sem = PM_SEM_COUNTER;
	name = (struct wire_str){"scene.other", 11};
	assert_int_equal(archive_writer_meta(w, META_DESC, &body), 1);
	assert_int_equal(archive_writer_meta(w, META_INDOM_DELTA, &body), -EINVAL);
	assert_int_equal(archive_writer_end(w), 0);
}

/* A list of instances as given to the writer, and its form on disk. */
struct indom_case {
	const char *now; /* one letter an instance: its id from its place in the alphabet, capital:
			    renamed */
	int v2, v3;      /* type of the record; 0: none */
	uint32_t n;      /* entries of the record in version 3 */
};

static const struct indom_case indom_cases[] = {
    {"abcd", META_INDOM_V2, META_INDOM, 4},
    {"abcd", 0, 0, 0},
    {"abcde", META_INDOM_V2, META_INDOM_DELTA, 1},
    {"acde", META_INDOM_V2, META_INDOM_DELTA, 1},
    {"acdE", META_INDOM_V2, META_INDOM, 4}, /* a name changed */
    {"acdE", 0, 0, 0},
    {"cdf", META_INDOM_V2, META_INDOM_DELTA, 3}, /* there are as many changes as instances */
    {"g", META_INDOM_V2, META_INDOM, 1},         /* more changes than instances */
    {"", 0, 0, 0},                               /* is not an observation */
    {"gh", META_INDOM_V2, META_INDOM_DELTA, 1},
    {"hg", -EINVAL, -EINVAL, 0},
};

static int add_indom(struct archive_writer *w, int version, const char *now, uint64_t k)
{
	struct wire_inst insts[32];
	union meta_body body = {.indom = {scene_stamp(k), SCENE_INDOM, 0, insts}};

	for (const char *p = now; *p != '\0'; p++)
		insts[body.indom.numinst++] = (struct wire_inst){(*p | 0x20) - 'a', {p, 1}};
	return archive_writer_meta(w, meta_type_indom(version), &body);
}

/* The type and size of the last record of .meta; 0 if it did not grow. */
static int last_meta(void **state, uint64_t *before, uint32_t *ret_n)
{
	struct repair_scan scan;
	struct scan_piece piece;
	struct member *m;
	int type = 0;

	assert_int_equal(member_open(store_test_path(state, "a.meta"), &m), 0);
	assert_int_equal(repair_scan_begin(&scan, m, SCAN_META, LOG_LABEL_VOL_META), 0);
	while (repair_scan_next(&scan, &piece) == 1) {
		assert_true(piece.whole);
		if (piece.offset < *before)
			continue;
		type = (int)piece.type;
		*ret_n = piece.body.indom.numinst;
	}
	*before = scan.size;
	repair_scan_done(&scan);
	member_close(m);
	return type;
}

static void full_delta_or_nothing(void **state)
{
	for (size_t v = 0; v < 2; v++) {
		int version = versions[v];
		struct archive_writer *w = writer_new(state, "a", version);
		uint64_t before = 0, k = 1;
		uint32_t n = 0;

		write_scenes(w, version, 1, 2); /* no instances yet */
		last_meta(state, &before, &n);
		for (size_t i = 0; i < sizeof(indom_cases) / sizeof(indom_cases[0]); i++) {
			const struct indom_case *c = &indom_cases[i];
			int expected = version == 2 ? c->v2 : c->v3;
			int r;

			k +=
			    (k + 1) % 3 == 0 ? 2 : 1; /* never a record with instances of its own */
			r = add_indom(w, version, c->now, k);
			assert_int_equal(r, expected < 0 ? expected : expected != 0);
			write_scenes(w, version, k, k + 1);
			assert_int_equal(last_meta(state, &before, &n),
					 expected < 0 ? 0 : expected);
			if (expected > 0)
				assert_int_equal(n, version == 2 ? strlen(c->now) : c->n);
		}
		assert_int_equal(archive_writer_end(w), 0);
		assert_int_not_equal(inspect_check(store_test_path(state, "a")), 0);
		store_test_teardown(state);
		store_test_setup(state);
	}
}

/* For who copies: what is seen again is written again, but once at a time. */
static void repeats_where_asked(void **state)
{
	for (size_t v = 0; v < 2; v++) {
		int version = versions[v];
		struct archive_writer *w = writer_new(state, "a", version);
		uint64_t before = 0;
		uint32_t n = 0;

		write_scenes(w, version, 1, 2);
		archive_writer_repeat(w);
		for (uint64_t k = 4; k <= 5; k++) { /* records without instances of their own */
			assert_int_equal(add_indom(w, version, "ab", k), 1);
			assert_int_equal(add_indom(w, version, "ab", k), 0);
			write_scenes(w, version, k, k + 1);
			assert_int_equal(last_meta(state, &before, &n), meta_type_indom(version));
			assert_int_equal(n, 2);
		}
		assert_int_equal(archive_writer_end(w), 0);
		store_test_teardown(state);
		store_test_setup(state);
	}
}

static int add_labels(struct archive_writer *w, uint64_t k)
{
	static const pmLabel label = {.name = 2, .namelen = 1, .value = 5, .valuelen = 1};
	const struct wire_labelset set = {
	    .inst = PM_IN_NULL, .nlabels = 1, .json = {"{\"a\":1}", 7}, .labels = &label};
	union meta_body body = {.label = {.stamp = scene_stamp(k),
					  .type = PM_LABEL_CONTEXT,
					  .ident = PM_ID_NULL,
					  .numset = 1,
					  .sets = &set}};

	return archive_writer_meta(w, META_LABEL, &body);
}

/* The same of labels. */
static void repeats_labels_where_asked(void **state)
{
	for (size_t v = 0; v < 2; v++) {
		struct archive_writer *w = writer_new(state, "a", versions[v]);

		assert_int_equal(add_labels(w, 1), 1);
		assert_int_equal(add_labels(w, 2), 0);
		archive_writer_repeat_labels(w);
		assert_int_equal(add_labels(w, 2), 1);
		assert_int_equal(add_labels(w, 2), 0);
		assert_int_equal(add_labels(w, 3), 1);
		archive_writer_abandon(w);
	}
}

/* docs/spec/archive.md 8. */
static void index_entries(void **state)
{
	for (size_t v = 0; v < 2; v++) {
		int version = versions[v], got;
		size_t label_len = log_label_len(version);
		const char *base = version == 2 ? "v2" : "v3";
		struct archive_writer *w = writer_new(state, base, version);
		struct index_list list = {NULL};
		char name[16];
		bool whole;

		write_scenes(w, version, 1, 3);
		archive_writer_volume(w);
		write_scenes(w, version, 4, 6);
		write_scenes(w, version, 6, 7); /* with instances */
		assert_int_equal(archive_writer_end(w), 0);
		snprintf(name, sizeof(name), "%s.index", base);
		assert_int_equal(index_list_load(&list, store_test_path(state, name), &got, &whole),
				 0);
		assert_true(whole);
		assert_int_equal(got, version);
		assert_int_equal(list.n, 4); /* first, first of the volume, instances, last */
		assert_int_equal(list.entries[0].meta_offset, label_len);
		assert_int_equal(list.entries[0].data_offset, label_len);
		assert_int_equal(list.entries[1].volume, 1);
		assert_int_equal(list.entries[1].data_offset, label_len);
		assert_int_equal(list.entries[1].meta_offset, list.entries[2].meta_offset);
		assert_int_equal(list.entries[2].stamp.tv_sec, SCENE_START + 6);
		assert_int_equal(list.entries[3].data_offset, list.entries[2].data_offset);
		assert_true(list.entries[3].meta_offset > list.entries[2].meta_offset);
		index_list_done(&list);
	}
}

/* A plain writer adds no entries, and writes what it is given; the caller may add entries before
 * the files are there. */
static void plain_as_the_caller_says(void **state)
{
	struct log_label label = scene_label(3);
	struct index_entry entry = {scene_stamp(1), 0, 1000, 2000};
	struct index_list list = {NULL};
	struct archive_writer_state s;
	struct archive_writer *w;
	struct inspect in;
	bool whole;
	int got;

	label.start = scene_stamp(1);
	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	assert_int_equal(archive_writer_plain(w), 0);
	archive_writer_volume_max(w, 1);
	assert_int_equal(add_labels(w, 1), 1);
	assert_int_equal(add_labels(w, 1), 1);
	archive_writer_entry(w, &entry);
	assert_int_equal(archive_writer_flush(w), 0); /* there are no files */
	assert_false(is_there(state, "a.meta"));
	write_scenes(w, 3, 1, 4);
	assert_int_equal(add_labels(w, 4), 1);
	s = archive_writer_state(w);
	assert_true(s.meta_end > s.meta_size);
	assert_int_equal(s.record_at, log_label_len(3));
	assert_int_equal(archive_writer_flush(w), 0);
	assert_int_equal(archive_writer_state(w).meta_size, s.meta_end);
	entry.volume = 2;
	archive_writer_entry(w, &entry);
	assert_int_equal(archive_writer_end(w), 0);
	assert_true(is_there(state, "a.2")); /* a record in each */
	assert_int_equal(index_list_load(&list, store_test_path(state, "a.index"), &got, &whole),
			 0);
	assert_true(whole);
	assert_int_equal(list.n, 2);
	assert_int_equal(list.entries[0].data_offset, 2000);
	assert_int_equal(list.entries[1].volume, 2);
	index_list_done(&list);
	inspect(store_test_path(state, "a"), &in);
	assert_int_equal(in.records, 3);
	assert_false(in.wrong);
}

static void peer_reads_it(void **state)
{
	for (size_t v = 0; v < 2; v++) {
		int version = versions[v];
		const char *name = version == 2 ? "v2" : "v3";
		struct archive_writer *w = writer_new(state, name, version);
		struct inspect in;

		for (uint64_t k = 0; k < 1000; k++) {
			if (k > 0 && k % 300 == 0)
				assert_int_equal(archive_writer_volume(w), (int)k / 300);
			write_scenes(w, version, k, k + 1);
		}
		assert_int_equal(archive_writer_state(w).volume, 3);
		assert_int_equal(archive_writer_state(w).records, 1000);
		assert_int_equal(archive_writer_end(w), 0);
		inspect(store_test_path(state, name), &in);
		assert_int_equal(in.records, 1000);
		assert_false(in.wrong);
		assert_int_equal(in.undescribed, 0);
		assert_int_not_equal(inspect_check(store_test_path(state, name)), 0);
		assert_int_not_equal(inspect_dump(store_test_path(state, name)), 0);
	}
}

/* Blocks that were allocated ahead are released, and the returned sizes are those of the files. */
static void sizes(void **state)
{
	struct archive_writer *w = writer_new(state, "a", 3);
	struct archive_writer_state s;
	struct stat st;

	write_scenes(w, 3, 0, 20);
	s = archive_writer_state(w);
	assert_int_equal(archive_writer_finish(w), 0);
	assert_int_equal(stat(store_test_path(state, "a.0"), &st), 0);
	assert_int_equal(s.volume_size, st.st_size);
	assert_int_equal(s.data_size, st.st_size);
	assert_true(st.st_blocks * 512 <= st.st_size + 4096);
	assert_int_equal(stat(store_test_path(state, "a.meta"), &st), 0);
	assert_int_equal(s.meta_size, st.st_size);
	assert_int_equal(stat(store_test_path(state, "a.index"), &st), 0);
	s = archive_writer_state(w);
	assert_int_equal(s.index_size, st.st_size);
	assert_true(s.finished);
	assert_int_equal(scene_write(w, 3, 20), -ESTALE);
	assert_true(s.unsynced);
	assert_int_equal(archive_writer_sync(w), 0);
	assert_false(archive_writer_state(w).unsynced);
	archive_writer_abandon(w);
}

static void *run_sync(void *sync)
{
	return (void *)(intptr_t)archive_sync_run(sync);
}

/* Another thread waits for the disk while records are written and volumes change. */
static void sync_beside_writing(void **state)
{
	struct archive_writer *w = writer_new(state, "a", 3);
	struct archive_sync *sync, *second;
	struct inspect in;

	for (uint64_t k = 0; k < 400; k += 20) {
		pthread_t thread;
		void *r;

		write_scenes(w, 3, k, k + 10);
		assert_int_equal(archive_writer_sync_begin(w, &sync), 1);
		assert_int_equal(archive_writer_sync_begin(w, &second), -EBUSY);
		assert_int_equal(pthread_create(&thread, NULL, run_sync, sync), 0);
		archive_writer_volume(w);
		write_scenes(w, 3, k + 10, k + 20);
		assert_int_equal(pthread_join(thread, &r), 0);
		assert_null(r);
		assert_int_equal(archive_writer_sync_end(w, sync), 0);
		assert_true(archive_writer_state(w).unsynced);
	}
	assert_int_equal(archive_writer_sync_begin(w, &sync), 1);
	assert_int_equal(archive_writer_sync_end(w, sync), -ECANCELED); /* it never ran */
	assert_true(archive_writer_state(w).unsynced);
	assert_int_equal(archive_writer_end(w), 0);
	inspect(store_test_path(state, "a"), &in);
	assert_int_equal(in.records, 400);
	assert_false(in.wrong);
}

/* The content of a record is copied into an archive of either version. */
static void copies(void **state)
{
	struct archive_writer *w = writer_new(state, "from", 3), *to = writer_new(state, "to", 2);
	struct wire_str name = {"scene.count", 11};
	union meta_body body = {
	    .desc = {{SCENE_COUNT, PM_TYPE_U64, PM_INDOM_NULL, PM_SEM_COUNTER, {0}}, 1, &name}};
	struct repair_scan scan;
	struct scan_piece piece;
	struct inspect in;
	struct member *m;

	for (uint64_t k = 1; k < 20; k += 3)
		write_scenes(w, 3, k, k + 1);
	assert_int_equal(archive_writer_end(w), 0);
	assert_int_equal(archive_writer_meta(to, META_DESC, &body), 1);
	assert_int_equal(member_open(store_test_path(state, "from.0"), &m), 0);
	assert_int_equal(repair_scan_begin(&scan, m, SCAN_DATA, 0), 0);
	while (repair_scan_next(&scan, &piece) == 1)
		assert_int_equal(archive_writer_copy(to, &piece.view.stamp, &piece.view), 0);
	repair_scan_done(&scan);
	member_close(m);
	assert_int_equal(archive_writer_end(to), 0);
	inspect(store_test_path(state, "to"), &in);
	assert_int_equal(in.records, 7);
	assert_false(in.wrong);
	assert_int_not_equal(inspect_check(store_test_path(state, "to")), 0);
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    UNIT(nothing_before_the_first_record),
	    UNIT(a_record_needs_a_descriptor),
	    UNIT(never_overwrites),
	    UNIT(time_never_goes_back),
	    UNIT(start_is_given_or_that_of_the_first),
	    UNIT(remembers_what_was_written),
	    UNIT(full_delta_or_nothing),
	    UNIT(repeats_where_asked),
	    UNIT(repeats_labels_where_asked),
	    UNIT(index_entries),
	    UNIT(plain_as_the_caller_says),
	    UNIT(peer_reads_it),
	    UNIT(sizes),
	    UNIT(sync_beside_writing),
	    UNIT(copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
