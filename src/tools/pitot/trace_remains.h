/* trace_remains - lists that the library fills in: what killed tracers left, what can be traced. */
#ifndef PITOT_TRACE_REMAINS_H
#define PITOT_TRACE_REMAINS_H

#include <stddef.h>
#include <stdint.h>

#include <trace_np.h>

/* The caller's, oldest first; to be freed. 0, or an error number. */
int trace_remains_get(struct posix_trace_remains_np **ret_list, size_t *ret_n);

/* Those that may be traced, by pid; to be freed. 0, or an error number; complains about users in
 * whose directory not all could be looked at. */
int trace_processes_get(struct posix_trace_process_np **ret_list, size_t *ret_n);

/* The number that was given, or of the newest where text is NULL. 0, or -1 after a message. */
int trace_remains_find(const char *command, const char *text, uint64_t *ret_id);

#endif
