/* timing - see timing.h. */
#include "daemons/pmlogger/timing.h"

#include "libbase/clock.h"

struct timespec timing_now(void)
{
	return clock_now();
}

uint64_t timing_boot_ms(void)
{
	return clock_boot_ms();
}

uint64_t timing_loop_ms(const uv_loop_t *loop)
{
	return uv_now(loop);
}

void timing_arm(uv_timer_t *timer, uv_timer_cb run, uint64_t in_ms, uint64_t every_ms)
{
	uv_timer_start(timer, run, in_ms, every_ms);
}

void timing_stop(uv_timer_t *timer)
{
	uv_timer_stop(timer);
}

void timing_close(uv_timer_t *timer, uv_close_cb closed)
{
	uv_close((uv_handle_t *)timer, closed);
}
