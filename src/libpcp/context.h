/*
 * context - a source of metrics with a handle: type, operations, instance profile.
 *
 * Handles come from one table shared by all threads; each thread has its own current handle. A
 * context is found, referenced and locked for one operation at a time (context_hold), so that
 * threads may share it, and may destroy it while others use it: it leaves the table at once, and is
 * freed with its last user.
 *
 * A type of context is one row of operations; a type that is not implemented has none.
 */
#ifndef LIBPCP_CONTEXT_H
#define LIBPCP_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct context;
struct derive;

/* Instance names and ids, as pmGetInDom gives them out: each array is one malloc'd block. */
struct context_insts {
	int n;
	int *ids;
	char **names; /* a missing name is "" */
};

/*
 * The operations of a type, called with the context locked. All return 0 or more on success and a
 * negative code on failure; lists are malloc'd blocks for the caller, NULL when they are empty.
 */
struct context_ops {
	/* Makes ctx->source from a name and ctx->flags. */
	int (*open)(struct context *ctx, const char *name);
	/* Makes ctx->source the same as that of from, which is locked too. */
	int (*dup)(struct context *ctx, const struct context *from);
	/* Makes a broken connection again. */
	int (*reconnect)(struct context *ctx);
	/* Releases ctx->source, which may be NULL. */
	void (*close)(struct context *ctx);
	/* Sets the position and mode of replay; see pmSetModeHighRes. */
	int (*set_mode)(struct context *ctx, int mode, const struct timespec *when,
			const struct timespec *delta);
	/* The name of the source's host, if the source itself does not have it. */
	int (*host_name)(struct context *ctx, char *buf, size_t size);

	/* PMNS_REMOTE …, or why there is no name space. */
	int (*location)(struct context *ctx);
	/* The ids of n names, PM_ID_NULL for an unknown one. How many are known; for a single name
	 * its error. */
	int (*lookup_names)(struct context *ctx, size_t n, const char *const *names, pmID *pmids);
	/* All names of an id: how many. */
	int (*name_all)(struct context *ctx, pmID pmid, char ***ret_names);
	/* The same of n ids, each count in ret_counts, or its error. NULL: one by one is as good.
	 */
	void (*names_all)(struct context *ctx, size_t n, const pmID *pmids, char ***ret_names,
			  int *ret_counts);
	/* The children of a node. Returns their number. ret_status may be NULL. */
	int (*children)(struct context *ctx, const char *name, char ***ret_names, int **ret_status);
	/* The leaves at and below a node. Returns their number. */
	int (*traverse)(struct context *ctx, const char *name, char ***ret_names);

	int (*desc)(struct context *ctx, pmID pmid, pmDesc *ret_desc);
	/* n descriptors, pmid PM_ID_NULL in those that there are none of. How many there are. */
	int (*descs)(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs);
	/* All instances (inst PM_IN_NULL, name NULL), or the one with this id or name. */
	int (*instances)(struct context *ctx, pmInDom indom, int inst, const char *name,
			 struct context_insts *ret_insts);
	/* Text of a metric or instance domain; type as in TEXT_REQ. */
	int (*text)(struct context *ctx, unsigned int ident, int type, char **ret_text);
	/* Label sets of one level; type is a PM_LABEL_* bit. How many. */
	int (*labels)(struct context *ctx, unsigned int ident, int type, pmLabelSet **ret_sets);

	/* Values of n metrics, in request order; see results.h. The change bits. */
	int (*fetch)(struct context *ctx, size_t n, const pmID *pmids,
		     pmHighResResult **ret_result);
	int (*store)(struct context *ctx, const pmHighResResult *result);
};

struct context {
	int handle;
	int type;           /* PM_CONTEXT_HOST … */
	unsigned int flags; /* PM_CTXFLAG_* */
	const struct context_ops *ops;
	void *source; /* what the operations work on */
	pmProfile profile;
	bool profile_sent;
	struct derive
	    *derive; /* derived metrics; NULL: none were needed yet. See derive/derive.h */

	pthread_mutex_t lock;
	unsigned int refs; /* guarded by the table's lock */
};

/*
 * The thread's current context, or that of a handle, referenced and locked until context_release.
 * NULL if there is none: PM_ERR_NOCONTEXT.
 */
struct context *context_hold_current(void);
struct context *context_hold(int handle);
void context_release(struct context *ctx);

#endif
