/* test_pdu - complete PDUs: the golden ones encoded and decoded, cut, extended, changed, and with
 * failing allocations. */
#include "golden.h"
#include "libwire/pdu_inner.h"
#include "wire_test.h"

static struct golden_set golden;

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

static uint32_t type_of(const struct golden *g)
{
	return load_be32(g->pdu + 4);
}

/* CONTROL_REQ has a number and no layout: the one PDU that is never decoded. */
static bool has_layout(const struct golden *g)
{
	return pdu_kind(type_of(g))->get != NULL;
}

/* ATTR has no count, so that every length is another value; an ERROR may come without its datum. */
static bool may_be_shorter(const struct golden *g, size_t len)
{
	return type_of(g) == PDU_ATTR ? len >= 16 : type_of(g) == PDU_ERROR && len == 16;
}

/* Memory that decoding may take, in bytes: four times the PDU, and the rounding of a few arrays. */
static size_t arena_bound(size_t len)
{
	return 4 * len + 64;
}

static void golden_names(void **state)
{
	for (size_t i = 0; i < golden.n; i++) {
		const char *name = golden.pdus[i].name;
		const char *type_name = pdu_name(type_of(&golden.pdus[i]));

		assert_non_null(type_name);
		assert_int_equal(strcspn(name, "-"), strlen(type_name));
		assert_memory_equal(name, type_name, strlen(type_name));
	}
}

static void golden_for_each_kind(void **state)
{
	for (uint32_t type = pdu_kind_next(0); type != 0; type = pdu_kind_next(type)) {
		bool found = false;

		for (size_t i = 0; i < golden.n; i++)
			found |= type_of(&golden.pdus[i]) == type;
		if (!found)
			fail_msg("tests/golden/pdu has no %s", pdu_name(type));
	}
}

static void golden_round_trip(void **state)
{
	struct wire_test *t = *state;

	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];
		int r = wire_test_decode_bytes(t, g->pdu, g->len);

		if (r != (has_layout(g) ? 0 : PM_ERR_IPC))
			fail_msg("%s: decode: %d", g->name, r);
		if (r < 0)
			continue;
		buffer_reset(&t->out);
		r = pdu_encode(&t->out, type_of(g), (int32_t)load_be32(g->pdu + 8), &t->body);
		if (r < 0 || t->out.len != g->len || memcmp(t->out.data, g->pdu, g->len) != 0)
			fail_msg("%s: encode: %d, %zu bytes of %zu", g->name, r, t->out.len,
				 g->len);
	}
}

/* A PDU that ends early, once with the length that it claims, once with an honest one. */
static void golden_truncated(void **state)
{
	struct wire_test *t = *state;

	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];
		AUTO_FREE uint8_t *cut = malloc(g->len);

		memcpy(cut, g->pdu, g->len);
		for (size_t len = 0; len < g->len; len++) {
			int r;

			assert_int_equal(wire_test_decode_bytes(t, g->pdu, len), PM_ERR_IPC);
			if (len < PDU_HEADER_LEN)
				continue;
			store_be32(cut, (uint32_t)len);
			r = wire_test_decode_bytes(t, cut, len);
			if (r != (may_be_shorter(g, len) ? 0 : PM_ERR_IPC))
				fail_msg("%s, %zu bytes of %zu: %d", g->name, len, g->len, r);
		}
	}
}

static void golden_extended(void **state)
{
	static const uint8_t bytes[] = {0, '~', 0xff};
	struct wire_test *t = *state;

	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];
		AUTO_FREE uint8_t *more = malloc(g->len + 4);

		memcpy(more, g->pdu, g->len);
		for (size_t extra = 1; extra <= 4; extra++) {
			for (size_t b = 0; b < ARRAY_SIZE(bytes); b++) {
				bool legal = type_of(g) == PDU_ATTR ||
					     (type_of(g) == PDU_ERROR && g->len + extra == 20);

				memset(more + g->len, bytes[b], extra);
				store_be32(more, (uint32_t)(g->len + extra));
				if (wire_test_decode_bytes(t, more, g->len + extra) !=
				    (legal ? 0 : PM_ERR_IPC))
					fail_msg("%s and %zu bytes", g->name, extra);
			}
		}
	}
}

