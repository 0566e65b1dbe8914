/* register - new definitions: parsed, and put into a list (docs/spec/pmapi.md 18.1). */
#ifndef LIBPCP_DERIVE_REGISTER_H
#define LIBPCP_DERIVE_REGISTER_H

#include "libpcp/derive/registry.h"

struct context;

/*
 * Adds a global metric. 0; -ENOMEM; or PM_ERR_BADDERIVE: the mistake is in the expression at
 * *ret_at, -1 for the byte before it, and the thread's reason is set.
 */
int register_global(const char *name, const char *text, int *ret_at);

/* The subject of a failure: not the expression, its words, or their meaning. */
enum fault { FAULT_OTHER, FAULT_SYNTAX, FAULT_SEMANTIC };

/* Adds a metric of the context, which is held. As above. */
int register_own(struct context *ctx, const char *name, const char *text, int *ret_at,
		 enum fault *ret_fault);

/* The reason for the failure before, in this thread; NULL: none is known. */
const char *register_reason(void);
void register_set_reason(const char *reason);

/* Loads the initial configuration, once in a process, before anything else is registered. */
void register_start(void);

/* Loads files and folders, a list separated by colons. How many metrics were added, or -errno of
 * the first that cannot be opened; with lenient such are left out. */
int load_paths(const char *paths, bool lenient);

#endif
