/*
 * family - the event type names of a family of processes, in shared memory. All processes that can
 * be traced into one stream share one mapping of names to ids (docs/spec/posix-trace.md 7.2).
 *
 *     /dev/shm/pitot-UID/family.ID     entries in order of id, claimed and published one by one
 * Ids are dense from LAYOUT_USER_FIRST on and never reused. A name is published with release after
 * its bytes; readers load the state with acquire. A second file has the payload descriptions.
 */
#ifndef LIBTRACE_FAMILY_H
#define LIBTRACE_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <trace_np.h>

struct family;

/* Opens (make: creates) a family's table: 0, -ENOENT, -ENOMEM, -ENOSPC, .... If no file can be
 * made, the table is private memory. Never fails for the calling process's own family. */
int family_open(uint64_t id, uid_t uid, bool make, struct family **ret_family);
/* Ignores the calling process's own family, which stays open. */
void family_close(struct family *family);

/* The id of a name, assigned if it has none: 0, -ENAMETOOLONG. 7.2 defines predefined names and a
 * full table. Lock-free against other processes; the entry of a dead claimer is taken over. */
int family_id_of(struct family *family, const char *name, trace_event_id_t *ret_id);

/* The name of an id, up to TRACE_EVENT_NAME_MAX + 1 bytes: 0, -EINVAL. Also for predefined ids. */
int family_name_of(struct family *family, trace_event_id_t id, char *ret_name);

/* First user id that is not assigned: all ids from LAYOUT_USER_FIRST up to it are (none if family
 * is NULL). Signal-safe. */
trace_event_id_t family_end(const struct family *family);

/* trace_np.h: descriptions. */
int family_describe(struct family *family, trace_event_id_t id,
		    const struct posix_trace_field_np *fields, uint32_t count);
int family_fields(struct family *family, trace_event_id_t id, struct posix_trace_field_np *fields,
		  uint32_t max, uint32_t *ret_count);

/* The calling process's own family: opened at the first call, replaced after fork; NULL only if
 * there is no memory. Signal-safe. */
struct family *family_self(void);
/* The same for callers that know that the process has its registry (inherit_ensure()). */
struct family *family_own(void);

/* In a child after fork, when its registry is made, which says whether it shares its parent's
 * family. If not, the child gets a family of its own with a copy of the names. */
void family_after_fork(void);

#endif
