/* test_result - result_encode: sources of all kinds into one PDU, byte for byte. */
#include "libwire/result.h"

#include "golden.h"
#include "wire_test.h"

/* A value set of the API with room for three values. */
struct host_set {
	pmID pmid;
	int numval;
	int valfmt;
	pmValue vlist[3];
};

static struct result_source from_host(const struct host_set *set)
{
	return (struct result_source){
	    .kind = RESULT_HOST, .pmid = set->pmid, .host = (const pmValueSet *)(const void *)set};
}

static struct result_source from_error(pmID pmid, int32_t error)
{
	return (struct result_source){.kind = RESULT_ERROR, .pmid = pmid, .error = error};
}

/* A block from hex of its wire form, in memory of the fixture's arena. */
static pmValueBlock *block_from(struct wire_test *t, const char *hex)
{
	size_t len;
	AUTO_FREE uint8_t *wire = wire_test_hex(hex, &len);
	pmValueBlock *block = arena_alloc(&t->mem, len);

	assert_int_equal(value_block_to_host(wire, (uint32_t)len, block), 0);
	return block;
}

static void check(struct wire_test *t, enum pdu_type type, const struct result_source *sources,
		  size_t n, const char *hex)
{
	size_t len;
	AUTO_FREE uint8_t *expect = wire_test_hex(hex, &len);

	buffer_reset(&t->out);
	assert_int_equal(result_encode(&t->out, type, 5, 0x6b0066b8, 0x0002fadb, sources, n), 0);
	assert_int_equal(t->out.len, PDU_HEADER_LEN + len);
	assert_int_equal(load_be32(t->out.data), t->out.len);
	assert_int_equal(load_be32(t->out.data + 4), type);
	assert_int_equal(load_be32(t->out.data + 8), 5);
	assert_memory_equal(t->out.data + PDU_HEADER_LEN, expect, len);
}

/* The worked example of docs/spec/pdu.md 16, from the host's side. */
static void from_the_host(void **state)
{
	struct wire_test *t = *state;
	struct host_set text = {0x00800007, 1, PM_VAL_DPTR, {{.inst = -1}}};
	struct host_set number = {
	    0x00800003, 1, PM_VAL_INSITU, {{.inst = -1, .value = {.lval = 1}}}};
	struct host_set load = {
	    0x0f000800, 3, PM_VAL_DPTR, {{.inst = 1}, {.inst = 5}, {.inst = 15}}};
	struct host_set nothing = {0x008003e7, PM_ERR_PMID, PM_VAL_INSITU, {{.inst = 0}}};
	struct result_source sources[] = {
	    from_host(&text),    from_host(&number),
	    from_host(&load),    from_error(0x32000000, PM_ERR_NOAGENT),
	    from_host(&nothing),
	};

	text.vlist[0].value.pval = block_from(t, "0600000a 362e302e 3300");
	load.vlist[0].value.pval = block_from(t, "04000008 3f28f5c3");
	load.vlist[1].value.pval = block_from(t, "04000008 3e947ae1");
	load.vlist[2].value.pval = block_from(t, "04000008 3df5c28f");
	check(t, PDU_RESULT, sources, ARRAY_SIZE(sources),
	      "6b0066b8 0002fadb 00000005"
	      "00800007 00000001 00000001 ffffffff 0000001d"
	      "00800003 00000001 00000000 ffffffff 00000001"
	      "0f000800 00000003 00000001"
	      "00000001 00000020 00000005 00000022 0000000f 00000024"
	      "32000000 ffffcf9e 008003e7 ffffcfba"
	      "0600000a 362e302e 33007e7e"
	      "04000008 3f28f5c3 04000008 3e947ae1 04000008 3df5c28f");
	check(t, PDU_HIGHRES_RESULT, sources + 1, 1,
	      "00000001 00000000 6b0066b8 00000000 0002fadb"
	      "00800003 00000001 00000000 ffffffff 00000001");
	check(t, PDU_RESULT, NULL, 0, "6b0066b8 0002fadb 00000000");
}

