/*
 * record - the counterpart of bench/trace_record.c with LTTng-UST: see trace_loop.h.
 * bench/tracing.py creates the recording session, if any.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE

#include "pitot_bench.h"

#include "../trace_loop.h"

/* clang-format off */
#define RECORD(N)                                                                                  \
	__attribute__((noinline)) static void record##N(const unsigned char *data)             \
	{                                                                                          \
		lttng_ust_tracepoint(pitot_bench, bytes##N, data);                                 \
	}
/* clang-format on */
RECORD(4)
RECORD(16)
RECORD(64)
RECORD(256)

static const struct {
	int bytes;
	void (*record)(const unsigned char *data);
} sizes[] = {{4, record4}, {16, record16}, {64, record64}, {256, record256}};

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1, bytes = argc > 2 ? atoi(argv[2]) : 16;
	long events = argc > 3 ? atol(argv[3]) : 1000000;

	if (threads < 1 || threads > LOOP_THREADS_MAX || events < 10)
		return 2;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i].bytes != bytes)
			continue;
		printf("event %.2f\n", loop_measure(sizes[i].record, threads, events));
		loop_print_floors(events);
		return 0;
	}
	fprintf(stderr, "record: %d bytes: expected 4, 16, 64 or 256\n", bytes);
	return 2;
}
