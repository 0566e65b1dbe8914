/*
 * registry_dir - the directory in which the processes of a user find each other, and its files.
 *
 *     /dev/shm/pitot-UID     0700, owned by UID, not a symbolic link; else
 *     /run/user/UID/pitot    if there is a login session; else
 *     /dev/shm/pitot-UID.1   ... to .7
 * The environment never names it: controller and traced process must meet. Both take the first
 * place that has a directory of UID with that mode; if there is none, they make one in the first
 * free place. Any user can take names in /dev/shm before their owner does. Both processes skip such
 * names, because no user can make a directory that belongs to another. A hostile user can:
 *
 *     take a place, or free it, at any time: a directory in use is still found, because existing
 *         ones come before places where one could be made, and no other user can remove it
 *     do so while two processes make the first directory: makers take turns, by a lock on /dev/shm
 *     hold that lock, too: then each maker looks for another directory after it made its own, and
 *         removes its own again (registry_dir.c). If a third process uses one of the two by then,
 *         the processes of one directory do not see those of the other: traces stay empty until
 *         all processes of one of them have ended. No file is ever put into a stranger's directory
 *     take all the places: EPERM, and registry_dir_place() reports the first obstacle
 *
 * A file is complete before it gets its name, and the first process to name it wins. So there is no
 * lock, and a maker that dies leaves nothing. The name of a file gives its kind and its process.
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
	DIR_NAME = 64,  /* maximum length of a file's name */
	DIR_TRIES = 64, /* how often the removal of the directory may interfere */
};

enum dir_kind {
	DIR_OTHER,    /* unknown: left alone */
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

/* A descriptor of the user's directory: -ENOENT (and not `make`), -EPERM (another user owns it),
 * .... */
int registry_dir_open(uid_t uid, bool make);
/* Its path: 0; -ENOENT: the place where it could be made; -EPERM: the first obstacle, all places
 * are taken; -errno: the first place. ret_st: status of the existing file. */
int registry_dir_place(uid_t uid, char ret_path[DIR_NAME], struct stat *ret_st);
/* Removes it if it is empty. */
void registry_dir_remove(uid_t uid);

void registry_dir_name(char name[DIR_NAME], const struct proc_id *proc);
void registry_dir_family(char name[DIR_NAME], enum dir_kind kind, uint64_t id);

/* Makes an unnamed file of zeros, completely allocated, and names it after it was filled in: a
 * descriptor, -ENOSPC, ...; 0, -EEXIST (another process was first), -ENOENT (the directory was
 * removed). */
int registry_dir_make(int dir, size_t total);
int registry_dir_link(int fd, int dir, const char *name);

/* Allocates zeros up to a length of `total` bytes: 0, -ENOSPC, .... */
int registry_dir_grow(int fd, size_t total);

/* Opens a file for reading and writing: a descriptor; -ENOENT; -EINVAL if it is not a regular
 * file of that user. ret_size: its bytes. */
int registry_dir_file(int dir, const char *name, uid_t uid, size_t *ret_size);

/* Visits every entry, unordered, until visit returns a value other than 0: that value, 0, -errno.
 * */
typedef int (*dir_visit)(int dir, const struct dir_entry *entry, void *arg);
int registry_dir_list(int dir, dir_visit visit, void *arg);

/* The same in another user's directory, bounded: -EOVERFLOW after so many entries of any kind, or
 * so much time. */
int registry_dir_list_bounded(int dir, dir_visit visit, void *arg, unsigned entries, unsigned ms);

/* Visits each user's own directory below /dev/shm; bounded, as above. */
typedef int (*dir_user_visit)(uid_t uid, void *arg);
int registry_dir_users(dir_user_visit visit, void *arg);

#endif
