/* processes - see processes.h. */
#include <stdlib.h>
#include <unistd.h>

#include "collector.h"
#include "processes.h"

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
