/* registry_files - shared by registry.c, registry_files.c and registry_life.c. */
#ifndef LIBTRACE_REGISTRY_FILES_H
#define LIBTRACE_REGISTRY_FILES_H

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
struct registry_file *registry_map(int dir, const char *name, uid_t uid,
				   const struct proc_id *proc, void *at);

/* Makes the registry of another process, which finds it when it looks for its own: 0 (also if
 * another process was first), -errno. */
int registry_make_for(int dir, const struct proc_id *proc, uid_t uid);

/* The calling process's own registry, if it is in use: NULL before that, and in a child that was
 * made without fork handlers. */
struct registry_file *registry_own(void);

/* Visits the registries in a user's directory, mapped, until visit returns a value other than 0;
 * not the caller's private one. uid must be the caller's. */
int registry_walk_dir(uid_t uid, registry_visit visit, void *arg);

/* For streams of the caller's user; see registry.h. */
void registry_withdraw_here(uint64_t stream_id, uid_t uid);
void registry_set_running_here(uint64_t stream_id, uid_t uid, bool running);

#endif
