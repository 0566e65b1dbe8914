/*
 * trace_self - a program that traces itself: a stream in memory, read at the end.
 *
 *     cc -o trace_self trace_self.c $(pkg-config --cflags --libs libtrace)
 *     ./trace_self
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace_np.h>

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(1);
}

/* Prints all events of a stream, oldest first. */
static void print_events(trace_id_t trid)
{
	struct posix_trace_event_info event;
	char data[256], name[TRACE_EVENT_NAME_MAX + 1];
	size_t length;
	int unavailable;

	for (;;) {
		check(posix_trace_trygetnext_event(trid, &event, data, sizeof(data), &length,
						   &unavailable),
		      "posix_trace_trygetnext_event");
		if (unavailable)
			return;
		check(posix_trace_eventid_get_name(trid, event.posix_event_id, name),
		      "posix_trace_eventid_get_name");
		printf("%s: %zu bytes\n", name, length);
	}
}

/* Sets the attributes of a stream: its name, its size, and that it stops when it is full. */
static void set_attributes(trace_attr_t *attr)
{
	size_t size;

	check(posix_trace_attr_init(attr), "posix_trace_attr_init");
	posix_trace_attr_setname(attr, "self");
	posix_trace_attr_getmaxusereventsize(attr, 64, &size);
	posix_trace_attr_setstreamsize(attr, 1000 * size);
	posix_trace_attr_setstreamfullpolicy(attr, POSIX_TRACE_UNTIL_FULL);
}

int main(void)
{
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	trace_event_id_t work, noise;
	trace_event_set_t filter;
	trace_attr_t attr;
	trace_id_t trid;

	check(posix_trace_eventid_open("work", &work), "posix_trace_eventid_open");
	check(posix_trace_eventid_open("noise", &noise), "posix_trace_eventid_open");
	set_attributes(&attr);
	check(posix_trace_create(0, &attr, &trid), "posix_trace_create");
	posix_trace_attr_destroy(&attr);

	/* A filter contains the types that are not recorded. */
	posix_trace_eventset_empty(&filter);
	posix_trace_eventset_add(noise, &filter);
	check(posix_trace_set_filter(trid, &filter, POSIX_TRACE_SET_EVENTSET), "filter");

	check(posix_trace_start(trid), "posix_trace_start");
	for (int i = 0; i < 3; i++) {
		posix_trace_event(work, &i, sizeof(i));
		posix_trace_event(noise, NULL, 0);
	}
	check(posix_trace_stop(trid), "posix_trace_stop");

	print_events(trid);
	check(posix_trace_get_status(trid, &status), "posix_trace_get_status");
	if (status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN)
		puts("events were lost");
	check(posix_trace_get_counts_np(trid, &counts), "posix_trace_get_counts_np");
	printf("read %llu, lost %llu\n", (unsigned long long)counts.reported,
	       (unsigned long long)(counts.lost_full + counts.lost_overwritten));
	check(posix_trace_shutdown(trid), "posix_trace_shutdown");
	return 0;
}
