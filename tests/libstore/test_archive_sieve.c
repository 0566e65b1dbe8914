/*
 * test_archive_sieve - what is read of long records where a few metrics are wished for says the
 * same of them as the whole records do, whole or damaged.
 */
#include "libstore/archive.h"

#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libdisk/meta.h"
#include "libstore/archive_writer.h"
#include "scene.h"
#include "store_test.h"

enum {
	SINGULAR = 1200, /* 64-bit numbers: their record has some 38 KB */
	WORD = SINGULAR, /* a number of 32 bits, */
	TEXT,            /* a short string, */
	LONG_TEXT,       /* a long one */
	FEW,             /* 3 instances, and 40 */
	MANY,
	NONE,  /* no values, */
	ERROR, /* and an error */
	METRICS,
	RECORDS = 8,
	MARK = 4,
	SHORT = 5, /* a record of one metric */
	TEXT_MAX = 1 << 16,
};

static const pmID wishes[][4] = {
    {0},
    {600},
    {SINGULAR - 1},
    {WORD},
    {TEXT},
    {LONG_TEXT},
    {FEW},
    {MANY},
    {NONE},
    {ERROR},
    {METRICS},
    {0, 600, WORD, FEW},
    {FEW, TEXT, TEXT, 3},
    {ERROR, METRICS, NONE, 1},
    {LONG_TEXT, 5, MANY, 6},
};

static pmID pmid_of(pmID metric)
{
	return SCENE_COUNT | metric;
}

static int type_of(int metric)
{
	return metric == WORD                          ? PM_TYPE_U32
	       : metric == TEXT || metric == LONG_TEXT ? PM_TYPE_STRING
						       : PM_TYPE_U64;
}

static int values_of(int metric)
{
	return metric == FEW     ? 3
	       : metric == MANY  ? 40
	       : metric == NONE  ? 0
	       : metric == ERROR ? PM_ERR_AGAIN
				 : 1;
}

static pmValueBlock *block_new(int metric, uint64_t k)
{
	size_t len = metric == TEXT ? 12 : metric == LONG_TEXT ? 300 : sizeof(k);
	pmValueBlock *block = calloc(1, PM_VAL_HDR_SIZE + len);

	assert_non_null(block);
	block->vtype = (unsigned int)type_of(metric) & 0xff;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0xffffff;
	if (type_of(metric) == PM_TYPE_STRING)
		memset(block->vbuf, 'a' + (int)k, len - 1);
	else
		memcpy(block->vbuf, &k, sizeof(k));
	return block;
}

static pmValueSet *set_new(int metric, uint64_t k)
{
	int n = values_of(metric);
	pmValueSet *set = calloc(1, sizeof(*set) + (size_t)(n > 0 ? n : 0) * sizeof(pmValue));

	assert_non_null(set);
	set->pmid = pmid_of((pmID)metric);
	set->numval = n;
	set->valfmt = metric == WORD ? PM_VAL_INSITU : PM_VAL_DPTR;
	for (int i = 0; i < n; i++) {
		set->vlist[i].inst = n == 1 ? -1 : i;
		if (metric == WORD)
			set->vlist[i].value.lval = (int)k * 7;
		else
			set->vlist[i].value.pval = block_new(metric, k * 1000 + (uint64_t)metric);
	}
	return set;
}

static void set_free(pmValueSet *set)
{
	for (int i = 0; i < set->numval && set->valfmt == PM_VAL_DPTR; i++)
		free(set->vlist[i].value.pval);
	free(set);
}

static void write_record(struct archive_writer *w, uint64_t k)
{
	static pmValueSet *sets[METRICS];
	struct timespec stamp = scene_stamp(k);

	if (k == MARK) {
		assert_int_equal(archive_writer_mark(w, &stamp), 0);
		return;
	}
	/* Each record has them in another order. */
	for (int i = 0; i < METRICS; i++)
		sets[i] = set_new((i + (int)k * 200) % METRICS, k);
	assert_int_equal(archive_writer_result(w, &stamp, sets, k == SHORT ? 1 : METRICS), 0);
	for (int i = 0; i < METRICS; i++)
		set_free(sets[i]);
}

static void make(void **state, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;
	struct wire_str name = {"sieve.metric", 12};
	union meta_body desc = {.desc = {{.pmid = pmid_of(0),
					  .type = PM_TYPE_U64,
					  .sem = PM_SEM_COUNTER,
					  .indom = PM_INDOM_NULL},
					 1,
					 &name}};

	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	assert_true(archive_writer_meta(w, META_DESC, &desc) > 0);
	for (uint64_t k = 0; k < RECORDS; k++)
		write_record(w, k);
	assert_int_equal(archive_writer_end(w), 0);
}

static struct archive *open_it(void **state)
{
	struct archive *a;

	assert_int_equal(archive_open(store_test_path(state, "a"), 0, &a), 0);
	return a;
}

