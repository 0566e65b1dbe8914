/*
 * Failures of a collector: it disconnects at any point, sends a wrong answer, answers late, or
 * sends too much. The answer to one request is never taken for that to another.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "calls.h"
#include "fake.h"
#include "libbase/cleanup.h"
#include "libbase/clock.h"

/* How the answer to each request is spoilt. */
struct spoil {
	size_t cut;                /* only so many bytes of the answer; SIZE_MAX: all */
	enum fake_verdict verdict; /* what happens after them */
	uint32_t type;             /* not 0: another PDU instead of the answer */
	int notices[20];           /* ERROR PDUs before it, up to a 0 */
	int twice;                 /* the answer comes again */
	size_t len;                /* of the whole answer: noted */
};

/* A well-formed PDU of a type. */
static void put_any(struct buffer *out, uint32_t type)
{
	const struct wire_str str = {"x", 1};
	const struct wire_inst inst = {1, {"x", 1}};
	const struct wire_vset vset = {.pmid = 1};
	const pmDesc desc = {.pmid = 1};
	const pmID pmid = 1;
	union pdu_body body;

	memset(&body, 0, sizeof(body));
	switch (type) {
	case PDU_RESULT:
	case PDU_HIGHRES_RESULT:
		body.result.numpmid = 1;
		body.result.vsets = &vset;
		break;
	case PDU_DESCS:
		body.descs.numdesc = 1;
		body.descs.descs = &desc;
		break;
	case PDU_INSTANCE:
		body.instance.numinst = 1;
		body.instance.insts = &inst;
		break;
	case PDU_PMNS_IDS:
		body.pmns_ids.numpmid = 1;
		body.pmns_ids.pmids = &pmid;
		break;
	case PDU_PMNS_NAMES:
		body.pmns_names.numname = 1;
		body.pmns_names.names = &str;
		break;
	case PDU_TEXT:
		body.text.text = str;
		break;
	default:
		break;
	}
	assert_int_equal(pdu_encode(out, type, 0, &body), 0);
}

struct fixture {
	struct fake fake;
	pthread_mutex_t lock;
	struct spoil spoil; /* guarded by lock */
	int handle;
};

/* How answers are spoilt from here on; the fake's threads read it. */
static void spoil_with(struct fixture *x, struct spoil spoil)
{
	pthread_mutex_lock(&x->lock);
	x->spoil = spoil;
	pthread_mutex_unlock(&x->lock);
}

static void spoil_nothing(struct fixture *x)
{
	spoil_with(x, (struct spoil){.cut = SIZE_MAX});
}

static struct spoil spoil_now(struct fixture *x)
{
	struct spoil spoil;

	pthread_mutex_lock(&x->lock);
	spoil = x->spoil;
	pthread_mutex_unlock(&x->lock);
	return spoil;
}

static enum fake_verdict spoil(struct fake *f, const struct pdu_header *h, const union pdu_body *q,
			       struct buffer *out)
{
	struct fixture *x = f->arg;
	struct spoil s = spoil_now(x);
	size_t before;

	if (h->type == PDU_CREDS || h->type == PDU_ATTR || h->type == PDU_PROFILE)
		return FAKE_SEND;
	for (int i = 0; s.notices[i] != 0; i++)
		pdu_encode_error(out, 0, s.notices[i]);
	before = buffer_pending(out);
	if (s.type != 0)
		put_any(out, s.type);
	else
		fake_answer(f, h, q, out);
	s.len = buffer_pending(out) - before;
	if (s.twice)
		fake_answer(f, h, q, out);
	if (s.cut < s.len)
		out->len = out->start + before + s.cut;
	spoil_with(x, s);
	return s.verdict == FAKE_USUAL ? FAKE_SEND : s.verdict;
}

/* clang-format off */
static const uint32_t replies[] = {
	PDU_ERROR, PDU_RESULT, PDU_HIGHRES_RESULT, PDU_DESC, PDU_DESCS, PDU_INSTANCE, PDU_TEXT,
	PDU_PMNS_IDS, PDU_PMNS_NAMES,
};
/* clang-format on */

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	x->fake.hook = spoil;
	x->fake.arg = x;
	pthread_mutex_init(&x->lock, NULL);
	x->spoil.cut = SIZE_MAX;
	fake_start(&x->fake);
	x->handle = fake_context(&x->fake);
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	pmDestroyContext(x->handle);
	fake_stop(&x->fake);
	free(x);
	return 0;
}

