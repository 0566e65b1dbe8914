/*
 * test_archive_context - what contexts of archives answer, asked as it is, and with each allocation
 * failing once, in turn: then it is -ENOMEM or the same answer, and the next one is right.
 *
 * Two archives of scenes (tests/libstore/scene.h) are one context: records 0 to 59, and 60 to 98.
 */
#include <errno.h>
#include <stdlib.h>

#include "pcp_test.h"
#include "scene.h"
#include "starve.h"
#include "store_test.h"

enum { FIRST = 60, ALL = 99 };

static char spec[1100];
static const pmID pmids[] = {SCENE_COUNT, SCENE_WAVE, SCENE_WORD, SCENE_COUNT};

static void write_part(const char *base, uint64_t from, uint64_t to)
{
	struct log_label label = scene_label(3);
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(base, &label, &w), 0);
	for (uint64_t k = from; k < to; k++)
		assert_int_equal(scene_write(w, 3, k), 0);
	assert_int_equal(archive_writer_end(w), 0);
}

static int setup(void **state)
{
	store_test_setup(state);
	write_part(store_test_path(state, "a"), 0, FIRST);
	write_part(store_test_path(state, "b"), FIRST, ALL);
	snprintf(spec, sizeof(spec), "%s,%s", store_test_path(state, "a"),
		 store_test_path(state, "b"));
	return 0;
}

/*
 * The questions: each checks its answer, if there is one, and can be asked again.
 */

static int ask_open(void)
{
	int before = pmWhichContext();
	int r = pmNewContext(PM_CONTEXT_ARCHIVE, spec);

	if (r >= 0) {
		assert_int_equal(pmDestroyContext(r), 0);
		assert_int_equal(pmUseContext(before), 0);
	}
	return r;
}

static int ask_dup(void)
{
	int before = pmWhichContext();
	int r = pmDupContext();

	if (r >= 0) {
		assert_int_equal(pmDestroyContext(r), 0);
		assert_int_equal(pmUseContext(before), 0);
	}
	return r;
}

static int ask_label(void)
{
	pmHighResLogLabel label;
	int r = pmGetHighResArchiveLabel(&label);

	if (r >= 0)
		assert_int_equal(label.start.tv_sec, SCENE_START);
	return r;
}

static int ask_end(void)
{
	struct timespec end;
	int r = pmGetHighResArchiveEnd(&end);

	if (r >= 0)
		assert_int_equal(end.tv_sec, SCENE_START + ALL - 1);
	return r;
}

static int ask_names(void)
{
	const char *names[] = {"scene.count", "scene.wave", "scene.word"};
	pmID found[3];
	int r = pmLookupName(3, names, found);

	if (r >= 0) {
		assert_int_equal(r, 3);
		assert_int_equal(found[1], SCENE_WAVE);
	}
	return r;
}

static int ask_name(void)
{
	char **names;
	int r = pmNameAll(SCENE_WORD, &names);

	if (r >= 0) {
		assert_string_equal(names[0], "scene.word");
		free(names);
	}
	return r;
}

static int ask_children(void)
{
	char **names;
	int *status;
	int r = pmGetChildrenStatus("scene", &names, &status);

	if (r >= 0) {
		assert_int_equal(r, 3);
		free(names);
		free(status);
	}
	return r;
}

static int ask_desc(void)
{
	pmDesc desc;
	int r = pmLookupDesc(SCENE_WAVE, &desc);

	if (r >= 0)
		assert_int_equal(desc.indom, SCENE_INDOM);
	return r;
}

static int ask_instances(void)
{
	char **names;
	int *insts;
	int r = pmGetInDomArchive(SCENE_INDOM, &insts, &names);

	if (r >= 0) {
		assert_true(r > 6);
		free(insts);
		free(names);
	}
	return r;
}

/* Those of the newest observation first, then what the one before it had besides, and so on; each
 * once. */
static void test_instances_of_all_times(void **state)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec), expected[200], now[SCENE_INSTS_MAX];
	size_t n = 0;
	char **names;
	int *insts;

	for (uint64_t k = ALL; k-- > 0;) {
		size_t count = k % 3 == 0 && !scene_is_mark(k) ? scene_instances(k, now) : 0;

		for (size_t i = 0; i < count; i++) {
			size_t at = 0;

			while (at < n && expected[at] != now[i])
				at++;
			if (at == n)
				expected[n++] = now[i];
		}
	}
	assert_int_equal(pmGetInDomArchive(SCENE_INDOM, &insts, &names), n);
	assert_memory_equal(insts, expected, n * sizeof(insts[0]));
	free(insts);
	free(names);
	assert_int_equal(pmDestroyContext(handle), 0);
}

