/* test_stream - whole PDUs over descriptors: in pieces, truncated, too large, late, and unread. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/dbpmda/agent.h"

enum { SHORT_MS = 20 };

struct ends {
	struct stream s;
	int other;
};

static void open_ends(struct ends *e)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	stream_init(&e->s, fds[0], fds[0]);
	e->other = fds[1];
}

static void close_ends(struct ends *e)
{
	stream_done(&e->s);
	close(e->other);
}

static const uint8_t error_pdu[] = {0, 0, 0, 16, 0, 0, 0x70, 0, 0, 0, 0, 0, 0xff, 0xff, 0xcf, 0xc7};

static void test_pieces(void **state)
{
	struct pdu_header h;
	const uint8_t *pdu;
	struct ends e;

	open_ends(&e);
	for (size_t cut = 1; cut < sizeof(error_pdu); cut++) {
		assert_int_equal(write(e.other, error_pdu, cut), cut);
		assert_int_equal(stream_receive(&e.s, SHORT_MS / 10, &h, &pdu), PM_ERR_TIMEOUT);
		assert_int_equal(write(e.other, error_pdu + cut, sizeof(error_pdu) - cut),
				 sizeof(error_pdu) - cut);
		assert_int_equal(stream_receive(&e.s, STREAM_FOREVER, &h, &pdu), 1);
		assert_int_equal(h.type, PDU_ERROR);
		assert_memory_equal(pdu, error_pdu, sizeof(error_pdu));
	}
	for (int i = 0; i < 2; i++) /* two in one write */
		assert_int_equal(write(e.other, error_pdu, sizeof(error_pdu)), sizeof(error_pdu));
	assert_int_equal(stream_receive(&e.s, STREAM_FOREVER, &h, &pdu), 1);
	assert_int_equal(stream_receive(&e.s, STREAM_FOREVER, &h, &pdu), 1);
	assert_int_equal(write(e.other, error_pdu, 5), 5);
	shutdown(e.other, SHUT_WR);
	assert_int_equal(stream_receive(&e.s, STREAM_FOREVER, &h, &pdu), 0);
	close_ends(&e);
}

static void test_lengths(void **state)
{
	static const uint8_t lens[][4] = {
	    {0, 0, 0, 0}, {0, 0, 0, 11}, {0xff, 0xff, 0xff, 0xff}, {0x7f, 0, 0, 0}};
	struct pdu_header h;
	const uint8_t *pdu;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		uint8_t bytes[12] = {0};
		struct ends e;

		open_ends(&e);
		memcpy(bytes, lens[i], sizeof(lens[i]));
		assert_int_equal(write(e.other, bytes, sizeof(bytes)), sizeof(bytes));
		assert_int_equal(stream_receive(&e.s, SHORT_MS, &h, &pdu), PM_ERR_IPC);
		close_ends(&e);
	}
}

static void on_alarm(int sig)
{
	raise(SIGINT);
}

static void ring_soon(void)
{
	const struct itimerval soon = {.it_value = {.tv_usec = SHORT_MS * 1000}};

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
}

/* ^C ends the wait for an answer, and the wait for an agent that does not read. */
static void test_interrupts(void **state)
{
	static pmID pmids[100000];
	const union pdu_body body = {.fetch = {.numpmid = 100000, .pmids = pmids}};
	struct pdu_header h;
	const uint8_t *pdu;
	struct ends e;
	int r = 0;

	open_ends(&e);
	interrupt_begin();
	ring_soon();
	assert_int_equal(stream_receive(&e.s, STREAM_FOREVER, &h, &pdu), -EINTR);
	interrupt_begin();
	ring_soon();
	for (int i = 0; r == 0 && i < 1000; i++)
		r = stream_send(&e.s, PDU_FETCH, &body);
	assert_int_equal(r, -EINTR);
	interrupt_begin();
	assert_int_equal(stream_send(&e.s, PDU_FETCH, &body),
			 PM_ERR_IPC); /* half a PDU has been sent */
	interrupt_end();
	close_ends(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pieces),
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_interrupts),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