/* The connection is gone, says so, and can be made again. */
static void assert_lost(struct fixture *x, int (*call)(void))
{
	assert_int_equal(call(), PM_ERR_IPC);
	assert_int_equal(pmGetPMNSLocation(), PM_ERR_IPC);
	spoil_nothing(x);
	assert_int_equal(pmReconnectContext(x->handle), x->handle);
	assert_true(call() >= 0);
}

/* Every answer, ended after each of its bytes. */
static void test_cut_off(void **state)
{
	struct fixture *x = *state;

	for (size_t i = 0; i < ncalls; i++) {
		size_t len;

		print_message("%s\n", calls[i].name);
		assert_true(calls[i].call() >= 0);
		len = spoil_now(x).len;
		for (size_t cut = 0; cut < len; cut++) {
			spoil_with(x, (struct spoil){.cut = cut, .verdict = FAKE_HANG_UP});
			assert_int_equal(calls[i].call(), PM_ERR_IPC);
			assert_lost(x, calls[i].call);
		}
	}
}

static void test_wrong_type(void **state)
{
	struct fixture *x = *state;

	for (size_t i = 0; i < ncalls; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(replies); j++) {
			if (replies[j] == calls[i].reply)
				continue;
			spoil_with(x, (struct spoil){.cut = SIZE_MAX, .type = replies[j]});
			assert_int_equal(calls[i].call(), PM_ERR_IPC);
			assert_lost(x, calls[i].call);
		}
	}
}

/* State changes come before the values; all of them count. */
static void test_notices(void **state)
{
	struct fixture *x = *state;
	struct spoil many = {.cut = SIZE_MAX};

	spoil_with(x,
		   (struct spoil){.cut = SIZE_MAX, .notices = {PMCD_ADD_AGENT, PMCD_LABEL_CHANGE}});
	assert_int_equal(call_fetch(), PMCD_ADD_AGENT | PMCD_LABEL_CHANGE);
	spoil_nothing(x);
	assert_int_equal(call_fetch(), 0);
	/* Nothing else is preceded by one. */
	spoil_with(x, (struct spoil){.cut = SIZE_MAX, .notices = {PMCD_ADD_AGENT}});
	assert_int_equal(call_desc(), PM_ERR_IPC);
	assert_lost(x, call_desc);
	/* Values after an error are dropped. */
	spoil_with(x, (struct spoil){.cut = SIZE_MAX, .notices = {PMCD_DROP_AGENT, PM_ERR_AGAIN}});
	assert_int_equal(call_fetch(), PM_ERR_AGAIN);
	assert_lost(x, call_fetch);
	for (int i = 0; i < 19; i++)
		many.notices[i] = PMCD_ADD_AGENT;
	spoil_with(x, many);
	assert_int_equal(call_fetch(), PM_ERR_IPC);
	assert_lost(x, call_fetch);
}

/* An unrequested second answer is not the answer to the next request. */
static void test_unasked(void **state)
{
	struct fixture *x = *state;

	for (size_t i = 0; i < ncalls; i++) {
		spoil_with(x, (struct spoil){.cut = SIZE_MAX, .twice = 1});
		assert_true(calls[i].call() >= 0);
		spoil_nothing(x);
		assert_lost(x, calls[i].call);
	}
}

/* How long a call of `call` takes that times out: the least of some, for a busy machine delays. */
enum { ROUNDS = 5, TIMEOUT_MS = 1000, TWICE_MS = 1900 };

static uint64_t timed_out_ms(int (*call)(void))
{
	uint64_t start_ms = clock_mono_ms();

	assert_int_equal(call(), PM_ERR_TIMEOUT);
	return clock_mono_ms() - start_ms;
}

