/*
 * family_open - open families, the calling process's own one included, and add names through them;
 * see family.h. family.c has the table of names, family_fields.c the descriptions.
 */
#include "libtrace/family_table.h"

#include <string.h>

#include "libtrace/event.h"
#include "libtrace/proc.h"
#include "libtrace/registry_files.h"
#include "libtrace/sys.h"

/* ---- opening ---- */

static struct family *family_new(uint64_t id, uid_t uid)
{
	struct family *f = sys_map_anon(sizeof(*f));

	if (f == NULL)
		return NULL;
	f->id = id;
	f->uid = uid;
	f->table = (struct table_file){.kind = DIR_FAMILY,
				       .uid = uid,
				       .magic = FAMILY_MAGIC,
				       .id = id,
				       .first = FAMILY_FIRST,
				       .max = sizeof(struct family_file)};
	return f;
}

static void family_free(struct family *f)
{
	if (f == NULL)
		return;
	table_file_close(&f->table);
	family_close_fields(f);
	sys_unmap(f, sizeof(*f));
}

static int open_new(uint64_t id, uid_t uid, bool make, bool or_private, struct family **ret_family)
{
	struct family *f = family_new(id, uid);
	int r;

	if (f == NULL)
		return -ENOMEM;
	r = table_file_open(&f->table, make);
	if (r < 0 && or_private)
		r = table_file_private(&f->table);
	if (r < 0) {
		family_free(f);
		return r;
	}
	*ret_family = f;
	return 0;
}

/* The calling process's own family. */
static struct {
	_Atomic(struct family *) family;
	_Atomic int32_t pid;
} self;

static struct family *self_get(void)
{
	if (atomic_load_explicit(&self.pid, memory_order_acquire) != (int32_t)SYS(SYS_getpid))
		return NULL;
	return atomic_load_explicit(&self.family, memory_order_acquire);
}

struct family *family_own(void)
{
	struct family *f, *fresh, *none = NULL;
	struct registry_file *own;

	f = self_get();
	if (f != NULL)
		return f;
	own = registry_own();
	if (own == NULL || open_new(atomic_load(&own->family), geteuid(), true, true, &fresh) < 0)
		return NULL;
	if (!atomic_compare_exchange_strong(&self.family, &none, fresh)) {
		family_free(fresh); /* another thread was faster */
		return none;
	}
	atomic_store_explicit(&self.pid, (int32_t)SYS(SYS_getpid), memory_order_release);
	return fresh;
}

static int family_run_make(void *arg)
{
	struct family *f;

	return family_open(*(uint64_t *)arg, geteuid(), true, &f);
}

int family_open(uint64_t id, uid_t uid, bool make, struct family **ret_family)
{
	struct registry_file *own = registry_own();
	struct proc_id first = {.pid = (int32_t)(id & 0x3fffff), .start = id >> 22};
	int r = 0;

	if (own != NULL && atomic_load(&own->family) == id) {
		*ret_family = family_own();
		return *ret_family != NULL ? 0 : -ENOMEM;
	}
	if (uid != geteuid()) {
		if (open_new(id, uid, false, false, ret_family) == 0)
			return 0;
		/* As for its registry: see registry_open(). */
		if (!registry_foreign_adopted(&first, uid) &&
		    open_new(id, geteuid(), false, false, ret_family) == 0)
			return 0;
		if (make)
			r = registry_foreign_run(uid, family_run_make, &id);
	}
	return r < 0 ? r : open_new(id, uid, make, false, ret_family);
}

void family_close(struct family *f)
{
	if (f != self_get())
		family_free(f);
}

/* ---- the id of a name ---- */

static trace_event_id_t predefined_id(const char *name)
{
	if (strncmp(name, "posix_trace_", 12) != 0)
		return 0;
	for (trace_event_id_t id = 1; id <= POSIX_TRACE_UNNAMED_USEREVENT; id++)
		if (strcmp(name, event_predefined(id)) == 0)
			return id;
	return 0;
}

/* A name for the family of another user. */
struct request {
	struct family *family;
	const char *name;
};

static int family_run_add(void *arg)
{
	struct request *q = arg;
	struct family *f;
	trace_event_id_t id;
	int r = open_new(q->family->id, geteuid(), false, false, &f);

	if (r < 0)
		return r;
	r = family_id_of(f, q->name, &id);
	return r < 0 ? r : (int)id;
}

static int family_add_foreign(struct family *f, const char *name, trace_event_id_t *ret_id)
{
	struct request q = {f, name};
	trace_event_id_t id;
	int r;

	table_file_refresh(&f->table);
	id = family_find(f, name);
	if (id == 0) {
		r = registry_foreign_run(f->uid, family_run_add, &q);
		if (r < 0)
			return r;
		id = (trace_event_id_t)r;
		table_file_refresh(&f->table);
	}
	*ret_id = id;
	return 0;
}

int family_id_of(struct family *f, const char *name, trace_event_id_t *ret_id)
{
	trace_event_id_t id;
	int r;

	if (strnlen(name, TRACE_EVENT_NAME_MAX + 1) > TRACE_EVENT_NAME_MAX)
		return -ENAMETOOLONG;
	id = predefined_id(name);
	if (id == 0)
		id = family_find(f, name);
	if (id == 0) {
		r = f->table.mode == TABLE_PICTURE ? family_add_foreign(f, name, &id)
						   : family_add(f, name, &id);
		if (r < 0) /* no id or no memory is left: reaching the limit is not an error */
			id = POSIX_TRACE_UNNAMED_USEREVENT;
	}
	*ret_id = id;
	return 0;
}

/* ---- fork ---- */

/* Adds the names of one family to an empty one, so that they get the same ids. */
static void copy_names(struct family *from, struct family *to)
{
	char name[TRACE_EVENT_NAME_MAX + 1];
	unsigned end = family_names_end(from);
	trace_event_id_t id;

	for (unsigned place = 0; place < end; place++)
		if (family_name_copy(from, place, name))
			family_add(to, name, &id);
	family_copy_fields(from, to);
}

/* Makes a new family with a copy of another's names, for a child that does not share its
 * parent's. */
static int family_copy(struct family *from, uid_t uid, struct family **ret_family, uint64_t *ret_id)
{
	struct proc_id me = proc_self();
	uint64_t id = registry_family_of(&me);
	int r = open_new(id, uid, true, true, ret_family);

	if (r < 0)
		return r;
	copy_names(from, *ret_family);
	*ret_id = id;
	return 0;
}

void family_after_fork(void)
{
	struct family *old = atomic_load(&self.family);
	struct registry_file *own = registry_own();
	struct family *fresh = NULL;
	uint64_t id;

	atomic_store(&self.pid, 0);
	if (old == NULL)
		return;
	if (own == NULL || atomic_load(&own->family) != old->id) {
		if (family_names_end(old) > 0)
			family_copy(old, geteuid(), &fresh, &id);
		/* A handler that forked may have interrupted a user of the old family: it stays,
		 * for this process only. */
		table_file_keep_from_children(&old->table);
		if (atomic_load(&old->fields) != NULL)
			table_file_keep_from_children(atomic_load(&old->fields));
		atomic_store(&self.family, fresh);
	}
	if (atomic_load(&self.family) != NULL)
		atomic_store_explicit(&self.pid, (int32_t)SYS(SYS_getpid), memory_order_release);
}
