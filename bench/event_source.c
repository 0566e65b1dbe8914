/*
 * event_source - a program to trace: records events, whose number and rate it reads from standard
 * input, and prints the time that this took.
 *
 *     EVENTS A_SECOND      (0 a second: as fast as it can)
 *
 * It says "ready" first, and for each line: events recorded, begin and end in ns of
 * CLOCK_MONOTONIC, ns of processor time.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <trace_np.h>

enum { LOTS_A_SECOND = 2000, NS_A_SECOND = 1000000000 };

static trace_event_id_t tick;
static uint64_t number;

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * NS_A_SECOND + t.tv_nsec;
}

static void record(long events)
{
	for (long i = 0; i < events; i++, number++)
		posix_trace_event(tick, &number, sizeof(number));
}

/* Records in batches, each at its time: a sleep for every event would take longer than the
 * events. */
static void record_paced(long events, long a_second)
{
	int64_t begin = now_ns(CLOCK_MONOTONIC);
	long lot = a_second / LOTS_A_SECOND + 1;

	for (long done = 0; done < events;) {
		int64_t at = begin + (int64_t)((double)done * NS_A_SECOND / (double)a_second);
		struct timespec when = {at / NS_A_SECOND, at % NS_A_SECOND};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
		if (lot > events - done)
			lot = events - done;
		record(lot);
		done += lot;
	}
}

int main(void)
{
	static const struct posix_trace_field_np field = {"number", POSIX_TRACE_FIELD_UINT_NP, 0, 8,
							  0};
	long events, a_second;

	if (posix_trace_eventid_open("tick", &tick) != 0 ||
	    posix_trace_eventid_describe_np(tick, &field, 1) != 0)
		return 1;
	puts("ready");
	fflush(stdout);
	while (scanf("%ld %ld", &events, &a_second) == 2) {
		uint64_t before = number;
		int64_t begin = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);

		if (a_second > 0)
			record_paced(events, a_second);
		else
			record(events);
		cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		printf("%" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", number - before, begin,
		       now_ns(CLOCK_MONOTONIC), cpu);
		fflush(stdout);
	}
	return 0;
}
