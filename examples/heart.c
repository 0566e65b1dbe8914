/*
 * heart - a program that records an event ten times a second; the README's tour traces it.
 *
 *     cc -o heart heart.c $(pkg-config --cflags --libs libtrace)
 *     PITOT_TRACE=1 ./heart
 */
#include <trace_np.h>
#include <unistd.h>

struct beat {
	unsigned int number;
	double pulse;
};

int main(void)
{
	static const struct posix_trace_field_np fields[] = {
	    {"number", POSIX_TRACE_FIELD_UINT_NP, offsetof(struct beat, number), 4, 0},
	    {"pulse", POSIX_TRACE_FIELD_FLOAT_NP, offsetof(struct beat, pulse), 8, 0},
	};
	trace_event_id_t beat;

	posix_trace_eventid_open("beat", &beat);
	posix_trace_eventid_describe_np(beat, fields, 2);
	for (struct beat b = {1, 60};; b.number++, b.pulse += 0.5) {
		posix_trace_event(beat, &b, sizeof(b));
		usleep(100000);
	}
}