/* The values of a metric in a view, as text. */
static void tell(FILE *out, const struct result_view *view, pmID pmid)
{
	struct vset_view set;
	int r = result_view_find(view, pmid, &set);

	fprintf(out, " %u: %d", pmid & 0xffff, r);
	if (r <= 0)
		return;
	fprintf(out, " %d %d", set.numval, set.numval > 0 ? set.valfmt : 0);
	for (int32_t i = 0; i < set.numval; i++) {
		struct wire_value value;

		r = vset_view_value(view, &set, i, &value);
		fprintf(out, " %d", r);
		if (r < 0)
			continue;
		fprintf(out, "@%d=", value.inst);
		for (uint32_t b = 0; b < value.block_len; b++)
			fprintf(out, "%02x", value.block[b]);
		if (value.block_len == 0)
			fprintf(out, "%u", value.insitu);
	}
}

/* Reads all records in one direction, with only the wished metrics or completely; returns the
 * number of records that were not read completely. The archive is opened again, because data in the
 * window is not read again. */
static int tell_all(void **state, const pmID *pmids, size_t n, bool wish, bool back, char *text)
{
	struct archive *a = open_it(state);
	FILE *out = fmemopen(text, TEXT_MAX, "w");
	struct result_view view;
	int r, sieved = 0;
	size_t len;

	assert_non_null(out);
	if (back)
		archive_to_end(a);
	if (wish)
		archive_wish(a, pmids, n);
	while ((r = back ? archive_prev(a, &view) : archive_next(a, &view)) > 0) {
		fprintf(out, "%ld %s %d:", (long)(view.stamp.tv_sec - SCENE_START),
			result_view_is_mark(&view) ? "mark" : "record",
			(int)(archive_place(a).end - archive_place(a).offset));
		sieved += archive_record(a, &len) == NULL;
		for (size_t i = 0; i < n; i++)
			tell(out, &view, pmids[i]);
		fprintf(out, "\n");
	}
	fprintf(out, "%d\n", r);
	fclose(out);
	archive_close(a);
	return sieved;
}

/* Compares both, in both directions. How many records were not read whole. */
static int compare(void **state, const pmID *pmids, size_t n)
{
	AUTO_FREE char *whole = malloc(TEXT_MAX);
	AUTO_FREE char *sieved = malloc(TEXT_MAX);
	int count = 0;

	for (int back = 0; back < 2; back++) {
		assert_int_equal(tell_all(state, pmids, n, false, back, whole), 0);
		count += tell_all(state, pmids, n, true, back, sieved);
		assert_string_equal(whole, sieved);
	}
	return count;
}

static size_t list_wish(size_t i, pmID *ret_pmids)
{
	size_t n = wishes[i][1] == 0 ? 1 : 4;

	for (size_t k = 0; k < n; k++)
		ret_pmids[k] = pmid_of(wishes[i][k]);
	return n;
}

static void same(void **state)
{
	for (int version = 2; version <= 3; version++) {
		store_test_setup(state);
		make(state, version);
		for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
			pmID pmids[4];
			size_t n = list_wish(i, pmids);
			bool large = wishes[i][0] == LONG_TEXT || wishes[i][0] == MANY;

			assert_true(large ? compare(state, pmids, n) == 0
					  : compare(state, pmids, n) > RECORDS);
		}
		store_test_teardown(state);
	}
	store_test_setup(state);
}

static void more_than_a_few(void **state)
{
	const pmID pmids[ARCHIVE_WISH_MAX + 1] = {pmid_of(1), pmid_of(2), pmid_of(3), pmid_of(4),
						  pmid_of(5)};

	make(state, 3);
	assert_int_equal(compare(state, pmids, ARCHIVE_WISH_MAX + 1), 0);
}

/* One word of a record after the other is wrong. */
static void damage(void **state)
{
	static const uint32_t words[] = {0, 0xffffffff, 0x7ffffff0, 0x00010001};
	pmID pmids[4];
	size_t n = list_wish(11, pmids);
	struct archive *a;
	struct archive_place place = {0};
	struct result_view view;
	FILE *file;

	make(state, 2);
	a = open_it(state);
	for (int k = 0; k < 3; k++)
		assert_int_equal(archive_next(a, &view), 1);
	place = archive_place(a);
	archive_close(a);
	file = fopen(store_test_path(state, "a.0"), "r+");
	assert_non_null(file);
	setvbuf(file, NULL, _IONBF, 0);
	for (uint64_t at = place.offset; at < place.end; at += at < place.offset + 60 ? 4 : 916) {
		uint8_t was[4], is[4];

		assert_int_equal(pread(fileno(file), was, 4, (off_t)at), 4);
		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			store_be32(is, words[i]);
			assert_int_equal(pwrite(fileno(file), is, 4, (off_t)at), 4);
			compare(state, pmids, n);
		}
		assert_int_equal(pwrite(fileno(file), was, 4, (off_t)at), 4);
	}
	fclose(file);
}

/* A file that is cut while it is read. */
static void cut(void **state)
{
	const pmID pmid = pmid_of(600);
	struct result_view view;
	struct archive *a;

	make(state, 3);
	a = open_it(state);
	archive_wish(a, &pmid, 1);
	assert_int_equal(archive_next(a, &view), 1);
	store_test_cut(state, "a.0", (size_t)archive_place(a).end + 20000);
	assert_int_equal(archive_next(a, &view), PM_ERR_LOGREC);
	archive_close(a);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_test_setup, store_test_teardown)
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(same, NULL, store_test_teardown),
	    TEST(more_than_a_few),
	    TEST(damage),
	    TEST(cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
