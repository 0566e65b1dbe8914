/*
 * registry - the streams that trace a process: one small file per process in a directory of its
 * user. The process maps it (its first page has the gate of the record path), and so do
 * controllers.
 *
 *     /dev/shm/pitot-UID/PID.START     struct registry_file
 *
 * Writers      slots: a controller (or a child that inherits) claims one with a compare-and-swap of
 *              stream_id from 0, fills it in, then stores flags; LIVE makes it visible. gate,
 *              running: registry_gate_update() derives them from the slots, with one
 *              compare-and-swap per word from a value that was read before the slots. So a word is
 *              never replaced by one that was derived from older slots.
 * Invariants   The gate is open when registry_set_running() returns. ctl in the segment decides: an
 *              open gate without a running stream costs the slow path, nothing else.
 * System calls only, no malloc: a constructor, a fork handler and the keeper use it too.
 */
#ifndef LIBTRACE_REGISTRY_H
#define LIBTRACE_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libtrace/layout.h"

#define REGISTRY_MAGIC 0x3147455254495001u
enum { REGISTRY_SLOTS = TRACE_SYS_MAX };

#define SLOT_CLAIM 0x8000000000000000u

enum {
	SLOT_BITS = 255u,    /* part of flags; above it: the tag */
	SLOT_LIVE = 1u,      /* all other fields are filled in */
	SLOT_RUNNING = 2u,   /* the record path must look at this stream */
	SLOT_INHERITED = 4u, /* children inherit it */
	SLOT_COPY = 8u,      /* inherited from a parent: another process is the stream's target */
};

/*
 * One stream of this process.
 *
 *     stream_id   0 free -> SLOT_CLAIM | claimer -> id -> 0
 *     flags       0      -> 0                    -> SLOT_... | tag of the id << 8 -> 0
 * Only the claimer fills in the fields between the two. To remove a stream, a process clears the
 * flags first, then the id, both by compare-and-swap from the values of that stream: so no
 * operation hits another stream that got the slot meanwhile. A claimer that dies leaves a claim
 * that names it. A remover that dies leaves an id without flags, which counts as removed and is
 * collected when its controller is dead too.
 */
struct registry_slot {
	_Atomic uint64_t stream_id; /* 0: free */
	_Atomic uint32_t flags;
	int32_t fd;            /* number of the segment's descriptor in the holder */
	struct proc_id holder; /* the process of /proc/PID/fd/FD: the keeper, or the controller */
	uint64_t inode;
	struct proc_id controller;
	uint64_t created; /* clock ticks after boot; registry_publish() fills it in */
	uint64_t handoff; /* 0: open the holder's descriptor; else a socket's number: handoff.h */
	_Atomic uint64_t missed; /* events lost because the process could not map the stream */
};

/*
 * gate: 0 nothing runs; (slot + 1) * 64 only that slot runs; GATE_MANY several run, see running[].
 */
#define GATE_MANY 0x80000000u

struct registry_file {
	union {
		struct {
			uint32_t gate;
			uint32_t epoch; /* counts changes of the gate */
		} word;
		_Atomic uint64_t both; /* for the processes that change it */
		_Atomic uint32_t gate; /* for the record path */
	};
	uint64_t magic;
	uint32_t version;
	uint32_t pid_space; /* name space in which proc is that process; 0: unknown */
	struct proc_id proc;
	_Atomic uint64_t family; /* id of its family file */
	_Atomic uint64_t
	    running[REGISTRY_SLOTS / 32]; /* slots in the low half, epoch in the high */
	_Atomic uint32_t changes;         /* counts changes of slots */
	_Atomic uint32_t adopted;   /* the process itself has mapped it; it stays set after exec */
	_Atomic uint32_t in_flight; /* children that share the family and have no registry yet */
	_Atomic uint32_t shared;    /* another process has used this family too */
	_Alignas(LAYOUT_PAGE) struct registry_slot slots[REGISTRY_SLOTS];
};

/*
 * Maps the registry of a process, which is made if it is missing and `make`: 0, -ENOENT, -ESRCH,
 * -EPERM (not the owner's directory), -ENOSPC, -ENOMEM, .... uid: the user whose directory it is
 * in. The caller's own always exists. Another user's is a private copy (root does not map files
 * that a user may truncate); changes are made in a child with that user's ids.
 */
int registry_open(const struct proc_id *proc, uid_t uid, bool make,
		  struct registry_file **ret_file);
void registry_close(struct registry_file *file);

/*
 * Maps the calling process's own registry over `at` (a page-aligned object of .bss) with MAP_FIXED.
 * An existing file (after exec, or made by a controller) continues. A new one takes the INHERITED
 * slots of the caller's parent that are not younger than the caller (spawn). Returns the number of
 * live slots. On failure (-errno) `at` becomes private memory, which is enough to trace the own
 * process.
 */
int registry_adopt(struct registry_file *at);
/* At a normal end: removes the calling process's file, and other files that no process uses. */
void registry_abandon(void);

/* Publishes a stream in a free slot: its index, or -EAGAIN if all are used. */
int registry_publish(struct registry_file *file, const struct registry_slot *slot);
/* Removes it from every process that has it. */
void registry_withdraw(uint64_t stream_id, uid_t uid);

/* A consistent copy of a slot: false if it has no live stream. */
bool registry_slot_read(const struct registry_slot *slot, struct registry_slot *ret_slot);

/* Sets or clears RUNNING of a stream in every process of the user that has it, and updates their
 * gates. */
void registry_set_running(uint64_t stream_id, uid_t uid, bool running);
void registry_gate_update(struct registry_file *file);

/* Events of a stream that processes of the user have lost so far because they could not map it. */
uint64_t registry_missed(uint64_t stream_id, uid_t uid);

/* Visits the registries of a user's processes (of all users if uid is -1 and permitted),
 * including those of dead processes that no sweep has removed, until visit returns a value other
 * than 0. Returns that value, 0, -errno; -EOVERFLOW: another user's directory is larger than the
 * limit, some may be missing. */
typedef int (*registry_visit)(struct registry_file *file, void *arg);
int registry_walk(uid_t uid, registry_visit visit, void *arg);

/* Number of a user's live streams with a living controller. Sweeps first. */
unsigned registry_streams(uid_t uid);

/* Removes files of dead processes. */
void registry_sweep(uid_t uid);

/*
 * In a child after any fork: `own` still maps the parent's registry. Replaces it by a new one with
 * the INHERITED slots of the streams in ids[REGISTRY_SLOTS] (NULL: of any stream), at the same
 * indexes. Returns their number, or -errno as above.
 */
int registry_after_fork(struct registry_file *own, const uint64_t *ids);

#endif
