/*
 * worker - see worker.h. Static: the thread; the one command there is, and which thread waits for
 * which condition.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace_np.h>
#include <unistd.h>
#include <pcp/pmapi.h>

#include "collector.h"
#include "config.h"
#include "process.h"
#include "worker.h"

/* ---- attaches the processes that are to be, ends the streams of those gone ---- */

enum {
	TRIES_MAX = 8, /* to attach a process */
};

/* The decision to attach a process, by the configuration or its environment. */
static bool wants(const struct process *p, char wish[PROCESS_WISH], struct stream_options *o)
{
	const struct config_rule *rule;

	rule = settings_rule(p->user, p->command);
	if (rule != NULL) {
		*o = (struct stream_options){.only = rule->events != NULL ? rule->events : "",
					     .size = rule->size,
					     .policy = rule->policy,
					     .why = rule->text};
		return rule->attach;
	}
	if (p->uid != geteuid() || process_is_privileged(p->pid))
		return false;
	process_variable(p->pid, "PITOT_TRACE", wish, PROCESS_WISH);
	*o = (struct stream_options){.only = strcmp(wish, "1") == 0 ? "" : wish,
				     .policy = POSIX_TRACE_LOOP,
				     .why = "environment"};
	return wish[0] != '\0' && strcmp(wish, "0") != 0;
}

static void decide(struct process *p)
{
	char wish[PROCESS_WISH];
	struct stream_options o;

	p->decided = !wants(p, wish, &o) || streams_attach(p, &o) == 0 || ++p->tries >= TRIES_MAX;
}

static void end_those_gone(void)
{
	struct stream *s;
	uint64_t start;

	collector_hold();
	for (s = collector.streams; s != NULL; s = s->next) {
		const struct process *p = s->live ? processes_of(s->process.pid) : NULL;

		if (!s->live || (p != NULL && p->start == s->process.start))
			continue;
		/* A process that cannot be traced any more may live on: that is not its end. */
		if (process_start(s->process.pid, &start) == 0 && start == s->process.start)
			continue;
		streams_end(s, false);
	}
	streams_remove_old(collector_now_ms());
	collector_unlock();
}

/* Without the lock. */
static void scan_processes(void)
{
	static struct posix_trace_process_np list[TRACING_PROCESSES_MAX];
	size_t n = 0;
	int r = posix_trace_processes_np(list, TRACING_PROCESSES_MAX, &n);

	if (r == 0 || r == EOVERFLOW) {
		if (n > TRACING_PROCESSES_MAX || r == EOVERFLOW) {
			collector_lock();
			collector_failed("there are more processes than are looked at");
			collector_unlock();
		}
		processes_take(list, n < TRACING_PROCESSES_MAX ? n : TRACING_PROCESSES_MAX);
	}
	end_those_gone();
	for (size_t i = 0; i < collector.nprocesses; i++)
		if (!collector.processes[i]->decided)
			decide(collector.processes[i]);
}

/* ---- what users ask for ---- */

enum command_kind { COMMAND_NONE, COMMAND_ATTACH, COMMAND_DETACH };

struct command {
	enum command_kind kind;
	pid_t pid;
	uid_t who;
	char only[TRACING_TEXT];
	int result;
	bool pending;
};

static pthread_cond_t asked, answered; /* the thread waits; callers wait for it */
static bool served;                    /* there is a thread */
static struct command command;         /* pending, or answered */

/* One that is not listed may be traced all the same, before it has opened its first event type. */
static int unlisted(pid_t pid, struct process *ret)
{
	struct posix_trace_process_np p = {.pid = pid};
	struct process *made;
	int r = process_owner(pid, &p.uid);

	if (r == 0)
		r = process_start(pid, &p.start_time);
	made = r == 0 ? processes_new(&p) : NULL;
	if (made == NULL)
		return r < 0 ? r : -ENOMEM;
	*ret = *made;
	free(made);
	return 0;
}

static int run_attach(const struct command *c)
{
	struct stream_options o = {.only = c->only, .policy = POSIX_TRACE_LOOP, .why = "control"};
	const struct process *p;
	struct process made;
	int r = 0;

	scan_processes();
	p = processes_of(c->pid);
	if (p == NULL) {
		r = unlisted(c->pid, &made);
		p = &made;
	}
	if (r < 0)
		return r;
	if (!collector_permits(c->who, p->uid))
		return PM_ERR_PERMISSION;
	if (streams_of(p->pid, p->start) != NULL)
		return -EEXIST;
	r = streams_attach(p, &o);
	return r == -EPERM ? PM_ERR_PERMISSION : r;
}

static int run_detach(const struct command *c)
{
	struct stream *s;
	int r = -ESRCH;

	collector_lock();
	for (s = collector.streams; s != NULL; s = s->next)
		if (s->live && s->process.pid == c->pid)
			break;
	if (s != NULL)
		r = collector_permits(c->who, s->process.uid) ? 0 : PM_ERR_PERMISSION;
	if (r == 0)
		streams_end(s, true);
	collector_unlock();
	return r;
}

/* Without the lock: does what is asked. */
static void command_run(void)
{
	struct command c;
	int r;

	collector_hold();
	c = command;
	collector_unlock();
	if (!c.pending)
		return;
	r = c.kind == COMMAND_ATTACH ? run_attach(&c) : run_detach(&c);
	collector_hold();
	command.result = r;
	command.pending = false;
	pthread_cond_signal(&answered);
	collector_unlock();
}

static bool is_same(const struct command *a, const struct command *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->who == b->who &&
	       strcmp(a->only, b->only) == 0;
}

/* With the lock, which the thread gets while we wait. A caller that repeats a command under way
 * waits for that one. */
static int ask(const struct command *c)
{
	struct timespec until = collector_after_ms(collector.patience_ms);
	int r = 0;

	if (!served || (command.pending && !is_same(&command, c)))
		return PM_ERR_AGAIN;
	if (!command.pending) {
		command = *c;
		command.pending = true;
	}
	pthread_cond_signal(&asked);
	while (command.pending && r == 0)
		r = collector_wait(&answered, &until);
	return command.pending ? PM_ERR_AGAIN : command.result;
}

int command_attach(pid_t pid, const char *only, uid_t who)
{
	struct command c = {.kind = COMMAND_ATTACH, .pid = pid, .who = who};

	snprintf(c.only, sizeof(c.only), "%s", only);
	return ask(&c);
}

int command_detach(pid_t pid, uid_t who)
{
	struct command c = {.kind = COMMAND_DETACH, .pid = pid, .who = who};

	return ask(&c);
}

/* With the lock: sleeps until something is asked, or ms are over. */
static void command_await(uint64_t ms)
{
	struct timespec until = collector_after_ms(ms);

	if (ms > 0 && !command.pending)
		collector_wait(&asked, &until);
}

static void command_wake(void)
{
	pthread_cond_signal(&asked);
}

/* There is a thread. */
static void command_begin(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&asked, &attr);
	pthread_cond_init(&answered, &attr);
	pthread_condattr_destroy(&attr);
	served = true;
}

/* The thread has ended. */
static void command_end(void)
{
	command.pending = false;
	served = false;
}

/* ---- the thread ---- */

enum {
	SCAN_MS = 250,      /* between two looks for processes, */
	SCAN_SHARE = 20,    /* or so many times the processor time that one takes, */
	SCAN_MAX_MS = 2000, /* but no longer */
	TAKE_MS = 10,       /* between two looks at a stream that has events */
	IDLE_MS = 40,       /* at one that has none */
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
			s->pause_ms = n > 0                   ? TAKE_MS
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
