/*
 * trace_log - a stream with a log, which is written while the stream runs, and read afterwards.
 *
 *     cc -o trace_log trace_log.c $(pkg-config --cflags --libs libtrace)
 *     ./trace_log /tmp/a.log
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace.h>
#include <unistd.h>

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(1);
}

/* Records 1,000 events of this process into a file. */
static void write_log(int fd)
{
	trace_event_id_t tick;
	trace_attr_t attr;
	trace_id_t trid;

	check(posix_trace_attr_init(&attr), "posix_trace_attr_init");
	posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND);
	check(posix_trace_create_withlog(0, &attr, fd, &trid), "posix_trace_create_withlog");
	check(posix_trace_start(trid), "posix_trace_start");
	check(posix_trace_eventid_open("tick", &tick), "posix_trace_eventid_open");
	for (int i = 0; i < 1000; i++)
		posix_trace_event(tick, &i, sizeof(i));
	check(posix_trace_flush(trid), "posix_trace_flush"); /* events up to here survive a crash */
	check(posix_trace_shutdown(trid), "posix_trace_shutdown");
}

/* Prints every event type in a log. */
static void print_types(trace_id_t log)
{
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id;
	int unavailable;

	while (posix_trace_eventtypelist_getnext_id(log, &id, &unavailable) == 0 && !unavailable) {
		if (posix_trace_eventid_get_name(log, id, name) == 0)
			printf("type %u is %s\n", id, name);
	}
}

/* Counts the events in a log. */
static long count_events(trace_id_t log)
{
	struct posix_trace_event_info event;
	size_t length;
	int unavailable;
	long n = 0;

	check(posix_trace_rewind(log), "posix_trace_rewind");
	while (posix_trace_getnext_event(log, &event, NULL, 0, &length, &unavailable) == 0 &&
	       !unavailable)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	trace_id_t log;

	if (fd < 0) {
		fprintf(stderr, "usage: trace_log FILE\n");
		return 2;
	}
	write_log(fd);
	check(posix_trace_open(fd, &log), "posix_trace_open");
	print_types(log);
	printf("%ld events\n", count_events(log));
	check(posix_trace_close(log), "posix_trace_close");
	close(fd);
	return 0;
}
