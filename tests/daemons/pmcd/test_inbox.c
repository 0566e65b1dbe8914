/* test_inbox - bytes into PDUs, however they arrive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmcd/inbox.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"

enum { SHARED = 256, CEILING = 128 };

struct fixture {
	int fds[2];
	uint8_t bytes[SHARED];
	struct inbox_memory shared;
	struct inbox in;
};

static int set_up(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	f.shared = (struct inbox_memory){f.bytes, sizeof(f.bytes)};
	if (pipe2(f.fds, O_NONBLOCK) < 0)
		return -1;
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	inbox_done(&f->in);
	close(f->fds[0]);
	if (f->fds[1] >= 0)
		close(f->fds[1]);
	return 0;
}

/* A PDU of len bytes whose body counts up. */
static size_t make(uint8_t *to, uint32_t len, uint32_t type)
{
	store_be32(to, len);
	store_be32(to + 4, type);
	store_be32(to + 8, 7);
	for (uint32_t i = PDU_HEADER_LEN; i < len; i++)
		to[i] = (uint8_t)i;
	return len;
}

static void check(const struct inbox_pdu *pdu, uint32_t len, uint32_t type)
{
	assert_int_equal(pdu->header.len, len);
	assert_int_equal(pdu->header.type, type);
	assert_int_equal(pdu->header.from, 7);
	for (uint32_t i = PDU_HEADER_LEN; i < len; i++)
		assert_int_equal(pdu->bytes[i], (uint8_t)i);
}

static long give(struct fixture *f, const void *bytes, size_t len)
{
	assert_int_equal(write(f->fds[1], bytes, len), len);
	return inbox_receive(&f->in, f->fds[0], &f->shared, SHARED);
}

static void test_whole(void **state)
{
	struct fixture *f = *state;
	uint8_t wire[200];
	struct inbox_pdu pdu;
	size_t n = make(wire, 20, 1);

	n += make(wire + n, 12, 2);
	assert_int_equal(give(f, wire, n), n);
	assert_int_equal(inbox_take(&f->in, CEILING, &pdu), 1);
	check(&pdu, 20, 1);
	assert_int_equal(inbox_take(&f->in, CEILING, &pdu), 1);
	check(&pdu, 12, 2);
	assert_int_equal(inbox_take(&f->in, CEILING, &pdu), 0);
	assert_int_equal(inbox_settle(&f->in), 0);
	assert_null(f->in.kept.data); /* an idle peer has no memory */
}

/* Two PDUs cut in two at every place, with the first taken or not before the wake ends. */
static void test_every_cut(void **state)
{
	struct fixture *f = *state;
	uint8_t wire[200];
	size_t n = make(wire, 40, 3);

	n += make(wire + n, 33, 4);
	for (size_t cut = 1; cut < n; cut++) {
		struct inbox_pdu pdu;
		unsigned int got = 0;

		give(f, wire, cut);
		while (inbox_take(&f->in, CEILING, &pdu) > 0)
			check(&pdu, got == 0 ? 40 : 33, 3 + got), got++;
		assert_int_equal(inbox_settle(&f->in), 0);
		give(f, wire + cut, n - cut);
		while (inbox_take(&f->in, CEILING, &pdu) > 0)
			check(&pdu, got == 0 ? 40 : 33, 3 + got), got++;
		assert_int_equal(inbox_settle(&f->in), 0);
		assert_int_equal(got, 2);
		assert_int_equal(inbox_pending(&f->in), 0);
	}
}

static void test_byte_by_byte(void **state)
{
	struct fixture *f = *state;
	uint8_t wire[64];
	struct inbox_pdu pdu;
	size_t n = make(wire, 50, 5);

	for (size_t i = 0; i + 1 < n; i++) {
		give(f, wire + i, 1);
		assert_int_equal(inbox_take(&f->in, CEILING, &pdu), 0);
		assert_int_equal(inbox_settle(&f->in), 0);
		assert_int_equal(inbox_pending(&f->in), i + 1);
	}
	give(f, wire + n - 1, 1);
	assert_int_equal(inbox_take(&f->in, CEILING, &pdu), 1);
	check(&pdu, 50, 5);
}

/* A PDU that was not taken in one wake-up is available in the next, without new bytes. */
static void test_left_over(void **state)
{
	struct fixture *f = *state;
	uint8_t wire[64];
	struct inbox_pdu pdu;
	size_t n = make(wire, 16, 6);

	n += make(wire + n, 16, 7);
	give(f, wire, n);
	assert_int_equal(inbox_take(&f->in, CEILING, &pdu), 1);
	assert_int_equal(inbox_settle(&f->in), 0);
	assert_int_equal(inbox_take(&f->in, CEILING, &pdu), 1);
	check(&pdu, 16, 7);
	assert_int_equal(inbox_settle(&f->in), 0);
}

static void test_refused(void **state)
{
	static const struct {
		uint32_t len, type;
		int want;
	} cases[] = {
	    {0, 1, PM_ERR_IPC},
	    {11, 1, PM_ERR_IPC},
	    {0x80000000u, 1, PM_ERR_IPC},
	    {CEILING + 1, 1, PM_ERR_TOOBIG},
	    {0x7fffffff, 1, PM_ERR_TOOBIG},
	    {12, 0x80000000u, PM_ERR_IPC},
	    {CEILING, 1, 0},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t head[PDU_HEADER_LEN] = {0};
		struct inbox_pdu pdu;

		store_be32(head, cases[i].len);
		store_be32(head + 4, cases[i].type);
		give(f, head, sizeof(head));
		assert_int_equal(inbox_take(&f->in, CEILING, &pdu), cases[i].want);
		inbox_done(&f->in);
	}
}

static void test_end_and_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(inbox_receive(&f->in, f->fds[0], &f->shared, SHARED), -EAGAIN);
	assert_int_equal(inbox_pending(&f->in), 0);
	close(f->fds[1]);
	f->fds[1] = -1;
	assert_int_equal(inbox_receive(&f->in, f->fds[0], &f->shared, SHARED), 0);
	assert_int_equal(inbox_receive(&f->in, -1, &f->shared, SHARED), -EBADF);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_whole, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_every_cut, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_byte_by_byte, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_left_over, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_end_and_nothing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
