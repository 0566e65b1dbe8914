/*
 * family - the event type names of a family of processes, in shared memory: name -> id is one
 * function for all that can be traced into one stream (docs/spec/posix-trace.md 7.2).
 *
 *     /dev/shm/pitot-UID/family.ID     entries in order of id, claimed and published one by one
 *
 * Ids are dense from LAYOUT_USER_FIRST on and never come again. A name is published with release
 * after its bytes; readers load the state with acquire. Payload descriptions lie beside the names.
 */
#ifndef LIBTRACE_FAMILY_H
#define LIBTRACE_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <trace_np.h>

struct family;

/* Opens (make: creates) a family's table: 0, -ENOENT, -ENOMEM, -ENOSPC, .... Where no file can be
 * made the table is private memory. Never fails for the calling process's own. */
int family_open(uint64_t id, uid_t uid, bool make, struct family **ret);
/* Also of the calling process's own, which stays open. */
void family_close(struct family *family);

/* The id of a name, given one if it has none: 0, -ENAMETOOLONG. Predefined names and a full table
 * by 7.2. Lock-free against other processes; a dead claimer's entry is taken over. */
int family_id_of(struct family *family, const char *name, trace_event_id_t *ret);

/* The name of an id, up to TRACE_EVENT_NAME_MAX + 1 bytes: 0, -EINVAL. Predefined ones too. */
int family_name_of(struct family *family, trace_event_id_t id, char *ret);

/* First user id that is not assigned: ids from LAYOUT_USER_FIRST below it are (none of
 * a family that is NULL). Signal-safe. */
trace_event_id_t family_end(const struct family *family);

/* trace_np.h: descriptions. */
int family_describe(struct family *family, trace_event_id_t id,
		    const struct posix_trace_field_np *fields, uint32_t count);
int family_fields(struct family *family, trace_event_id_t id, struct posix_trace_field_np *fields,
		  uint32_t max, uint32_t *ret_count);

/* The predefined names: id 1 to 9, NULL for others. Shared with logs. */
const char *family_predefined(trace_event_id_t id);

/* The calling process's own family: opened when first asked for, replaced after fork; NULL only
 * when there is no memory. Signal-safe. */
struct family *family_self(void);

/* In a child after fork, when its registry is made, which says whether it shares its parent's
 * family; if not, it gets one of its own with a copy of the names. */
void family_after_fork(void);

#endif