static int ask_instance(void)
{
	char *name;
	int r = pmNameInDomArchive(SCENE_INDOM, 1, &name);

	if (r >= 0) {
		assert_string_equal(name, "inst-1");
		free(name);
	}
	return r;
}

static int ask_instance_by_name(void)
{
	int r = pmLookupInDomArchive(SCENE_INDOM, "inst-1");

	if (r >= 0)
		assert_int_equal(r, 1);
	return r;
}

static int ask_text(void)
{
	char *text;
	int r = pmLookupText(SCENE_COUNT, PM_TEXT_ONELINE, &text);

	if (r >= 0) {
		assert_string_equal(text, "Which record this is");
		free(text);
	}
	return r;
}

static int ask_labels(void)
{
	pmLabelSet *sets;
	int r = pmGetDomainLabels(60, &sets);

	if (r > 0) {
		assert_int_equal(sets->nlabels, 1);
		pmFreeLabelSets(sets, r);
	}
	return r;
}

/* Record k is k intervals after the first. */
static const double a_record_s = 1.001;

static void start_at(int mode, double record, double step)
{
	struct timespec when, delta;

	pmtimespecFromReal(SCENE_START + record * a_record_s, &when);
	pmtimespecFromReal(step * a_record_s, &delta);
	assert_int_equal(pmSetModeHighRes(mode, &when, &delta), 0);
}

static uint64_t count_in(const pmHighResResult *result, int i)
{
	pmAtomValue atom;

	assert_int_equal(result->vset[i]->numval, 1);
	assert_int_equal(pmExtractValue(result->vset[i]->valfmt, &result->vset[i]->vlist[0],
					PM_TYPE_U64, &atom, PM_TYPE_U64),
			 0);
	return atom.ull;
}

static int fetch_at(int mode, double record, uint64_t count)
{
	pmHighResResult *result;
	int r;

	start_at(mode, record, mode == PM_MODE_BACK ? -1 : 1);
	r = pmFetchHighRes(4, (pmID *)pmids, &result);
	if (r >= 0) {
		assert_int_equal(result->numpmid, 4);
		assert_int_equal(count_in(result, 0), count);
		assert_int_equal(count_in(result, 3), count);
		pmFreeHighResResult(result);
	}
	return r;
}

static int ask_forward(void)
{
	return fetch_at(PM_MODE_FORW, 58.5, 59);
}

static int ask_backward(void)
{
	return fetch_at(PM_MODE_BACK, 66.5, 66);
}

/* 70.25, and a half, cut. */
static int ask_between(void)
{
	return fetch_at(PM_MODE_INTERP, 70.25, 70);
}

static int ask_record(void)
{
	pmHighResResult *result;
	int r;

	start_at(PM_MODE_FORW, 60.5, 1);
	r = pmFetchHighResArchive(&result);
	if (r >= 0) {
		assert_int_equal(result->timestamp.tv_sec, SCENE_START + 61);
		pmFreeHighResResult(result);
	}
	return r;
}

static int (*const questions[])(void) = {
    ask_open,
    ask_dup,
    ask_label,
    ask_end,
    ask_names,
    ask_name,
    ask_children,
    ask_desc,
    ask_instances,
    ask_instance,
    ask_instance_by_name,
    ask_text,
    ask_labels,
    ask_forward,
    ask_backward,
    ask_between,
    ask_record,
};
enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

static void test_answers(void **state)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec);

	assert_true(handle >= 0);
	for (int i = 0; i < QUESTIONS; i++)
		assert_true(questions[i]() >= 0);
	for (int i = QUESTIONS - 1; i >= 0; i--)
		assert_true(questions[i]() >= 0);
	assert_int_equal(pmDestroyContext(handle), 0);
}

