/* command - see command.h. Static: the one command there is, and who waits for what. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <trace_np.h>

#include "collector.h"
#include "command.h"
#include "processes.h"
#include "scan.h"
#include "streams.h"

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

void command_run(void)
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

void command_await(uint64_t ms)
{
	struct timespec until = collector_after_ms(ms);

	if (ms > 0 && !command.pending)
		collector_wait(&asked, &until);
}

void command_wake(void)
{
	pthread_cond_signal(&asked);
}

void command_begin(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&asked, &attr);
	pthread_cond_init(&answered, &attr);
	pthread_condattr_destroy(&attr);
	served = true;
}

void command_end(void)
{
	command.pending = false;
	served = false;
}
