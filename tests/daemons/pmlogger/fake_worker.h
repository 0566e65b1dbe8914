/*
 * fake_worker - a collector in the hands of the test: group_fetch.h and worker.h without a thread
 * or a connection. It has a value for each metric, and no labels or texts. Answers come from
 * fake_worker_pass alone, at the time that fake_timing.h has. Link fake_worker.c into the test.
 */
#ifndef FAKE_WORKER_H
#define FAKE_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

enum { FAKE_FETCHES_MAX = 4096, FAKE_METRICS = 16 };

struct fake_worker {
	uint64_t delay_ms;    /* of the answer to a fetch */
	int err;              /* of fetches; 0: they have values */
	bool lost;            /* with err: the connection is gone */
	unsigned int changes; /* PMCD_* bits of each answer */
	unsigned int reconnects;
	/* The course of events. */
	uint64_t fetches_ms[FAKE_FETCHES_MAX]; /* when each began, since fake_worker_begin */
	size_t nfetch;
	size_t asked[FAKE_METRICS]; /* fetches of a metric, by its pmid modulo FAKE_METRICS */
	size_t questions;           /* jobs for labels, texts and domains */
	size_t checks;              /* jobs that look whether metrics have changed */
};

extern struct fake_worker fake_worker;

void fake_worker_begin(void);

/* Time passes, millisecond by millisecond; what is asked for is answered. */
void fake_worker_pass(uint64_t ms);

#endif
