/*
 * traced - a program with trace points; docs/tracing.md explains it.
 *
 *     cc -o traced traced.c $(pkg-config --cflags --libs libtrace)
 *     pitot trace record -o traced.log -- ./traced 3
 *     pitot trace dump traced.log
 */
#include <stdlib.h>
#include <trace_np.h>

struct step {
	int number;
	double square;
};

int main(int argc, char **argv)
{
	static const struct posix_trace_field_np fields[] = {
	    {"number", POSIX_TRACE_FIELD_INT_NP, offsetof(struct step, number), sizeof(int), 0},
	    {"square", POSIX_TRACE_FIELD_FLOAT_NP, offsetof(struct step, square), sizeof(double),
	     0},
	};
	trace_event_id_t begin, step;

	posix_trace_eventid_open("begin", &begin);
	posix_trace_eventid_open("step", &step);
	posix_trace_eventid_describe_np(step, fields, 2);
	posix_trace_event(begin, "hello", 5);
	for (int i = 1; i <= (argc > 1 ? atoi(argv[1]) : 3); i++) {
		struct step s = {.number = i, .square = (double)i * i};

		posix_trace_event(step, &s, sizeof(s));
	}
	return 0;
}
