/*
 * registry_foreign - the registries of other users, for callers that may trace their processes (root).
 *
 * Root does not map a file that its user could truncate, and does not follow a path that the user could
 * redirect. So it reads such a file into private memory, and makes changes in a short-lived child that
 * has the user's rights. The child has no exit signal, so a wait() of the application does not see it. It
 * keeps root's real id, so its user can neither stop nor trace it. It is killed if the user's files keep
 * it busy for more than three seconds. System calls only.
 */
#ifndef LIBTRACE_REGISTRY_FOREIGN_H
#define LIBTRACE_REGISTRY_FOREIGN_H

#include <stdbool.h>
#include <sys/types.h>

#include "libtrace/registry.h"

/* Runs a function in a child with the effective id of a user: its result (int), -EPERM if the
 * caller cannot change to that id, -EIO if the child died, -ETIMEDOUT. */
int registry_foreign_run(uid_t uid, int (*run)(void *arg), void *arg);

int registry_foreign_open(const struct proc_id *proc, uid_t uid, bool make,
			  struct registry_file **ret);
/* Does a process of that user have its registry in the user's directory, and use it? */
bool registry_foreign_adopted(const struct proc_id *proc, uid_t uid);
/* Is a registry such a copy? Then also of which process of which user. */
bool registry_foreign_is(const struct registry_file *file, uid_t *ret_uid, struct proc_id *ret);
/* Forgets a copy; registry_close() unmaps it. */
void registry_foreign_close(const struct registry_file *file);

int registry_foreign_publish(const struct proc_id *proc, uid_t uid,
			     const struct registry_slot *slot);
/* As registry_walk(); -EOVERFLOW: there are more entries than root examines. */
int registry_foreign_walk(uid_t uid, registry_visit visit, void *arg);
void registry_foreign_withdraw(uint64_t stream_id, uid_t uid);
void registry_foreign_set_running(uint64_t stream_id, uid_t uid, bool running);

#endif
