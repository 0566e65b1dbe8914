/* scan - see scan.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <trace_np.h>

#include "collector.h"
#include "processes.h"
#include "scan.h"
#include "settings.h"
#include "streams.h"

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

void scan_processes(void)
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
