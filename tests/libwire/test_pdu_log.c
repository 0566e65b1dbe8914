/* test_pdu_log - LOG_CONTROL, LOG_REQUEST, LOG_STATUS, LOG_STATUS_V2. */
#include "golden.h"
#include "wire_test.h"

static void control(void **state)
{
	static const char hex[] = "0000000c 00000002 000007d0 00000003"
				  "0740000a 00000001 ffffffff 00000000"
				  "07400005 00000000"
				  "07400006 ffffcfba";
	struct wire_test *t = *state;
	const struct wire_control_set *sets;

	assert_int_equal(wire_test_decode(t, PDU_LOG_CONTROL, hex), 0);
	assert_int_equal(t->body.log_control.control, 12);
	assert_int_equal(t->body.log_control.state, 2);
	assert_int_equal(t->body.log_control.delta_ms, 2000);
	assert_int_equal(t->body.log_control.numpmid, 3);
	sets = t->body.log_control.sets;
	assert_int_equal(sets[0].pmid, 0x0740000a);
	assert_int_equal(sets[0].numval, 1);
	assert_int_equal(sets[0].insts[0].inst, -1);
	assert_int_equal(sets[1].numval, 0);
	assert_null(sets[1].insts);
	assert_int_equal(sets[2].numval, PM_ERR_PMID);
	assert_null(sets[2].insts);
	wire_test_encode(t, PDU_LOG_CONTROL, &t->body, hex);
}

static void request(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_LOG_REQUEST, "00000002"), 0);
	assert_int_equal(t->body.log_request.request, 2);
	wire_test_encode(t, PDU_LOG_REQUEST, &t->body, "00000002");
}

#define STAMPS "00000001 00000000 00000002 00000003 ffffffff 00000004 00000005 00000001 00000006"
#define STATE  "00000001 00000007 00000002 00000003"

/* Seconds with the low word first; strings with their NUL, absent ones without. */
static void status(void **state)
{
	static const char hex[] =
	    STAMPS STATE "00000003 00000007 00000004 00000000 00000004 00000000"
			 "766d00 6c6f63616c3a00 55544300 55544300 7e7e";
	struct wire_test *t = *state;
	const struct pdu_log_status *s = &t->body.log_status;

	assert_int_equal(wire_test_decode(t, PDU_LOG_STATUS, hex), 0);
	assert_int_equal(s->start_sec, 1);
	assert_int_equal(s->start_nsec, 2);
	assert_int_equal(s->last_sec, (int64_t)0xffffffff00000003u);
	assert_int_equal(s->last_nsec, 4);
	assert_int_equal(s->now_sec, (1LL << 32) + 5);
	assert_int_equal(s->now_nsec, 6);
	assert_int_equal(s->state, 1);
	assert_int_equal(s->volume, 7);
	assert_int_equal(s->size, (2LL << 32) + 3);
	wire_test_str_equal(s->pmcd_host, "vm");
	wire_test_str_equal(s->fqdn, "local:");
	wire_test_str_equal(s->pmcd_tz, "UTC");
	wire_test_str_equal(s->logger_tz, "UTC");
	assert_int_equal(s->pmcd_zoneinfo.len, 0);
	assert_int_equal(s->logger_zoneinfo.len, 0);
	wire_test_encode(t, PDU_LOG_STATUS, &t->body, hex);
}

/* The bytes that a pmlogger of protocol 2 sent. */
static void status_v2(void **state)
{
	struct wire_test *t = *state;
	const struct pdu_log_status *s = &t->body.log_status;
	const struct golden *g;
	struct golden_set set;

	golden_load(&set);
	g = golden_get(&set, "LOG_STATUS_V2");
	assert_int_equal(wire_test_decode_bytes(t, g->pdu, g->len), 0);
	assert_int_equal(s->start_nsec, load_be32(g->pdu + 20) * 1000);
	assert_int_equal(s->now_sec, load_be32(g->pdu + 32));
	assert_int_equal(s->state, 1);
	assert_int_equal(s->volume, load_be32(g->pdu + 44));
	assert_int_equal(s->size, load_be64(g->pdu + 48));
	wire_test_str_equal(s->pmcd_host, "vm");
	wire_test_str_equal(s->fqdn, "local:");
	wire_test_str_equal(s->pmcd_tz, "UTC");
	wire_test_str_equal(s->logger_tz, "UTC");
	golden_free(&set);
}

