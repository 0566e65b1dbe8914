/*
 * trace_loop - the loop around a trace point that bench/trace_record.c and bench/lttng/record.c
 * share, so that both tracers are measured by the same clock in the same way.
 *
 *     PROGRAM THREADS BYTES EVENTS     prints "event NS", "empty NS", "rdtsc NS"
 *
 * Every thread is bound to its own processor if there are enough, records EVENTS events of BYTES
 * bytes, and reads its own processor time before and after; the figure is the mean of the threads.
 * The empty call uses a pointer that the compiler cannot resolve.
 */
#ifndef BENCH_TRACE_LOOP_H
#define BENCH_TRACE_LOOP_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOP_THREADS_MAX = 8, LOOP_BYTES_MAX = 256 };

struct loop {
	void (*record)(const unsigned char *data); /* one event */
	long events;
	int processor;
	pthread_barrier_t *start;
	double ns; /* an event */
};

static inline double loop_thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static inline void *loop_run(void *arg)
{
	struct loop *loop = arg;
	unsigned char data[LOOP_BYTES_MAX] __attribute__((aligned(16)));
	cpu_set_t set;
	double before;

	memset(data, 0x5a, sizeof(data));
	CPU_ZERO(&set);
	CPU_SET(loop->processor, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (long i = 0; i < loop->events / 10; i++)
		loop->record(data); /* first touches */
	pthread_barrier_wait(loop->start);
	before = loop_thread_ns();
	for (long i = 0; i < loop->events; i++) {
		memcpy(data, &i, sizeof(int));
		loop->record(data);
	}
	loop->ns = (loop_thread_ns() - before) / (double)loop->events;
	return NULL;
}

/* The mean ns of an event over the threads. */
static inline double loop_measure(void (*record)(const unsigned char *), int threads, long events)
{
	pthread_t ids[LOOP_THREADS_MAX];
	struct loop loops[LOOP_THREADS_MAX];
	pthread_barrier_t start;
	double sum = 0;

	pthread_barrier_init(&start, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++) {
		loops[i] = (struct loop){
		    .record = record,
		    .events = events,
		    .processor = i % (int)sysconf(_SC_NPROCESSORS_ONLN),
		    .start = &start,
		};
		pthread_create(&ids[i], NULL, loop_run, &loops[i]);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		sum += loops[i].ns;
	}
	pthread_barrier_destroy(&start);
	return sum / threads;
}

static inline void loop_empty(const unsigned char *data)
{
	__asm__ volatile("" : : "r"(data) : "memory");
}

static inline void loop_clock(const unsigned char *data)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("" : : "r"(__builtin_ia32_rdtsc()), "r"(data) : "memory");
#else
	struct timespec ts;

	(void)data;
	clock_gettime(CLOCK_MONOTONIC, &ts);
#endif
}

/* The lower bounds of the same run: a call that does nothing, and one that reads the counter. */
static inline void loop_print_floors(long events)
{
	printf("empty %.2f\n", loop_measure(loop_empty, 1, events));
	printf("rdtsc %.2f\n", loop_measure(loop_clock, 1, events));
}

#endif
