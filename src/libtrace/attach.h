/*
 * attach - the streams that record the calling process: for each slot of its registry a mapping of
 * the segment. The first slow path that finds a running slot maps it; it is removed in the three
 * steps of docs/spec/trace-design.md 9. Writer side, signal-safe: system calls only.
 */
#ifndef LIBTRACE_ATTACH_H
#define LIBTRACE_ATTACH_H

#include "libtrace/registry.h"
#include "libtrace/segment.h"

/*
 * A stream as this process records into it. The mapping is removed in three steps. The table entry
 * is cleared. Private memory is mapped over the segment, so that late writers store there. The
 * address range is unmapped when no thread has a cursor into it and none is inside attach_slot().
 */
struct attached {
	struct segment seg;
	uint64_t stream_id;
	uint32_t slot;
	bool fast;             /* the fast path can read its clock */
	struct attached *next; /* in the list of mappings to be removed */
};

/* The registry of this process; the gate is its first word. Its address never changes. */
extern struct registry_file trace_registry __attribute__((visibility("hidden")));

/* The stream in a slot, mapped now if necessary. NULL: there is none, or it cannot be mapped;
 * then the caller's event is counted as LOST_ATTACH, in the segment once there is one. The
 * caller's block must have `users` above 0 until it no longer uses the result, or has put it into
 * a cursor. */
struct attached *attach_slot(unsigned slot);

/* The stream that is mapped for a slot, or NULL; the same rule applies. */
struct attached *attach_mapped(unsigned slot);

/* Have the streams of this process, and this one, not changed since the last attach_slot()? Then
 * a cursor has the stream that attach_slot() would return. */
bool attach_holds(const struct attached *a);

/* Removes the mapping of every slot that the registry no longer has. Called by slow paths, create
 * and shutdown. */
void attach_refresh(void);

/* In a child after any kind of fork, detected by pid or by the fork handler. */
void attach_after_fork(void);

#endif