/* True if the allocation was met. */
static bool ask_starved(int i, long at)
{
	bool met;
	int r;

	starve_left = at;
	r = questions[i]();
	met = starve_left < 0;
	starve_left = -1;
	if (met ? r < 0 && r != -ENOMEM : r < 0)
		fail_msg("question %d, allocation %ld: %d", i, at, r);
	r = questions[i]();
	if (r < 0)
		fail_msg("question %d behind allocation %ld: %d", i, at, r);
	return met;
}

/* Of one context, whose memory of earlier answers makes questions cheap. */
static void test_starved(void **state)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec);
	long total = 0;

	for (int i = 0; i < QUESTIONS; i++) {
		for (long at = 0; ask_starved(i, at); at++)
			total++;
	}
	assert_true(total > 2 * QUESTIONS);
	assert_int_equal(pmDestroyContext(handle), 0);
}

/* Each question is the first of a context. */
static void test_starved_first(void **state)
{
	for (int i = 0; i < QUESTIONS; i++) {
		bool met = true;

		for (long at = 0; met; at++) {
			int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec);

			assert_true(handle >= 0);
			met = ask_starved(i, at);
			assert_int_equal(pmDestroyContext(handle), 0);
		}
	}
}

/*
 * Values in between
 */

/* Counters are linear up to a mark; other values stay; there are no values after the last
 * record. */
static void test_between(void **state)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec);
	pmHighResResult *result;

	start_at(PM_MODE_INTERP, 10.1, 0.5);
	for (int i = 0; i < 7; i++) { /* 10.1, 10.6 to 13.1 */
		assert_int_equal(pmFetchHighRes(4, (pmID *)pmids, &result), 0);
		assert_int_equal(count_in(result, 0), 10 + (i + 1) / 2);
		/* That of record 9 up to record 12. */
		assert_int_equal(result->vset[1]->vlist[0].value.lval,
				 (i < 4 ? 900 : 1200) + result->vset[1]->vlist[0].inst);
		assert_int_equal(result->vset[2]->numval, 0); /* the first word is in record 21 */
		pmFreeHighResResult(result);
	}
	assert_int_equal(pmDestroyContext(handle), 0);
}

/* A word is valid from its record on; record 24 is a mark, and ends it. */
static void test_marks(void **state)
{
	static const struct {
		double record;
		int counts, words;
	} rows[] = {
	    {20.5, 1, 0}, {21.1, 1, 1}, {22.5, 1, 1}, {23.5, 0, 1},
	    {24.5, 0, 0}, {25.1, 1, 0}, {28.1, 1, 1},
	};
	pmHighResResult *result;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec);

		start_at(PM_MODE_INTERP, rows[i].record, 1);
		assert_int_equal(pmFetchHighRes(4, (pmID *)pmids, &result), 0);
		if (result->vset[0]->numval != rows[i].counts ||
		    result->vset[2]->numval != rows[i].words)
			fail_msg("record %g: %d counts, %d words", rows[i].record,
				 result->vset[0]->numval, result->vset[2]->numval);
		pmFreeHighResResult(result);
		assert_int_equal(pmDestroyContext(handle), 0);
	}
}

/* A millisecond beyond either end is taken for it. */
static void test_ends(void **state)
{
	static const struct {
		double record;
		int r;
	} rows[] = {{-0.01, PM_ERR_EOL},
		    {-0.0005, 0},
		    {ALL - 1, 0},
		    {ALL - 1 + 0.0005, 0},
		    {ALL - 0.99, PM_ERR_EOL}};
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pmHighResResult *result;

		start_at(PM_MODE_INTERP, rows[i].record, 1);
		assert_int_equal(pmFetchHighRes(4, (pmID *)pmids, &result), rows[i].r);
		if (rows[i].r == 0)
			pmFreeHighResResult(result);
	}
	assert_int_equal(pmDestroyContext(handle), 0);
}

/* There is a mark between the archives: a counter has no value at a time there. */
static void test_between_archives(void **state)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec);
	pmHighResResult *result;

	start_at(PM_MODE_INTERP, FIRST - 0.5, 1);
	assert_int_equal(pmFetchHighRes(4, (pmID *)pmids, &result), 0);
	assert_int_equal(result->vset[0]->numval, 0);
	pmFreeHighResResult(result);
	assert_int_equal(pmDestroyContext(handle), 0);
}

