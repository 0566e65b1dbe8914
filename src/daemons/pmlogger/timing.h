/*
 * timing - the times and the timers of the recorder: the only place that asks the system's clocks
 * and arms timers of the loop.
 *
 * A test of a file that depends on time links functions of its own instead of timing.c, so that it
 * sets the clocks and decides when a timer is due (tests/daemons/pmlogger/fake_timing.h).
 */
#ifndef PMLOGGER_TIMING_H
#define PMLOGGER_TIMING_H

#include <stdint.h>
#include <time.h>

#include <uv.h>

/* The time of day, for stamps. Any thread may call it. */
struct timespec timing_now(void);

/* Milliseconds since boot, which also pass while the machine is suspended. */
uint64_t timing_boot_ms(void);

/* The loop's time in milliseconds: that of its last wake-up. Deadlines of timers are compared with
 * it. */
uint64_t timing_loop_ms(const uv_loop_t *loop);

/* Calls run in in_ms, then each every_ms; 0: once. The timer is initialized. A timer that is armed
 * is armed again. */
void timing_arm(uv_timer_t *timer, uv_timer_cb run, uint64_t in_ms, uint64_t every_ms);
void timing_stop(uv_timer_t *timer);

/* Stops and closes a timer; closed, which may be NULL, is called as by uv_close. */
void timing_close(uv_timer_t *timer, uv_close_cb closed);

#endif
