/* worker - see worker.h. Static: the thread. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "collector.h"
#include "command.h"
#include "processes.h"
#include "scan.h"
#include "settings.h"
#include "streams.h"
#include "worker.h"

enum {
	SCAN_MS = 250, /* between two looks for processes, */
	SCAN_SHARE = 20, /* or so many times the processor time that one takes, */
	SCAN_MAX_MS = 2000, /* but no longer */
	TAKE_MS = 10, /* between two looks at a stream that has events */
	IDLE_MS = 40, /* at one that has none */
	RATE_MS = 1000,
};

static pthread_t thread;
static pid_t running_in; /* the process that has the thread; 0: none */
static bool stopping;

/* One round over the streams: ms until the next one. */
static uint64_t take_round(void)
{
	uint64_t now = collector_now_ms(), pause = SCAN_MS;

	collector_hold();
	for (struct stream *s = collector.streams; s != NULL; s = s->next) {
		unsigned int n = 0;

		if (!s->live)
			continue;
		if (now >= s->next_ms) {
			n = stream_take(s, COLLECTOR_SLICE, &collector.budget);
			s->pause_ms = n > 0 ? TAKE_MS
				      : s->pause_ms < IDLE_MS ? s->pause_ms + TAKE_MS
							      : IDLE_MS;
			s->next_ms = n == COLLECTOR_SLICE ? now : now + s->pause_ms;
			collector_step_back();
		}
		if (s->next_ms <= now)
			pause = 0;
		else if (s->next_ms - now < pause)
			pause = s->next_ms - now;
	}
	if (collector.budget.no_room_for_types) {
		collector_failed("more than %d event types, or a process with too many",
				 TRACING_TYPES_MAX);
		collector.budget.no_room_for_types = false;
	}
	collector_unlock();
	return pause;
}

static void once_a_second(uint64_t ms)
{
	collector_hold();
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		stream_rates(s, (double)ms / 1000);
	collector_unlock();
}

static void describe_all(void)
{
	collector_hold();
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		stream_describe(s);
	collector_unlock();
}

/* Sleeps; false when it is time to end. */
static bool nap(uint64_t ms)
{
	bool on;

	collector_hold();
	if (!stopping)
		command_await(ms);
	on = !stopping;
	collector_unlock();
	return on;
}

/* Looks for processes: ms until it is time again. Thousands of them must not keep us busy. */
static uint64_t look_around(void)
{
	uint64_t before = collector_spent_us(), ms;

	settings_look();
	scan_processes();
	describe_all();
	ms = (collector_spent_us() - before) * SCAN_SHARE / 1000;
	return ms < SCAN_MS ? SCAN_MS : ms > SCAN_MAX_MS ? SCAN_MAX_MS : ms;
}

static void *work(void *arg)
{
	uint64_t scanned = 0, rated = collector_now_ms(), pause, spacing = 0;

	do {
		uint64_t now = collector_now_ms();

		if (now - scanned >= spacing) {
			scanned = now;
			spacing = look_around();
		}
		if (now - rated >= RATE_MS) {
			once_a_second(now - rated);
			rated = now;
		}
		command_run();
		pause = take_round();
		now = collector_now_ms();
		if (scanned + spacing < now + pause)
			pause = scanned + spacing > now ? scanned + spacing - now : 0;
	} while (nap(pause));
	return NULL;
}

/* The thread takes no signals: they are the program's. */
int worker_start(void)
{
	sigset_t all, before;
	int r;

	if (running_in == getpid())
		return 0;
	command_begin();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, NULL, work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r == 0)
		running_in = getpid();
	else
		command_end();
	return -r;
}

void worker_stop(void)
{
	if (running_in != getpid())
		return;
	collector_hold();
	stopping = true;
	command_wake();
	collector_unlock();
	pthread_join(thread, NULL);
	stopping = false;
	running_in = 0;
	command_end();
	streams_done();
	processes_done();
	settings_done();
}
