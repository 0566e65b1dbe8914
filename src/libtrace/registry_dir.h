/*
 * registry_dir - the directory where the processes of a user find each other, and the files in it.
 *
 *     /dev/shm/pitot-UID     0700, owned by UID, no symbolic link; else
 *     /run/user/UID/pitot    where there is a login session; else
 *     /dev/shm/pitot-UID.1   ... to .7
 *
 * Never named by the environment: controller and traced process must meet. Both take the first place
 * that has a directory of UID's with that mode; where there is none, they make one in the first place
 * that is free. Anybody may take names in /dev/shm before their owner does. What he puts there is
 * passed over by both, for nobody can make a directory that belongs to another user. He can:
 *
 *     take a place, or give it back, at any time: a directory that is in use is found all the same,
 *         because what is there comes before what could be made, and nobody else can remove it
 *     do so while two processes make the first directory: makers take turns, by a lock on /dev/shm
 *     hold that lock, too: then each maker looks for another directory after it made its own, and takes
 *         its own back (registry_dir.c). If a third process is in one of them by then, those of one
 *         directory do not see those of the other: traces stay empty, until the processes in one of
 *         both have ended. Nothing is ever put into a stranger's directory
 *     take all the places: EPERM, and registry_dir_place() tells what is in the way
 *
 * Files are complete when
 * they get their name, and whoever comes first wins; so there is no lock, and a maker that dies
 * leaves nothing. The names of files tell what they are, and of which process.
 * System calls only.
 */
#ifndef LIBTRACE_REGISTRY_DIR_H
#define LIBTRACE_REGISTRY_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "libtrace/layout.h"

enum {
	DIR_NAME = 64,	/* room for the name of a file */
	DIR_TRIES = 64, /* whoever leaves last removes the directory: how often that may come between */
};

enum dir_kind {
	DIR_OTHER, /* not ours to judge */
	DIR_REGISTRY, /* PID.START */
	DIR_FAMILY,   /* family.ID */
	DIR_FIELDS,   /* fields.ID */
	DIR_REMAINS,  /* remains.ID: see remains.h */
};

struct dir_entry {
	enum dir_kind kind;
	struct proc_id proc; /* DIR_REGISTRY */
	uint64_t family;     /* DIR_FAMILY, DIR_FIELDS; DIR_REMAINS: of the stream */
	char name[DIR_NAME];
};

/* A descriptor of the user's directory: -ENOENT (and not `make`), -EPERM (somebody else's), .... */
int registry_dir_open(uid_t uid, bool make);
/* Where it is: 0; -ENOENT: where it could be made; -EPERM: the first that is in the way, and all
 * places are taken; -errno: the first place. ret_st: of what is there. */
int registry_dir_place(uid_t uid, char ret_path[DIR_NAME], struct stat *ret_st);
/* Removes it if nothing is in it any more. */
void registry_dir_remove(uid_t uid);

void registry_dir_name(char name[DIR_NAME], const struct proc_id *proc);
void registry_dir_family(char name[DIR_NAME], enum dir_kind kind, uint64_t id);

/* Makes a file of zeros without a name, each byte allocated, and names it when it is filled in:
 * a descriptor, -ENOSPC, ...; 0, -EEXIST (somebody was first), -ENOENT (the directory is gone). */
int registry_dir_make(int dir, size_t total);
int registry_dir_link(int fd, int dir, const char *name);

/* Allocates zeros until the file has `total` bytes: 0, -ENOSPC, .... */
int registry_dir_grow(int fd, size_t total);

/* Opens a file for reading and writing: a descriptor; -ENOENT, -EINVAL when it is no plain file
 * of that user. ret_size: its bytes. */
int registry_dir_file(int dir, const char *name, uid_t uid, size_t *ret_size);

/* Visits every entry, in no order, until visit returns something else than 0: that, 0, -errno. */
typedef int (*dir_visit)(int dir, const struct dir_entry *entry, void *arg);
int registry_dir_list(int dir, dir_visit visit, void *arg);

/* The same in somebody else's directory: -EOVERFLOW after so many entries of any kind, or so long. */
int registry_dir_list_bounded(int dir, dir_visit visit, void *arg, unsigned entries, unsigned ms);

/* Visits each user's directory below /dev/shm that is that user's: as above, bounded. */
typedef int (*dir_user_visit)(uid_t uid, void *arg);
int registry_dir_users(dir_user_visit visit, void *arg);

#endif