/*
 * Any bytes: they decode or are PM_ERR_IPC, within the bound on memory. A decoded PDU can be
 * encoded (except for names that end in an empty one), and decoding the result gives the same.
 */
static void check_any(struct wire_test *t, const char *name, const uint8_t *pdu, size_t len)
{
	uint32_t type = load_be32(pdu + 4);
	AUTO_FREE uint8_t *first = NULL;
	size_t first_len;
	int r;

	t->mem.limit = arena_bound(len);
	r = wire_test_decode_bytes(t, pdu, len);
	t->mem.limit = 0;
	if (r == PM_ERR_IPC)
		return;
	if (r < 0)
		fail_msg("%s: decode: %d", name, r);
	buffer_reset(&t->out);
	r = pdu_encode(&t->out, type, 0, &t->body);
	if (r < 0)
		fail_msg("%s: encode: %d", name, r);
	first_len = t->out.len;
	first = malloc(first_len);
	memcpy(first, t->out.data, first_len);
	assert_int_equal(wire_test_decode_bytes(t, first, first_len), 0);
	buffer_reset(&t->out);
	assert_int_equal(pdu_encode(&t->out, type, 0, &t->body), 0);
	assert_int_equal(t->out.len, first_len);
	assert_memory_equal(t->out.data, first, first_len);
}

/* Each word of each PDU at the limits of what counts, lengths and positions can be. */
static void golden_words_changed(void **state)
{
	struct wire_test *t = *state;

	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];
		uint32_t len = (uint32_t)g->len;
		const uint32_t values[] = {
		    0,          1,          2,           4,          len,        len - 1,
		    len + 1,    len / 4,    len / 4 - 1, len / 8,    1025,       4096,
		    0x00ffffff, 0x7fffffff, 0x80000000,  0x80000001, 0xffffffff, 0x09000010,
		    0x0a000018, 0x06000003, 0x03000008,  0x10000000, 0x20000001, 0x3fffffff,
		};
		AUTO_FREE uint8_t *pdu = malloc(g->len);

		for (size_t at = PDU_HEADER_LEN; at + 4 <= g->len; at += 4) {
			for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
				memcpy(pdu, g->pdu, g->len);
				store_be32(pdu + at, values[v]);
				check_any(t, g->name, pdu, g->len);
			}
		}
	}
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void golden_bytes_changed(void **state)
{
	enum { ROUNDS = 4000 };
	struct wire_test *t = *state;
	uint64_t seed = 20240229;

	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];
		AUTO_FREE uint8_t *pdu = malloc(g->len);

		for (int round = 0; round < ROUNDS; round++) {
			uint32_t changes = 1 + next_random(&seed) % 4;

			memcpy(pdu, g->pdu, g->len);
			for (uint32_t c = 0; c < changes; c++) {
				size_t at = 4 + next_random(&seed) % (g->len - 4);

				pdu[at] = next_random(&seed) % 2 ? (uint8_t)next_random(&seed)
								 : (uint8_t)(pdu[at] ^ 1);
			}
			check_any(t, g->name, pdu, g->len);
		}
	}
}

/* Any bound on memory: it is enough, or the answer is -ENOMEM and nothing is written. */
static void golden_starved(void **state)
{
	struct wire_test *t = *state;

	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];
		int r = has_layout(g) ? -ENOMEM : PM_ERR_IPC;

		for (size_t limit = 1; r == -ENOMEM; limit += 16) {
			t->mem.limit = limit;
			memset(&t->body, 0xa5, sizeof(t->body));
			r = wire_test_decode_bytes(t, g->pdu, g->len);
			if (r == -ENOMEM)
				assert_int_equal(((uint8_t *)&t->body)[0], 0xa5);
			assert_true(limit < arena_bound(g->len) + 16);
		}
		t->mem.limit = 0;
		assert_int_equal(r, has_layout(g) ? 0 : PM_ERR_IPC);
	}
}