/* One set with blocks of all sorts: numbers of 64 bits first, which have a loop of their own. */
static void mixed_blocks(void **state)
{
	struct wire_test *t = *state;
	struct host_set set = {9, 3, PM_VAL_DPTR, {{.inst = 1}, {.inst = 2}, {.inst = 3}}};
	const struct result_source source = from_host(&set);

	set.vlist[0].value.pval = block_from(t, "0300000c 00000100 00000002");
	set.vlist[1].value.pval = block_from(t, "06000005 00");
	set.vlist[2].value.pval = block_from(t, "0500000c 40091eb8 51eb851f");
	check(t, PDU_RESULT, &source, 1,
	      "6b0066b8 0002fadb 00000001 00000009 00000003 00000001"
	      "00000001 0000000f 00000002 00000012 00000003 00000014"
	      "0300000c 00000100 00000002 06000005 007e7e7e 0500000c 40091eb8 51eb851f");
}

/* Relayed sets get the id that was asked for, and their blocks' padding is ours. */
static void relayed(void **state)
{
	struct wire_test *t = *state;
	struct result_source sources[2] = {{.kind = RESULT_WIRE}, {.kind = RESULT_WIRE}};

	assert_int_equal(wire_test_decode(t, PDU_RESULT,
					  "00000000 00000000 00000002"
					  "00000001 00000002 00000001 00000001 00000012 00000002"
					  "00000014 00000002 00000001 00000001 00000003 00000015"
					  "06000005 00aabbcc 07000004 0300000c 00000000 00000001"),
			 0);
	for (size_t i = 0; i < 2; i++) {
		sources[i].pmid = (pmID)(0x100 + i);
		sources[i].wire = &t->body.result.vsets[i];
	}
	check(t, PDU_RESULT, sources, 2,
	      "6b0066b8 0002fadb 00000002"
	      "00000100 00000002 00000001 00000001 00000012 00000002"
	      "00000014 00000101 00000001 00000001 00000003 00000015"
	      "06000005 007e7e7e 07000004 0300000c 00000000 00000001");
	/* The second alone, and the first after it: other positions. */
	check(t, PDU_RESULT, sources + 1, 1,
	      "6b0066b8 0002fadb 00000001 00000101 00000001 00000001 00000003 0000000b"
	      "0300000c 00000000 00000001");
}

/* Blocks at arbitrary places in memory, like those of several PDUs. */
static void relayed_from_anywhere(void **state)
{
	static const uint8_t first[] = {7, 0, 0, 5, 'a'},
			     second[] = {7, 0, 0, 8, 'b', 'b', 'b', 'b'};
	struct wire_test *t = *state;
	const struct wire_value values[] = {
	    {.inst = 1, .block_len = 5, .block = first},
	    {.inst = 2, .block_len = 8, .block = second},
	    {.inst = 3, .block_len = 5, .block = first},
	};
	const struct wire_vset set = {9, 3, PM_VAL_DPTR, values};
	const struct wire_vset none = {9, PM_ERR_AGAIN, 0, NULL};
	const struct result_source sources[] = {
	    {.kind = RESULT_WIRE, .pmid = 9, .wire = &set},
	    {.kind = RESULT_WIRE, .pmid = 10, .wire = &none},
	};

	check(t, PDU_RESULT, sources, 2,
	      "6b0066b8 0002fadb 00000002 00000009 00000003 00000001"
	      "00000001 00000011 00000002 00000013 00000003 00000015 0000000a ffffcf9b"
	      "07000005 617e7e7e 07000008 62626262 07000005 617e7e7e");
}

/* An invalid value is an error of its metric only; its neighbours are intact. */
static void bad_host_values(void **state)
{
	struct wire_test *t = *state;
	struct host_set good = {1, 1, PM_VAL_DPTR, {{.inst = 1}}};
	struct host_set bad = {2, 2, PM_VAL_DPTR, {{.inst = 1}, {.inst = 2}}};
	const struct result_source sources[] = {from_host(&good), from_host(&bad),
						from_host(&good)};
	static const char expect[] = "6b0066b8 0002fadb 00000003"
				     "00000001 00000001 00000001 00000001 00000012"
				     "00000002 ffffcfb6"
				     "00000001 00000001 00000001 00000001 00000015"
				     "0300000c 00000000 00000007 0300000c 00000000 00000007";
	uint32_t words[6] = {0};

	good.vlist[0].value.pval = block_from(t, "0300000c 00000000 00000007");
	bad.vlist[0].value.pval = good.vlist[0].value.pval;
	bad.vlist[1].value.pval = (void *)words;

	words[0] = (uint32_t)PM_TYPE_U64 << 24 | 11; /* shorter than its type */
	check(t, PDU_RESULT, sources, 3, expect);
	words[0] = (uint32_t)PM_TYPE_AGGREGATE << 24 | 3; /* shorter than its header */
	check(t, PDU_RESULT, sources, 3, expect);
	words[0] = (uint32_t)PM_TYPE_EVENT << 24 | 12; /* a record that is not there */
	words[1] = 1;
	check(t, PDU_RESULT, sources, 3, expect);
	bad.vlist[1].value.pval = NULL;
	check(t, PDU_RESULT, sources, 3, expect);
	bad.vlist[1].value.pval = good.vlist[0].value.pval;
	bad.valfmt = 3;
	check(t, PDU_RESULT, sources, 3, expect);
}

