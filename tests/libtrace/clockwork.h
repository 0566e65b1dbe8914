/*
 * clockwork - CLOCK_MONOTONIC under a test's control: this program's own clock_gettime() replaces
 * the C library's, also for linked code. Other clocks are the machine's.
 */
#ifndef TESTS_LIBTRACE_CLOCKWORK_H
#define TESTS_LIBTRACE_CLOCKWORK_H

#include <stdint.h>

/* From now on a reading is a nanosecond after the one before, however long the machine takes. */
void clockwork_stop(void);
/* The machine's again. */
void clockwork_go(void);
/* Moves on one that was stopped. */
void clockwork_pass(uint64_t ns);
/* Something to do before each reading; NULL: nothing. */
void clockwork_each(void (*tick)(void));

#endif
