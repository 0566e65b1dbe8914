/*
 * attach - the streams that record the calling process: per slot of its registry a mapping of the
 * segment, taken in the first slow path that meets a running slot and let go in the three layers
 * of docs/spec/trace-design.md 9. Writer side, signal-safe: system calls only.
 */
#ifndef LIBTRACE_ATTACH_H
#define LIBTRACE_ATTACH_H

#include "libtrace/registry.h"
#include "libtrace/segment.h"

/*
 * A stream as this process records into it. The mapping is taken away in three layers: the table
 * forgets it; memory of nobody is mapped over it, so that whoever is late stores there; the
 * addresses go when no thread has a cursor into it and none is in attach_slot()'s care.
 */
struct attached {
	struct segment seg;
	uint64_t stream_id;
	uint32_t slot;
	bool fast; /* its clock is the one that the fast path reads itself */
	struct attached *next; /* among those that are to go */
};

/* The gate: first word of the registry of this process, at a fixed address from the start on. */
extern struct registry_file trace_registry __attribute__((visibility("hidden")));

/* The stream in a slot, mapped now if need be; NULL: none, or it cannot be had: then the caller's
 * event is counted as LOST_ATTACH, in the segment as soon as there is one. The caller's block has
 * `users` above 0, as long as it works with the result or has not put it into a cursor. */
struct attached *attach_slot(unsigned slot);

/* The stream that is mapped for a slot, if any; used under the same rule. */
struct attached *attach_mapped(unsigned slot);

/* Whether nothing changed about the streams of this process since the last attach_slot(), nor about
 * this one: what a cursor has is what attach_slot() would give. */
bool attach_holds(const struct attached *a);

/* Lets go of every slot that the registry does not hold any more. Called by slow paths, and by
 * create and shutdown. */
void attach_refresh(void);

/* In a child after any kind of fork, found out by pid or by the fork handler. */
void attach_after_fork(void);

#endif
