/*
 * trace_control - traces another process for a second; a short version of `pitot trace follow`.
 *
 *     cc -o trace_control trace_control.c $(pkg-config --cflags --libs libtrace)
 *     ./trace_control PID [EVENT]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trace_np.h>

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(1);
}

/* Records only one type: the filter excludes all others. */
static void only(trace_id_t trid, const char *name)
{
	trace_event_set_t all;
	trace_event_id_t id;

	check(posix_trace_trid_eventid_open(trid, name, &id), "posix_trace_trid_eventid_open");
	posix_trace_eventset_fill(&all, POSIX_TRACE_ALL_EVENTS);
	posix_trace_eventset_del(id, &all);
	check(posix_trace_set_filter(trid, &all, POSIX_TRACE_SET_EVENTSET), "filter");
}

/* Prints each event until the given time. */
static void follow(trace_id_t trid, const struct timespec *until)
{
	struct posix_trace_event_info event;
	char data[256], name[TRACE_EVENT_NAME_MAX + 1];
	size_t length;
	int unavailable, error;

	while ((error = posix_trace_timedgetnext_event(trid, &event, data, sizeof(data), &length,
						       &unavailable, until)) != ETIMEDOUT) {
		check(error == EINTR ? 0 : error, "posix_trace_timedgetnext_event");
		if (unavailable)
			continue;
		check(posix_trace_eventid_get_name(trid, event.posix_event_id, name), "name");
		printf("%ld.%09ld %d/%d %s\n", (long)event.posix_timestamp.tv_sec,
		       event.posix_timestamp.tv_nsec, (int)event.posix_pid,
		       (int)posix_trace_event_tid_np(&event), name);
	}
}

/* Prints the processes that can be traced. */
static void list(void)
{
	struct posix_trace_process_np processes[100];
	size_t n;

	check(posix_trace_processes_np(processes, 100, &n), "posix_trace_processes_np");
	for (size_t i = 0; i < n && i < 100; i++)
		printf("%d %s\n", (int)processes[i].pid, processes[i].command);
}

int main(int argc, char **argv)
{
	struct timespec until;
	trace_attr_t attr;
	trace_id_t trid;

	if (argc < 2) {
		list();
		return 0;
	}
	check(posix_trace_attr_init(&attr), "posix_trace_attr_init");
	posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED);
	check(posix_trace_create(atoi(argv[1]), &attr, &trid), "posix_trace_create");
	if (argc > 2)
		only(trid, argv[2]);
	check(posix_trace_start(trid), "posix_trace_start");
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	follow(trid, &until);
	check(posix_trace_shutdown(trid), "posix_trace_shutdown");
	return 0;
}
