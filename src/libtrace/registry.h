/*
 * registry - which streams trace a process: one small file a process in a directory of its user,
 * mapped by the process itself (its first page is the gate of the record path) and by controllers.
 *
 *     /dev/shm/pitot-UID/PID.START     struct registry_file
 *
 * Who writes   slots: claimed by a controller (or a child that inherits) with a compare-and-swap of
 *              stream_id from 0, then filled in, then flags with release: LIVE makes it seen.
 *              gate, running: derived from the slots by registry_gate_update(), one compare-and-
 *              swap a word that begins before the slots are read: when it is done, the words are as
 *              new as the slots were when it began, and nobody ever puts older ones back.
 * Always true  the gate opens no later than registry_set_running() returns. What decides is ctl in
 *              the segment: a gate that is open for nothing costs the slow path.
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
enum {
	REGISTRY_SLOTS = TRACE_SYS_MAX
};

#define SLOT_CLAIM 0x8000000000000000u

enum {
	SLOT_BITS = 255u, /* of flags; above it: the tag */
	SLOT_LIVE = 1u,	     /* everything else is filled in */
	SLOT_RUNNING = 2u,   /* the record path must look at this stream */
	SLOT_INHERITED = 4u, /* children get it too */
	SLOT_COPY = 8u,	     /* taken over from a parent: another process is the stream's target */
};

/*
 * One stream of this process.
 *
 *     stream_id   0 free -> SLOT_CLAIM | claimer -> id -> 0
 *     flags       0      -> 0                    -> SLOT_... | tag of the id << 8 -> 0
 *
 * The claimer alone fills in what is between; whoever removes takes the flags first, and both by
 * compare-and-swap of the very stream: nobody removes, starts or stops another stream that got the
 * slot meanwhile. A claimer that dies leaves a claim that names it; a remover that dies leaves an
 * id without flags, which counts as removed and is collected when its controller is dead too.
 */
struct registry_slot {
	_Atomic uint64_t stream_id; /* 0: free */
	_Atomic uint32_t flags;
	int32_t fd; /* of the segment, in the holder */
	struct proc_id holder; /* whose /proc/PID/fd/FD it is: the keeper, or the controller */
	uint64_t inode;
	struct proc_id controller;
	uint64_t created; /* clock ticks after boot; registry_publish() fills it in */
	uint64_t door; /* 0: the holder's descriptor can be opened; else where to knock: door.h */
	_Atomic uint64_t missed; /* events that waited in vain for the process to map the stream */
};

/*
 * gate: 0 nothing runs; (slot + 1) * 64 only that slot runs; GATE_MANY several, see running[].
 */
#define GATE_MANY 0x80000000u

struct registry_file {
	union {
		struct {
			uint32_t gate;
			uint32_t epoch; /* counts changes of the gate */
		} word;
		_Atomic uint64_t both; /* as those who change it see it */
		_Atomic uint32_t gate; /* as the record path sees it */
	};
	uint64_t magic;
	uint32_t version;
	uint32_t pid_space; /* where proc is that process; 0: not known */
	struct proc_id proc;
	_Atomic uint64_t family; /* names its family file */
	_Atomic uint64_t running[REGISTRY_SLOTS / 32]; /* slots in the low half, epoch in the high */
	_Atomic uint32_t changes; /* counts changes of slots */
	_Atomic uint32_t adopted; /* the process itself has mapped it: after exec it is there already */
	_Atomic uint32_t in_flight; /* children that share the family and have no registry yet */
	_Atomic uint32_t shared;    /* another process has used this family too */
	_Alignas(LAYOUT_PAGE) struct registry_slot slots[REGISTRY_SLOTS];
};

/*
 * The registry of a process: mapped, made if it is missing and `make`: 0, -ENOENT, -ESRCH, -EPERM
 * (not the owner's directory), -ENOSPC, -ENOMEM, .... The user's directory is that of uid. The
 * caller's own is never missing. Another user's is a private picture of it (root maps nothing that
 * a user may cut off); what changes it is done in a child with that user's ids.
 */
int registry_open(const struct proc_id *proc, uid_t uid, bool make, struct registry_file **ret);
void registry_close(struct registry_file *file);

/*
 * The calling process's own: mapped over `at` (a page-aligned object of .bss) by MAP_FIXED. What
 * is there already (exec, or a controller came first) continues; a new one takes the INHERITED
 * slots of the caller's parent that are no younger than the caller (spawn). How many slots are
 * live. On failure (-errno) `at` becomes private memory, which is enough to trace oneself.
 */
int registry_adopt(struct registry_file *at);
/* At a normal end: removes the calling process's file, and what nobody else uses. */
void registry_abandon(void);

/* Publishes a stream in a free slot: its index, -EAGAIN when all are used. */
int registry_publish(struct registry_file *file, const struct registry_slot *slot);
/* Removes it from every process that has it. */
void registry_withdraw(uint64_t stream_id, uid_t uid);

/* A picture of a slot whose parts belong together: false when no stream is live in it. */
bool registry_slot_read(const struct registry_slot *slot, struct registry_slot *ret);

/* Sets or clears RUNNING of a stream in every process of the user that has it, and their gates. */
void registry_set_running(uint64_t stream_id, uid_t uid, bool running);
void registry_gate_update(struct registry_file *file);

/* Events of a stream that no process of the user could record for want of a mapping, so far. */
uint64_t registry_missed(uint64_t stream_id, uid_t uid);

/* Walks the registries of a user's processes (all users' when uid is -1 and allowed), dead ones
 * that nobody has swept included, until visit returns something else than 0: that, 0, -errno;
 * -EOVERFLOW: another user's directory holds more than is looked at, some may be missing. */
typedef int (*registry_visit)(struct registry_file *file, void *arg);
int registry_walk(uid_t uid, registry_visit visit, void *arg);

/* Live streams of a user; their controllers are alive. Sweeps first. */
unsigned registry_streams(uid_t uid);

/* Removes what dead processes left. */
void registry_sweep(uid_t uid);

/*
 * In a child after any fork: what lies at `own` is still the parent's registry; a new one takes its
 * place, with the INHERITED slots that are of the streams in ids[REGISTRY_SLOTS] (NULL: of any), at
 * the same indexes. How many, or -errno: as above.
 */
int registry_after_fork(struct registry_file *own, const uint64_t *ids);

#endif