/* A field of v2 holds what fits before its NUL; microseconds are cut, not rounded. */
static void status_v2_cut(void **state)
{
	static char name[200];
	struct wire_test *t = *state;
	union pdu_body body = {.log_status = {.now_nsec = 999999999}};

	memset(name, 'x', sizeof(name));
	body.log_status.pmcd_host = (struct wire_str){name, 63};
	body.log_status.fqdn = (struct wire_str){name, 64};
	body.log_status.pmcd_tz = (struct wire_str){name, 39};
	body.log_status.logger_tz = (struct wire_str){name, sizeof(name)};
	assert_int_equal(pdu_encode(&t->out, PDU_LOG_STATUS_V2, 0, &body), 0);
	assert_int_equal(t->out.len, 264);
	assert_int_equal(load_be32(t->out.data + 12), 0x7e7e7e7e);
	assert_int_equal(load_be32(t->out.data + 36), 999999);
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), 0);
	assert_int_equal(t->body.log_status.pmcd_host.len, 63);
	assert_int_equal(t->body.log_status.fqdn.len, 63);
	assert_int_equal(t->body.log_status.pmcd_tz.len, 39);
	assert_int_equal(t->body.log_status.logger_tz.len, 39);

	/* A field without a NUL, and a microsecond that is none. */
	t->out.data[56 + 63] = 'x';
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), PM_ERR_IPC);
	t->out.data[56 + 63] = 0;
	buffer_patch_u32(&t->out, 36, 1000000);
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), PM_ERR_IPC);
}

#define NO_STRINGS "00000000 00000000 00000000 00000000 00000000 "

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"no metric", PDU_LOG_CONTROL, "0000000c 00000002 000007d0 00000000", PM_ERR_IPC},
	    {"fewer than none", PDU_LOG_CONTROL,
	     "0000000c 00000002 000007d0 ffffffff 00000001 00000000", PM_ERR_IPC},
	    {"metric missing", PDU_LOG_CONTROL,
	     "0000000c 00000002 000007d0 00000002 00000001 00000000", PM_ERR_IPC},
	    {"instance missing", PDU_LOG_CONTROL,
	     "0000000c 00000002 000007d0 00000001 00000001 00000001", PM_ERR_IPC},
	    {"instances in the place of a metric", PDU_LOG_CONTROL,
	     "0000000c 00000002 000007d0 00000002 00000001 00000001 00000005 00000000", PM_ERR_IPC},
	    {"2^31-1 instances", PDU_LOG_CONTROL,
	     "0000000c 00000002 000007d0 00000001 00000001 7fffffff 00000000 00000000", PM_ERR_IPC},
	    {"string of 257", PDU_LOG_STATUS, STAMPS STATE NO_STRINGS "00000101", PM_ERR_IPC},
	    {"string below 0", PDU_LOG_STATUS, STAMPS STATE NO_STRINGS "ffffffff", PM_ERR_IPC},
	    {"string missing", PDU_LOG_STATUS, STAMPS STATE NO_STRINGS "00000004", PM_ERR_IPC},
	    {"string without NUL", PDU_LOG_STATUS, STAMPS STATE NO_STRINGS "00000004 61616161",
	     PM_ERR_IPC},
	    {"padding missing", PDU_LOG_STATUS, STAMPS STATE NO_STRINGS "00000002 6100",
	     PM_ERR_IPC},
	    {"a word too many", PDU_LOG_STATUS, STAMPS STATE NO_STRINGS "00000000 7e7e7e7e",
	     PM_ERR_IPC},
	    {"no string", PDU_LOG_STATUS, STAMPS STATE NO_STRINGS "00000000", 0},
	    {"an empty string", PDU_LOG_STATUS, STAMPS STATE NO_STRINGS "00000001 007e7e7e", 0},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

static void limits(void **state)
{
	static char name[PDU_LOG_STRING_MAX];
	struct wire_test *t = *state;
	union pdu_body body = {.log_status = {.fqdn = {name, PDU_LOG_STRING_MAX - 1}}};
	union pdu_body none = {.log_control = {.numpmid = 0}};

	assert_int_equal(pdu_encode(&t->out, PDU_LOG_STATUS, 0, &body), 0);
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), 0);
	assert_int_equal(t->body.log_status.fqdn.len, PDU_LOG_STRING_MAX - 1);
	body.log_status.fqdn.len++;
	wire_test_refuse(t, PDU_LOG_STATUS, &body, -EINVAL);
	wire_test_refuse(t, PDU_LOG_CONTROL, &none, -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(control),       WIRE_TEST(request),   WIRE_TEST(status), WIRE_TEST(status_v2),
	    WIRE_TEST(status_v2_cut), WIRE_TEST(malformed), WIRE_TEST(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
