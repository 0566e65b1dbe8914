/*
 * test_faults - each allocation of the codec fails once, in turn.
 *
 * The linker puts the two functions below in the place of malloc and realloc (--wrap).
 */
#include "golden.h"
#include "libwire/result.h"
#include "wire_test.h"

void *__real_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *p, size_t size);

static struct golden_set golden;
static int countdown; /* the allocation that fails, counted from now; 0: none */

static bool fails_now(void)
{
	return countdown > 0 && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails_now() ? NULL : __real_realloc(p, size);
}

static int group_setup(void **state)
{
	golden_load(&golden);
	return 0;
}

static int group_teardown(void **state)
{
	golden_free(&golden);
	return 0;
}

/* Runs step with its first, second, … allocation failing, until none is left to fail. */
static int count_faults(struct wire_test *t, const struct golden *g,
			int (*step)(struct wire_test *t, const struct golden *g))
{
	int faults = 0;

	for (;;) {
		int r;

		countdown = faults + 1;
		r = step(t, g);
		if (countdown > 0) {
			countdown = 0;
			assert_int_equal(r, 0);
			return faults;
		}
		if (r != -ENOMEM)
			fail_msg("%s: allocation %d: %d", g->name, faults, r);
		faults++;
	}
}

static int decode(struct wire_test *t, const struct golden *g)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_decode(g->pdu, g->len, &mem, &body);

	arena_done(&mem);
	return r;
}

/* Into a full buffer, so that the first byte needs memory; what it holds already survives. */
static int encode(struct wire_test *t, const struct golden *g)
{
	enum { FULL = 256 };
	struct buffer out = BUFFER_INIT;
	int r, before = countdown;

	countdown = 0;
	buffer_fill(&out, 'b', FULL);
	assert_int_equal(out.cap, FULL);
	countdown = before;
	r = pdu_encode(&out, load_be32(g->pdu + 4), 0, &t->body);
	assert_int_equal(out.err, 0);
	assert_int_equal(buffer_pending(&out), r == 0 ? FULL + g->len : FULL);
	assert_int_equal(buffer_head(&out)[FULL - 1], 'b');
	buffer_done(&out);
	return r;
}

static int to_host(struct wire_test *t, const struct golden *g)
{
	bool highres = load_be32(g->pdu + 4) == PDU_HIGHRES_RESULT;
	pmHighResResult *result = NULL;
	int r = result_to_host(&t->body.result, highres, &result);

	assert_int_equal(result != NULL, r == 0);
	free(result);
	return r;
}

static int gather(struct wire_test *t, const struct golden *g)
{
	const struct pdu_result *result = &t->body.result;
	struct result_source sources[16];
	struct buffer out = BUFFER_INIT;
	int r;

	assert_true(result->numpmid <= ARRAY_SIZE(sources));
	for (uint32_t i = 0; i < result->numpmid; i++)
		sources[i] = (struct result_source){
		    .kind = RESULT_WIRE, .pmid = result->vsets[i].pmid, .wire = &result->vsets[i]};
	r = result_encode(&out, PDU_RESULT, 0, 0, 0, sources, result->numpmid);
	assert_int_equal(out.err, 0);
	assert_int_equal(buffer_pending(&out) > 0, r == 0);
	buffer_done(&out);
	return r;
}

static void every_golden(void **state)
{
	struct wire_test *t = *state;
	int decoding = 0, encoding = 0;

	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];
		uint32_t type = load_be32(g->pdu + 4);

		if (type == PDU_CONTROL_REQ)
			continue;
		decoding += count_faults(t, g, decode);
		assert_int_equal(wire_test_decode_bytes(t, g->pdu, g->len), 0);
		encoding += count_faults(t, g, encode);
		if (type != PDU_RESULT && type != PDU_HIGHRES_RESULT)
			continue;
		assert_int_equal(count_faults(t, g, to_host), 1);
		assert_true(count_faults(t, g, gather) >= 1);
	}
	assert_true(decoding > 20);
	assert_true(encoding > 20);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(every_golden),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