/* Half an answer and then nothing: the time-out covers the whole of it. */
static void test_silence(void **state)
{
	struct fixture *x = *state;
	static const size_t cuts[] = {0, 5, 12, 40};

	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		uint64_t ms = TWICE_MS + 1;

		for (int round = 0; ms > TWICE_MS && round < ROUNDS; round++) {
			spoil_with(x, (struct spoil){.cut = cuts[i], .verdict = FAKE_SILENCE});
			ms = timed_out_ms(call_fetch);
			assert_lost(x, call_fetch);
		}
		assert_in_range(ms, TIMEOUT_MS - 10, TWICE_MS);
	}
}

static enum fake_verdict drip(struct fake *f, const struct pdu_header *h, const union pdu_body *q,
			      struct buffer *out)
{
	static const struct timespec pause = {0, 300000000};

	if (h->type != PDU_PMNS_TRAVERSE)
		return h->type == PDU_CREDS ? FAKE_SEND : FAKE_USUAL;
	fake_answer(f, h, q, out);
	for (size_t i = 0; buffer_pending(out) > 0; i++) {
		if (send(f->fds[0], buffer_head(out), 1, MSG_NOSIGNAL) != 1)
			return FAKE_HANG_UP;
		buffer_consume(out, 1);
		nanosleep(&pause, NULL);
	}
	return FAKE_SEND;
}

/* A byte now and then does not start the clock again. */
static void test_drip(void **state)
{
	uint64_t ms = TWICE_MS + 1;

	for (int round = 0; ms > TWICE_MS && round < ROUNDS; round++) {
		struct fake fake = {.hook = drip};
		int handle;

		fake_start(&fake);
		handle = fake_context(&fake);
		ms = timed_out_ms(call_traverse);
		assert_int_equal(call_traverse(), PM_ERR_IPC);
		pmDestroyContext(handle);
		fake_stop(&fake);
	}
	assert_in_range(ms, TIMEOUT_MS - 10, TWICE_MS);
}

static enum fake_verdict late(struct fake *f, const struct pdu_header *h, const union pdu_body *q,
			      struct buffer *out)
{
	static const struct timespec pause = {2, 500000000}; /* the client waits for a second */

	if (h->type == PDU_DESC_REQ)
		nanosleep(&pause, NULL);
	return h->type == PDU_CREDS ? FAKE_SEND : FAKE_USUAL;
}

/* The late answer of one descriptor is not that of the next. */
static void test_late(void **state)
{
	struct fake fake = {.hook = late};
	pmDesc desc;
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), PM_ERR_TIMEOUT);
	sleep(2);
	assert_int_equal(pmLookupDesc(FAKE_LOAD, &desc), PM_ERR_IPC);
	assert_int_equal(pmReconnectContext(handle), handle);
	assert_int_equal(call_text(), 0);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

/* A server that is gone: no signal, one error. */
static void test_gone(void **state)
{
	struct fixture *x = *state;

	fake_stop(&x->fake);
	for (size_t i = 0; i < ncalls; i++)
		assert_int_equal(calls[i].call(), PM_ERR_IPC);
	fake_restart(&x->fake);
	assert_int_equal(pmReconnectContext(x->handle), x->handle);
	for (size_t i = 0; i < ncalls; i++)
		assert_true(calls[i].call() >= 0);
}

/* After fork the connection is the parent's; the child can have one of its own. */
static void test_fork(void **state)
{
	struct fixture *x = *state;
	int status;
	pid_t pid;

	assert_true(call_fetch() >= 0);
	pid = fork();
	if (pid == 0) {
		bool ok = call_fetch() == PM_ERR_IPC && pmGetPMNSLocation() == PM_ERR_IPC &&
			  pmReconnectContext(x->handle) == x->handle && call_fetch() >= 0;

		_exit(ok ? 0 : 1);
	}
	for (int i = 0; i < 20; i++)
		assert_true(call_fetch() >= 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(call_fetch() >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_cut_off, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_wrong_type, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_notices, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_unasked, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_silence, setup, teardown),
	    cmocka_unit_test(test_drip),
	    cmocka_unit_test(test_late),
	    cmocka_unit_test_setup_teardown(test_gone, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_fork, setup, teardown),
	};

	setenv("PMCD_REQUEST_TIMEOUT", "1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
