/* streams - see collector.h: the table of processes, and the list of streams. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector.h"

/* ---- processes ---- */

struct process *processes_of(pid_t pid)
{
	for (size_t i = 0; i < collector.nprocesses; i++)
		if (collector.processes[i]->pid == pid)
			return collector.processes[i];
	return NULL;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *const *p = a, *const *q = b;

	return ((*p)->pid > (*q)->pid) - ((*p)->pid < (*q)->pid);
}

struct process *processes_new(const struct posix_trace_process_np *from)
{
	struct process *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->pid = from->pid;
	p->uid = from->uid;
	p->start = from->start_time;
	p->inst = -1;
	process_take_command(p, from->command);
	process_user(p->uid, p->user, sizeof(p->user));
	process_cgroup(p->pid, p->cgroup, sizeof(p->cgroup));
	return p;
}

/* The process of the table that this is, or a new one; the table is only changed by this thread. */
static struct process *find_or_new(const struct posix_trace_process_np *from)
{
	struct process key = {.pid = from->pid}, *k = &key, **found;

	found = collector.nprocesses == 0 ? NULL
					  : bsearch(&k, collector.processes, collector.nprocesses,
						    sizeof(struct process *), by_pid);
	return found != NULL && (*found)->start == from->start_time ? *found : processes_new(from);
}

/* The new table takes the old one's place. */
static void exchange(struct process **table, size_t n)
{
	struct process **old = collector.processes;
	size_t nold = collector.nprocesses;

	for (size_t i = 0; i < nold; i++)
		old[i]->found = false;
	for (size_t i = 0; i < n; i++)
		table[i]->found = true;
	collector.processes = table;
	collector.nprocesses = n;
	for (size_t i = 0; i < nold; i++)
		if (!old[i]->found) {
			collector.removals++;
			free(old[i]);
		}
	free(old);
}

