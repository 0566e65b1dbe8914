/* fake_timing - see fake_timing.h. */
#include "fake_timing.h"

#include <assert.h>
#include <stddef.h>

#include "daemons/pmlogger/timing.h"
#include "libbase/timespec.h"

enum { TIMERS_MAX = 64, DAY_MS = 86400000 };

static struct armed {
	uv_timer_t *timer; /* NULL: free */
	uv_timer_cb run;
	uint64_t due_ms, every_ms, order;
} timers[TIMERS_MAX];

static uint64_t boot_ms, armed_count;
static struct timespec wall;

static void move_wall(int64_t ms)
{
	int64_t nsec = wall.tv_nsec + ms % 1000 * TIMESPEC_NSEC_PER_MSEC;

	wall.tv_sec += ms / 1000;
	if (nsec >= TIMESPEC_NSEC) {
		wall.tv_sec++;
		nsec -= TIMESPEC_NSEC;
	} else if (nsec < 0) {
		wall.tv_sec--;
		nsec += TIMESPEC_NSEC;
	}
	wall.tv_nsec = nsec;
}

void fake_timing_begin(struct timespec now)
{
	for (size_t i = 0; i < TIMERS_MAX; i++)
		timers[i].timer = NULL;
	boot_ms = DAY_MS;
	wall = now;
}

/* Of timers that are due at the same time, the one that was armed first. */
static struct armed *first_due(uint64_t until_ms)
{
	struct armed *first = NULL;

	for (size_t i = 0; i < TIMERS_MAX; i++) {
		struct armed *a = &timers[i];

		if (a->timer == NULL || a->due_ms > until_ms)
			continue;
		if (first == NULL || a->due_ms < first->due_ms ||
		    (a->due_ms == first->due_ms && a->order < first->order))
			first = a;
	}
	return first;
}

void fake_timing_pass(uint64_t ms)
{
	uint64_t end_ms = boot_ms + ms;
	struct armed *a;

	while ((a = first_due(end_ms)) != NULL) {
		struct armed now = *a;

		move_wall((int64_t)(now.due_ms - boot_ms));
		boot_ms = now.due_ms;
		if (now.every_ms > 0)
			a->due_ms += now.every_ms;
		else
			a->timer = NULL;
		now.run(now.timer);
	}
	move_wall((int64_t)(end_ms - boot_ms));
	boot_ms = end_ms;
}

void fake_timing_set(int64_t by_ms)
{
	move_wall(by_ms);
}

/*
 * timing.h
 */

struct timespec timing_now(void)
{
	return wall;
}

uint64_t timing_boot_ms(void)
{
	return boot_ms;
}

uint64_t timing_loop_ms(const uv_loop_t *loop)
{
	return boot_ms;
}

void timing_arm(uv_timer_t *timer, uv_timer_cb run, uint64_t in_ms, uint64_t every_ms)
{
	size_t at = 0;

	timing_stop(timer);
	while (at < TIMERS_MAX && timers[at].timer != NULL)
		at++;
	assert(at < TIMERS_MAX);
	timers[at] = (struct armed){timer, run, boot_ms + in_ms, every_ms, armed_count++};
}

void timing_stop(uv_timer_t *timer)
{
	for (size_t i = 0; i < TIMERS_MAX; i++) {
		if (timers[i].timer == timer)
			timers[i].timer = NULL;
	}
}

void timing_close(uv_timer_t *timer, uv_close_cb closed)
{
	timing_stop(timer);
	uv_close((uv_handle_t *)timer, closed);
}