static void headers(void **state)
{
	static const struct {
		uint32_t len, type, from;
		int expect;
	} cases[] = {
	    {12, 0x7000, 0, 0},
	    {0x7fffffff, 0x7fffffff, 0xffffffff, 0},
	    {12, 0, 0, 0},
	    {11, 0x7000, 0, PM_ERR_IPC},
	    {0, 0x7000, 0, PM_ERR_IPC},
	    {0x80000000, 0x7000, 0, PM_ERR_IPC},
	    {0xffffffff, 0x7000, 0, PM_ERR_IPC},
	    {12, 0x80000000, 0, PM_ERR_IPC},
	    {12, 0xffffffff, 0, PM_ERR_IPC},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pdu_header header = {1, 2, 3};
		uint8_t bytes[PDU_HEADER_LEN];

		store_be32(bytes, cases[i].len);
		store_be32(bytes + 4, cases[i].type);
		store_be32(bytes + 8, cases[i].from);
		assert_int_equal(pdu_header_get(bytes, &header), cases[i].expect);
		assert_int_equal(header.len, cases[i].expect == 0 ? cases[i].len : 1);
		assert_int_equal(header.type, cases[i].expect == 0 ? cases[i].type : 2);
		assert_int_equal(header.from, cases[i].expect == 0 ? (int32_t)cases[i].from : 3);
	}
}

static void unknown_types(void **state)
{
	static const uint32_t types[] = {0,      0x6fff, 0x700a, 0x700b,    0x7018,
					 0x7fff, 0x8004, 0x9000, 0x7fffffff};
	struct wire_test *t = *state;
	union pdu_body body = {0};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		assert_int_equal(wire_test_decode(t, types[i], "00000000 00000000"), PM_ERR_IPC);
		wire_test_refuse(t, types[i], &body, -EINVAL);
	}
}

static void encode_appends(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(pdu_encode_error(&t->out, 3, PM_ERR_NAME), 0);
	assert_int_equal(pdu_encode_error(&t->out, 4, 0), 0);
	assert_int_equal(t->out.len, 32);
	buffer_consume(&t->out, 16);
	assert_int_equal(wire_test_decode_bytes(t, buffer_head(&t->out), 16), 0);
	assert_int_equal(t->body.error.code, 0);
	assert_int_equal(pdu_encode_error(&t->out, 5, 6), 0);
	assert_int_equal(wire_test_decode_bytes(t, buffer_head(&t->out) + 16, 16), 0);
	assert_int_equal(t->body.error.code, 6);
}

/* A buffer that failed before stays failed, and is not touched. */
static void encode_after_failure(void **state)
{
	struct wire_test *t = *state;

	buffer_put_u32(&t->out, 1);
	t->out.err = -ENOMEM;
	assert_int_equal(pdu_encode_error(&t->out, 0, 0), -ENOMEM);
	assert_int_equal(t->out.err, -ENOMEM);
	assert_int_equal(t->out.len, 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(golden_names),
	    WIRE_TEST(golden_for_each_kind),
	    WIRE_TEST(golden_round_trip),
	    WIRE_TEST(golden_truncated),
	    WIRE_TEST(golden_extended),
	    WIRE_TEST(golden_words_changed),
	    WIRE_TEST(golden_bytes_changed),
	    WIRE_TEST(golden_starved),
	    WIRE_TEST(headers),
	    WIRE_TEST(unknown_types),
	    WIRE_TEST(encode_appends),
	    WIRE_TEST(encode_after_failure),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