static void bad_sources(void **state)
{
	struct wire_test *t = *state;
	const struct wire_value value = {.inst = 1, .block_len = 3, .block = NULL};
	const struct wire_vset set = {1, 1, PM_VAL_DPTR, &value};
	const struct result_source sources[] = {
	    {.kind = RESULT_WIRE, .pmid = 1, .wire = &set},
	    from_error(2, 1), /* a count is not an error code */
	    from_error(3, 0),
	};

	check(t, PDU_RESULT, sources, 3,
	      "6b0066b8 0002fadb 00000003 00000001 ffffcfb6 00000002 ffffcfb6 00000003 00000000");
	assert_int_equal(result_encode(&t->out, PDU_FETCH, 0, 0, 0, sources, 3), -EINVAL);
}

/* More than a PDU can hold: refused before memory is taken for it. */
static void too_big(void **state)
{
	enum { COPIES = 17 };
	struct wire_test *t = *state;
	AUTO_FREE uint8_t *block = calloc(1, VALUE_BLOCK_MAX);
	struct wire_value values[COPIES];
	const struct wire_vset set = {1, COPIES, PM_VAL_DPTR, values};
	const struct result_source source = {.kind = RESULT_WIRE, .pmid = 1, .wire = &set};

	for (size_t i = 0; i < COPIES; i++) {
		values[i].inst = (int32_t)i;
		values[i].block_len = VALUE_BLOCK_MAX;
		values[i].block = block;
	}
	buffer_put(&t->out, "before", 6);
	assert_int_equal(result_encode(&t->out, PDU_RESULT, 0, 0, 0, &source, 1), PM_ERR_TOOBIG);
	assert_int_equal(t->out.len, 6);
	assert_int_equal(t->out.err, 0);
}

/* Every golden result, relayed whole, gives what plain encoding gives. */
static void golden_relayed(void **state)
{
	struct wire_test *t = *state;
	struct golden_set set;
	size_t relayed_count = 0;

	golden_load(&set);
	for (size_t i = 0; i < set.n; i++) {
		uint32_t type = load_be32(set.pdus[i].pdu + 4);
		const struct pdu_result *result = &t->body.result;
		struct result_source sources[16];
		struct buffer plain = BUFFER_INIT;

		if (type != PDU_RESULT && type != PDU_HIGHRES_RESULT)
			continue;
		assert_int_equal(wire_test_decode_bytes(t, set.pdus[i].pdu, set.pdus[i].len), 0);
		assert_true(result->numpmid <= ARRAY_SIZE(sources));
		for (uint32_t j = 0; j < result->numpmid; j++)
			sources[j] = (struct result_source){.kind = RESULT_WIRE,
							    .pmid = result->vsets[j].pmid,
							    .wire = &result->vsets[j]};
		buffer_reset(&t->out);
		assert_int_equal(result_encode(&t->out, type, 0, result->sec, result->frac, sources,
					       result->numpmid),
				 0);
		assert_int_equal(pdu_encode(&plain, type, 0, &t->body), 0);
		assert_int_equal(plain.len, t->out.len);
		assert_memory_equal(plain.data, t->out.data, plain.len);
		buffer_done(&plain);
		relayed_count++;
	}
	assert_true(relayed_count > 5);
	golden_free(&set);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(from_the_host),   WIRE_TEST(mixed_blocks),
	    WIRE_TEST(relayed),         WIRE_TEST(relayed_from_anywhere),
	    WIRE_TEST(bad_host_values), WIRE_TEST(bad_sources),
	    WIRE_TEST(too_big),         WIRE_TEST(golden_relayed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
