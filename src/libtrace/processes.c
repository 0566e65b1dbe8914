/*
 * processes - posix_trace_processes_np(): the processes that run with this library and that the
 * caller may trace; those of all users for callers that may trace all. posix_trace_place_np():
 * their directory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libtrace/family.h"
#include "libtrace/inherit.h"
#include "libtrace/proc.h"
#include "libtrace/registry.h"
#include "libtrace/registry_dir.h"

struct found {
	struct posix_trace_process_np *list;
	size_t n, room;
};

static struct posix_trace_process_np *found_add(struct found *f)
{
	struct posix_trace_process_np *grown;

	if (f->n == f->room) {
		f->room = f->room == 0 ? 64 : 2 * f->room;
		grown = realloc(f->list, f->room * sizeof(*f->list));
		if (grown == NULL)
			return NULL;
		f->list = grown;
	}
	return &f->list[f->n++];
}

static unsigned streams_of(struct registry_file *file)
{
	struct registry_slot slot;
	unsigned n = 0;

	for (int i = 0; i < REGISTRY_SLOTS; i++)
		n += registry_slot_read(&file->slots[i], &slot) && proc_alive(&slot.controller);
	return n;
}

static unsigned names_of(struct registry_file *file, uid_t uid)
{
	struct family *family;
	unsigned n;

	if (family_open(atomic_load(&file->family), uid, false, &family) < 0)
		return 0; /* it has opened no name yet */
	n = family_end(family) - LAYOUT_USER_FIRST;
	family_close(family);
	return n;
}

static void command_of(pid_t pid, char *command, size_t size)
{
	if (proc_read(pid, "comm", command, size) < 0)
		command[0] = '\0';
	command[strcspn(command, "\n")] = '\0';
}

static int add_one(struct registry_file *file, void *arg)
{
	struct found *f = arg;
	struct proc_id proc = file->proc;
	struct posix_trace_process_np *p;
	uid_t uid;

	/* A registry that a controller made says nothing about the process. */
	if (atomic_load(&file->adopted) == 0 || !proc_alive(&proc) ||
	    proc_may_trace(proc.pid, &uid) < 0)
		return 0;
	p = found_add(f);
	if (p == NULL)
		return ENOMEM;
	*p = (struct posix_trace_process_np){.pid = proc.pid,
					     .uid = uid,
					     .start_time = proc.start,
					     .streams = streams_of(file),
					     .event_types = names_of(file, uid)};
	command_of(proc.pid, p->command, sizeof(p->command));
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct posix_trace_process_np *p = a, *q = b;

	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

/* A process that changed its user may be in two directories; it uses one of them. */
static void unique(struct found *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct posix_trace_process_np *p = &f->list[i];
		struct posix_trace_process_np *last = n > 0 ? &f->list[n - 1] : NULL;

		if (last == NULL || last->pid != p->pid) {
			f->list[n++] = *p;
			continue;
		}
		if (last->streams < p->streams)
			last->streams = p->streams;
		if (last->event_types < p->event_types)
			last->event_types = p->event_types;
	}
	f->n = n;
}

int posix_trace_processes_np(struct posix_trace_process_np *list, size_t max, size_t *count)
{
	struct found f = {0};
	int r;

	inherit_ensure();
	r = registry_walk(proc_privileged() ? (uid_t)-1 : geteuid(), add_one, &f);
	if (r != ENOMEM) {
		if (f.n > 0)
			qsort(f.list, f.n, sizeof(*f.list), by_pid);
		unique(&f);
		if (f.n > 0 && max > 0)
			memcpy(list, f.list, (f.n < max ? f.n : max) * sizeof(*list));
		*count = f.n;
	}
	free(f.list);
	return r == ENOMEM ? ENOMEM : r == -EOVERFLOW ? EOVERFLOW : 0;
}

int posix_trace_place_np(uid_t uid, struct posix_trace_place_np *place)
{
	struct stat st = {0};
	char path[DIR_NAME];
	int r = registry_dir_place(uid, path, &st);

	_Static_assert(sizeof(path) <= sizeof(place->path), "a path fits");
	*place = (struct posix_trace_place_np){.owner = st.st_uid, .mode = st.st_mode};
	memcpy(place->path, path, sizeof(path));
	return r == -ENOENT ? 0 : -r;
}
