/*
 * registry_foreign - the registries of another user, for those who may trace his processes (root).
 *
 * Root maps no file that its user could cut off under it, and follows no path that he could turn.
 * So it reads such a file into private memory, and whatever changes one is done by a short-lived
 * child that has taken on the user's rights. The child is made without exit signal: no wait of the
 * application sees it; it keeps root's real id, so its user can neither stop nor trace it; what his
 * files make it do longer than three seconds is not waited for. System calls only.
 */
#ifndef LIBTRACE_REGISTRY_FOREIGN_H
#define LIBTRACE_REGISTRY_FOREIGN_H

#include <stdbool.h>
#include <sys/types.h>

#include "libtrace/registry.h"

/* Runs a function in a child whose effective id is that of a user: what it returns (int), -EPERM when
 * the caller cannot take it on, -EIO when the child died, -ETIMEDOUT. */
int registry_foreign_run(uid_t uid, int (*run)(void *arg), void *arg);

int registry_foreign_open(const struct proc_id *proc, uid_t uid, bool make,
			  struct registry_file **ret);
/* Whether a process of that user has its registry in his directory, and uses it. */
bool registry_foreign_adopted(const struct proc_id *proc, uid_t uid);
/* Whether a registry is such a picture, and then of which process of which user. */
bool registry_foreign_is(const struct registry_file *file, uid_t *ret_uid, struct proc_id *ret);
/* Forgets a picture; registry_close() unmaps it. */
void registry_foreign_close(const struct registry_file *file);

int registry_foreign_publish(const struct proc_id *proc, uid_t uid,
			     const struct registry_slot *slot);
/* As registry_walk(); -EOVERFLOW: more is there than root looks at. */
int registry_foreign_walk(uid_t uid, registry_visit visit, void *arg);
void registry_foreign_withdraw(uint64_t stream_id, uid_t uid);
void registry_foreign_set_running(uint64_t stream_id, uid_t uid, bool running);

#endif
