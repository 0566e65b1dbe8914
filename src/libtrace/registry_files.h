/*
 * registry_files - what registry.c, registry_files.c and registry_life.c know of each other.
 */
#ifndef LIBTRACE_REGISTRY_FILES_H
#define LIBTRACE_REGISTRY_FILES_H

#include "libtrace/registry.h"
#include "libtrace/registry_dir.h"

#define REGISTRY_VERSION 2

/* Slots: each says whether it changed anything; gates are the caller's (registry_changed()). */
void registry_slot_fill(struct registry_slot *slot, uint64_t id, const struct registry_slot *from);
bool registry_slot_remove(struct registry_slot *slot, uint64_t id);
bool registry_slot_run(struct registry_slot *slot, uint64_t id, bool running);
void registry_changed(struct registry_file *file);
/* Frees slots of dead controllers and claimers: whether there were any. */
bool registry_clean(struct registry_file *file);
/* registry_publish() in a registry that is mapped. */
int registry_publish_here(struct registry_file *file, const struct registry_slot *slot);

/* The id of a family that a process is the first of. */
uint64_t registry_family_of(const struct proc_id *proc);

/* Maps a registry at an address (NULL: anywhere), checking it: NULL when it is none of proc's. */
struct registry_file *registry_map(int dir, const char *name, uid_t uid,
				   const struct proc_id *proc, void *at);

/* Makes the registry of another process, which will find it when it looks for its own: 0 (also when
 * somebody was first), -errno. */
int registry_make_for(int dir, const struct proc_id *proc, uid_t uid);

/* The calling process's own registry when it is in use: NULL before, and in a child that was made
 * without fork handlers. */
struct registry_file *registry_own(void);

/* Those in a user's directory, mapped, until visit gives something else than 0; not the caller's
 * private memory. uid must be the caller's. */
int registry_walk_dir(uid_t uid, registry_visit visit, void *arg);

/* Streams of one's own user; see registry.h. */
void registry_withdraw_here(uint64_t stream_id, uid_t uid);
void registry_set_running_here(uint64_t stream_id, uid_t uid, bool running);

#endif