/* The result does not depend on earlier requests. */
static void test_any_order(void **state)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, spec);
	static pmHighResResult *expected[2 * ALL];
	unsigned int seed = 3;

	for (int i = 0; i < 2 * ALL - 1; i++) {
		int fresh = pmNewContext(PM_CONTEXT_ARCHIVE, spec);

		start_at(PM_MODE_INTERP, i / 2.0, 1);
		assert_int_equal(pmFetchHighRes(4, (pmID *)pmids, &expected[i]), 0);
		assert_int_equal(pmDestroyContext(fresh), 0);
	}
	assert_int_equal(pmUseContext(handle), 0);
	for (int n = 0; n < 2000; n++) {
		int i = rand_r(&seed) % (2 * ALL - 1);
		pmHighResResult *result;

		start_at(PM_MODE_INTERP, i / 2.0, 1);
		assert_int_equal(pmFetchHighRes(4, (pmID *)pmids, &result), 0);
		for (int k = 0; k < 4; k++) {
			assert_int_equal(result->vset[k]->numval, expected[i]->vset[k]->numval);
			if (k % 3 == 0 && result->vset[k]->numval == 1)
				assert_int_equal(count_in(result, k), count_in(expected[i], k));
		}
		pmFreeHighResResult(result);
	}
	for (int i = 0; i < 2 * ALL - 1; i++)
		pmFreeHighResResult(expected[i]);
	assert_int_equal(pmDestroyContext(handle), 0);
}

/* Record 41 has the count 41, and the record two seconds later the count 1. */
static void write_fall(const char *base)
{
	struct log_label label = scene_label(3);
	struct timespec stamp = scene_stamp(43);
	struct archive_writer *w;
	const uint64_t count = 1;
	union {
		pmValueBlock block;
		char bytes[PM_VAL_HDR_SIZE + sizeof(count)];
	} value = {.block = {.vtype = PM_TYPE_U64, .vlen = sizeof(value.bytes)}};
	pmValueSet set = {.pmid = SCENE_COUNT, .numval = 1, .valfmt = PM_VAL_DPTR};
	pmValueSet *sets[] = {&set};

	memcpy(value.bytes + PM_VAL_HDR_SIZE, &count, sizeof(count));
	set.vlist[0] = (pmValue){.inst = PM_IN_NULL, .value = {.pval = &value.block}};
	assert_int_equal(archive_writer_new(base, &label, &w), 0);
	assert_int_equal(scene_write(w, 3, 41), 0);
	assert_int_equal(archive_writer_result(w, &stamp, sets, 1), 0);
	assert_int_equal(archive_writer_end(w), 0);
}

static uint64_t count_at(double record)
{
	pmHighResResult *result;
	uint64_t count;

	start_at(PM_MODE_INTERP, record, 1);
	assert_int_equal(pmFetchHighRes(1, (pmID *)pmids, &result), 0);
	count = count_in(result, 0);
	pmFreeHighResResult(result);
	return count;
}

/* A counter that falls is taken as it is, unless the context has it wrap; a copy has it too. */
static void test_wrap(void **state)
{
	const char *base = store_test_path(state, "fall");
	int handle, copy;

	write_fall(base);
	handle = pmNewContext(PM_CONTEXT_ARCHIVE, base);
	assert_true(handle >= 0);
	assert_int_equal(count_at(42), 21);
	assert_int_equal(pitot_context_wrap(handle, 1), 0);
	assert_true(count_at(42) > UINT64_MAX / 4);
	copy = pmDupContext();
	assert_true(count_at(42) > UINT64_MAX / 4);
	assert_int_equal(pmDestroyContext(copy), 0);
	assert_int_equal(pmUseContext(handle), 0);
	assert_int_equal(pitot_context_wrap(handle, 0), 0);
	assert_int_equal(count_at(42), 21);
	assert_int_equal(pmDestroyContext(handle), 0);
	assert_int_equal(pitot_context_wrap(handle, 1), PM_ERR_NOCONTEXT);
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, setup, store_test_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    UNIT(test_instances_of_all_times),
	    UNIT(test_answers),
	    UNIT(test_starved),
	    UNIT(test_starved_first),
	    UNIT(test_between),
	    UNIT(test_marks),
	    UNIT(test_ends),
	    UNIT(test_between_archives),
	    UNIT(test_any_order),
	    UNIT(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
