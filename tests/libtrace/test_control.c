/* test_control - the queue of control events against a model of it, in every position of its ring.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/control.h"

static struct geometry g;
static struct control *ctl;
static int fd;

static int open_control(void **state)
{
	struct layout_id id = {.stream_id = 7};

	assert_int_equal(geometry_make(65536, 256, POSIX_TRACE_LOOP, &g), 0);
	fd = control_create(&id, &g, true, &ctl);
	assert_true(fd >= 0);
	return 0;
}

static int close_control(void **state)
{
	control_unmap(ctl);
	close(fd);
	return 0;
}

static int put(uint64_t tick, uint32_t length, bool hidden, bool urgent)
{
	uint8_t data[2048];
	struct event event = {.id = 1 + tick % 8,
			      .pid = (int32_t)tick,
			      .address = tick * 3,
			      .length = length,
			      .data = data};

	memset(data, (int)(tick & 255), sizeof(data));
	return control_put(ctl, &g, tick, &event, hidden, urgent);
}

static void expect(uint64_t tick, uint32_t length, bool hidden)
{
	struct event event;
	uint64_t got;
	bool is_hidden;

	assert_true(control_peek(ctl, &g, &got, &event, &is_hidden));
	assert_int_equal(got, tick);
	assert_int_equal(is_hidden, hidden);
	assert_int_equal(event.length, hidden ? 0 : length);
	assert_int_equal(event.pid, (int32_t)tick);
	assert_int_equal(event.address, tick * 3);
	for (uint32_t i = 0; i < event.length; i++)
		assert_int_equal(((const uint8_t *)event.data)[i], tick & 255);
	control_take(ctl, &g);
}

static void keeps_order_and_bytes(void **state)
{
	uint32_t lengths[600];
	uint64_t in = 0, out = 0;

	srand(1);
	for (int step = 0; step < 20000; step++) {
		if (in - out < 600 && rand() % 2) {
			uint32_t length = (uint32_t)rand() % 1100;
			int r = put(in, length, in % 5 == 0, false);

			assert_true(r == 0 || r == -ENOSPC);
			lengths[in % 600] = length;
			in += r == 0;
		} else if (out < in) {
			expect(out, lengths[out % 600], out % 5 == 0);
			out++;
		}
	}
	while (out < in) {
		expect(out, lengths[out % 600], out % 5 == 0);
		out++;
	}
	assert_false(control_peek(ctl, &g, &in, &(struct event){0}, &(bool){false}));
}

static void keeps_a_reserve(void **state)
{
	uint64_t n = 0;

	while (put(n, 500, false, false) == 0)
		n++;
	/* stream-min-size worth of system events by their maximum size, at least. */
	assert_true(n * (500 + 128) >= 65536);
	assert_int_equal(put(n, 500, false, true), 0);
	assert_int_equal(put(n + 1, 500, false, true), 0);
	control_drop(ctl);
	assert_int_equal(put(n, 8, false, false), 0);
	expect(n, 8, false);
}

/* A keeper maps the same queue and goes on with it. */
static void outlives_its_mapping(void **state)
{
	assert_int_equal(put(5, 40, false, false), 0);
	control_unmap(ctl);
	assert_int_equal(control_map(fd, &ctl), 0);
	assert_int_equal(ctl->id.stream_id, 7);
	expect(5, 40, false);
}

static void refuses_another_memory(void **state)
{
	struct control *other;
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(control_map(pipes[0], &other), -EINVAL);
	close(pipes[0]);
	close(pipes[1]);
	ctl->magic = 0;
	assert_int_equal(control_map(fd, &other), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(keeps_order_and_bytes, open_control, close_control),
	    cmocka_unit_test_setup_teardown(keeps_a_reserve, open_control, close_control),
	    cmocka_unit_test_setup_teardown(outlives_its_mapping, open_control, close_control),
	    cmocka_unit_test_setup_teardown(refuses_another_memory, open_control, close_control),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
