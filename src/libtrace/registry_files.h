/* registry_files - shared by the files registry*.c. */
#ifndef LIBTRACE_REGISTRY_FILES_H
#define LIBTRACE_REGISTRY_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "libtrace/registry.h"
#include "libtrace/registry_dir.h"

#define REGISTRY_VERSION 2

/* Operations on slots: each returns whether it changed anything; the caller updates the gate
 * (registry_changed()). */
void registry_slot_fill(struct registry_slot *slot, uint64_t id, const struct registry_slot *from);
bool registry_slot_remove(struct registry_slot *slot, uint64_t id);
bool registry_slot_run(struct registry_slot *slot, uint64_t id, bool running);
void registry_changed(struct registry_file *file);
/* Frees slots of dead controllers and claimers: returns whether there were any. */
bool registry_clean(struct registry_file *file);
/* registry_publish() in a mapped registry. */
int registry_publish_here(struct registry_file *file, const struct registry_slot *slot);

/* The id of the family whose first process this is. */
uint64_t registry_family_of(const struct proc_id *proc);

/* Maps a registry at an address (NULL: anywhere) and checks it: NULL if it is not proc's. */
struct registry_file *registry_map(int dir, const char *name, uid_t uid, const struct proc_id *proc,
				   void *at);

/* Makes the registry of another process, which finds it when it looks for its own: 0 (also if
 * another process was first), -errno. */
int registry_make_for(int dir, const struct proc_id *proc, uid_t uid);

/* The calling process's own registry, if it is in use: NULL before that, and in a child that was
 * made without fork handlers. */
struct registry_file *registry_own(void);
void registry_own_set(struct registry_file *file, const struct proc_id *self, bool named);
/* Does its file have a name, or is it private memory? */
bool registry_own_named(void);

/* Visits the registries in a user's directory, mapped, until visit returns a value other than 0;
 * not the caller's private one. uid must be the caller's. */
int registry_walk_dir(uid_t uid, registry_visit visit, void *arg);

/* registry_open(), ..._withdraw() and ..._set_running() for the caller's user; see registry.h. Not
 * for the caller's own registry. */
int registry_open_here(const struct proc_id *proc, uid_t uid, bool make,
		       struct registry_file **ret_file);
void registry_withdraw_here(uint64_t stream_id, uid_t uid);
void registry_set_running_here(uint64_t stream_id, uid_t uid, bool running);

/*
 * ---- registry_users.c ----
 *
 * The registries of other users, for callers that may trace their processes (root).
 * Root does not map a file that its user could truncate, and does not follow a path that the user
 * could redirect. So it reads such a file into private memory, and makes changes in a short-lived
 * child that has the user's rights. The child has no exit signal, so a wait() of the application
 * does not see it. It keeps root's real id, so its user can neither stop nor trace it. It is killed
 * if the user's files keep it busy for more than three seconds. System calls only.
 */

/* Runs a function in a child with the effective id of a user: its result (int), -EPERM if the
 * caller cannot change to that id, -EIO if the child died, -ETIMEDOUT. */
int registry_foreign_run(uid_t uid, int (*run)(void *arg), void *arg);

int registry_foreign_open(const struct proc_id *proc, uid_t uid, bool make,
			  struct registry_file **ret_file);
/* Does a process of that user have its registry in the user's directory, and use it? */
bool registry_foreign_adopted(const struct proc_id *proc, uid_t uid);
/* Is a registry such a copy? Then also of which process of which user. */
bool registry_foreign_is(const struct registry_file *file, uid_t *ret_uid, struct proc_id *ret_id);
/* Forgets a copy; registry_close() unmaps it. */
void registry_foreign_close(const struct registry_file *file);

int registry_foreign_publish(const struct proc_id *proc, uid_t uid,
			     const struct registry_slot *slot);
/* As registry_walk(); -EOVERFLOW: there are more entries than root examines. */
int registry_foreign_walk(uid_t uid, registry_visit visit, void *arg);
void registry_foreign_withdraw(uint64_t stream_id, uid_t uid);
void registry_foreign_set_running(uint64_t stream_id, uid_t uid, bool running);

#endif