void processes_take(const struct posix_trace_process_np *list, size_t n)
{
	struct process **table = malloc((n + 1) * sizeof(struct process *));
	size_t found = 0;

	if (table == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		if (list[i].pid != getpid() && (table[found] = find_or_new(&list[i])) != NULL)
			found++;
	collector_hold();
	exchange(table, found);
	for (size_t i = 0, k = 0; i < found; i++) {
		while (list[k].pid != table[i]->pid)
			k++;
		table[i]->event_types = list[k].event_types;
		table[i]->streams = list[k].streams;
		table[i]->uid = list[k].uid;
		process_take_command(table[i], list[k].command);
	}
	collector_unlock();
}

void processes_done(void)
{
	for (size_t i = 0; i < collector.nprocesses; i++)
		free(collector.processes[i]);
	free(collector.processes);
	collector.processes = NULL;
	collector.nprocesses = 0;
}

/* ---- streams ---- */

enum {
	END_MS = 500, /* that the last events may take */
	LINGER_MAX_S = 600,
};

struct stream *streams_of(pid_t pid, uint64_t start)
{
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		if (s->live && s->process.pid == pid && s->process.start == start)
			return s;
	return NULL;
}

static void mark_attached(const struct stream *s, bool attached)
{
	struct process *p = processes_of(s->process.pid);

	if (p != NULL && p->start == s->process.start)
		p->attached = attached;
}

/* The queue of a stream that ends is released by the owner of the queues. */
static void leave_queue(int queue)
{
	if (queue < 0)
		return;
	if (collector.nqueues == collector.queues_room) {
		size_t room = collector.queues_room == 0 ? 16 : 2 * collector.queues_room;
		int *grown = realloc(collector.queues, room * sizeof(int));

		if (grown == NULL)
			return; /* it stays, and is empty one day */
		collector.queues = grown;
		collector.queues_room = room;
	}
	collector.queues[collector.nqueues++] = queue;
}

static void remove_stream(struct stream **at)
{
	struct stream *s = *at;

	*at = s->next;
	leave_queue(s->queue);
	collector.budget.used -= s->ring.cap + s->recent.cap + s->queue_held;
	collector.budget.types -= s->ntypes - 1;
	collector.nstreams--;
	collector.removals++;
	stream_free(s);
}

/* Where a stream is that may go: the oldest that has ended, which is the last one; or NULL. */
static struct stream **oldest_ended(void)
{
	struct stream **found = NULL;

	for (struct stream **at = &collector.streams; *at != NULL; at = &(*at)->next)
		if (!(*at)->live)
			found = at;
	return found;
}

static bool has_had_its_time(const struct stream *s, uint64_t now)
{
	uint64_t since = now - s->ended_ms, linger = (uint64_t)collector.linger_s * 1000;

	if (s->live)
		return false;
	if (s->queue_bytes > 0 || ring_used(&s->ring) > 0)
		return since >= (uint64_t)LINGER_MAX_S * 1000;
	return s->detached || since >= linger;
}

void streams_remove_old(uint64_t now)
{
	struct stream **at = &collector.streams;

	while (*at != NULL)
		if (has_had_its_time(*at, now))
			remove_stream(at);
		else
			at = &(*at)->next;
}

/* A process has one stream at a time: what is left of an earlier one goes. */
static void add_stream(struct stream *s)
{
	static unsigned int serials;
	struct stream **at = &collector.streams;

	while (*at != NULL)
		if ((*at)->process.pid == s->process.pid &&
		    (*at)->process.start == s->process.start)
			remove_stream(at);
		else
			at = &(*at)->next;
	while (collector.nstreams >= TRACING_STREAMS_MAX && (at = oldest_ended()) != NULL) {
		if ((*at)->queue_bytes > 0 || ring_used(&(*at)->ring) > 0)
			collector_failed("process %d (%s): its last events had to go",
					 (int)(*at)->process.pid, (*at)->process.command);
		remove_stream(at);
	}
	s->serial = serials++;
	s->interest = collector.watched;
	s->next = collector.streams;
	collector.streams = s;
	collector.nstreams++;
	collector.nlive++;
	stream_look(s);
	mark_attached(s, true);
}

/* p may be of the table, where a request numbers it with the lock: it is copied with the lock. */
int streams_attach(const struct process *p, const struct stream_options *o)
{
	struct process copy;
	struct stream *s;
	bool full;
	int r;

	collector_hold();
	copy = *p;
	full = collector.nlive >= TRACING_LIVE_MAX;
	collector_unlock();
	r = full ? -EAGAIN : stream_attach(&copy, o, &s);
	collector_lock();
	if (r < 0) {
		collector.attach_errors++;
		collector_failed("process %d (%s): cannot attach: %s", (int)p->pid, p->command,
				 full ? "too many streams" : strerror(-r));
	} else {
		add_stream(s);
	}
	collector_unlock();
	return r;
}

/* Takes out what is left; the process is gone, or is not to be read any more. */
static void drain_rest(struct stream *s)
{
	uint64_t until = collector_now_ms() + END_MS;
	const struct timespec moment = {0, 1000000};

	for (;;) {
		unsigned int n = stream_take(s, COLLECTOR_SLICE, &collector.budget);

		if (n == 0) {
			stream_look(s);
			if (stream_unread(s) == 0 || collector_now_ms() > until)
				return;
			collector_unlock();
			nanosleep(&moment, NULL);
			collector_hold();
		}
		collector_step_back();
	}
}

/* With the lock, which is given up meanwhile. */
void streams_end(struct stream *s, bool detached)
{
	if (detached)
		stream_run(s, false);
	drain_rest(s);
	stream_describe(s);
	stream_look(s);
	s->live = false;
	s->detached = detached;
	s->ended_ms = collector_now_ms();
	collector.nlive--;
	mark_attached(s, false);
	collector_unlock();
	stream_shutdown(s);
	collector_hold();
	stream_look(s);
}

void streams_done(void)
{
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		if (s->live)
			stream_shutdown(s);
	while (collector.streams != NULL)
		remove_stream(&collector.streams);
	collector.nlive = 0;
}
