/*
 * context - see context.h.
 *
 * Two locks: the table's, held for a look-up only, and that of each context, held for a whole
 * operation. A context's lock is never taken with the table's lock held.
 */
#include "libpcp/context.h"

#include <errno.h>
#include <stdlib.h>

#include "libbase/cleanup.h"
#include "libbase/hash.h"
#include "libpcp/archive_ops.h"
#include "libpcp/derive/derive.h"
#include "libpcp/derive/register.h"
#include "libpcp/host.h"
#include "libpcp/local.h"
#include "libpcp/trace.h"
#include "libwire/profile.h"

/* clang-format off */
static const struct context_ops *const kinds[] = {
	[PM_CONTEXT_HOST] = &host_ops,
	[PM_CONTEXT_ARCHIVE] = &archive_ops,
	[PM_CONTEXT_LOCAL] = &local_ops,
};
/* clang-format on */

static struct {
	pthread_mutex_t lock;
	struct hash by_handle;
	int next_handle;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread int current_handle = PM_ERR_NOCONTEXT;

/* The lock is recursive: an agent in this process may call the library on the same context. */
static struct context *context_new(int handle)
{
	struct context *ctx = calloc(1, sizeof(*ctx));
	pthread_mutexattr_t attr;

	if (ctx == NULL)
		return NULL;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&ctx->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	ctx->handle = handle;
	ctx->refs = 1;
	return ctx;
}

static void context_free(struct context *ctx)
{
	if (ctx == NULL)
		return;
	if (ctx->ops != NULL)
		ctx->ops->close(ctx);
	derive_free(ctx->derive);
	profile_done(&ctx->profile);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
}

/* Each attempt to make a context uses up a handle, even if it fails. */
static int take_handle(void)
{
	int handle;

	pthread_mutex_lock(&table.lock);
	handle = table.next_handle++;
	pthread_mutex_unlock(&table.lock);
	return handle;
}

static bool handle_eq(const void *entry, const void *key)
{
	return ((const struct context *)entry)->handle == *(const int *)key;
}

/* With the table's lock held. */
static struct context *context_find(int handle)
{
	return hash_find(&table.by_handle, hash_u64((uint64_t)handle), handle_eq, &handle);
}

static struct context *find_and_ref(int handle)
{
	struct context *ctx;

	pthread_mutex_lock(&table.lock);
	ctx = context_find(handle);
	if (ctx != NULL)
		ctx->refs++;
	pthread_mutex_unlock(&table.lock);
	return ctx;
}

static void unref(struct context *ctx)
{
	bool last;

	pthread_mutex_lock(&table.lock);
	last = --ctx->refs == 0;
	pthread_mutex_unlock(&table.lock);
	if (last)
		context_free(ctx);
}

struct context *context_hold(int handle)
{
	struct context *ctx = find_and_ref(handle);

	if (ctx != NULL)
		pthread_mutex_lock(&ctx->lock);
	return ctx;
}

struct context *context_hold_current(void)
{
	return context_hold(current_handle);
}

void context_release(struct context *ctx)
{
	pthread_mutex_unlock(&ctx->lock);
	unref(ctx);
}

/* Puts a finished context into the table and makes it current. Its handle, or -ENOMEM. */
static int publish(struct context *ctx)
{
	int handle = ctx->handle;
	int r;

	pthread_mutex_lock(&table.lock);
	r = hash_add(&table.by_handle, hash_u64((uint64_t)handle), ctx);
	pthread_mutex_unlock(&table.lock);
	if (r < 0) {
		context_free(ctx);
		return r;
	}
	current_handle = handle;
	return handle;
}

static const struct context_ops *find_ops(int type)
{
	return (size_t)type < ARRAY_SIZE(kinds) ? kinds[type] : NULL;
}

/* -EOPNOTSUPP for the types that exist but can't be opened here. */
static int check_type(int type)
{
	if (type != PM_CONTEXT_HOST && type != PM_CONTEXT_ARCHIVE && type != PM_CONTEXT_LOCAL)
		return PM_ERR_NOCONTEXT;
	return find_ops(type) == NULL ? -EOPNOTSUPP : 0;
}

static int context_open(int type, const char *name)
{
	struct context *ctx;
	int handle;
	int r;

	if (name == NULL && (type & PM_CONTEXT_TYPEMASK) != PM_CONTEXT_LOCAL)
		return PM_ERR_NOCONTEXT;
	register_start();
	handle = take_handle();
	r = check_type(type & PM_CONTEXT_TYPEMASK);
	if (r < 0)
		return r;
	ctx = context_new(handle);
	if (ctx == NULL)
		return -ENOMEM;
	ctx->type = type & PM_CONTEXT_TYPEMASK;
	ctx->flags = (unsigned int)type & ~(unsigned int)PM_CONTEXT_TYPEMASK;
	ctx->ops = find_ops(ctx->type);
	r = ctx->ops->open(ctx, name);
	if (r < 0) {
		context_free(ctx);
		return r;
	}
	return publish(ctx);
}

int pmNewContext(int type, const char *name)
{
	int r = context_open(type, name);

	trace_context("pmNewContext", type, name == NULL ? "NULL" : name, r);
	return r;
}

static int context_dup(void)
{
	struct context *from = context_hold_current();
	struct context *ctx;
	int r;

	if (from == NULL)
		return PM_ERR_NOCONTEXT;
	ctx = context_new(take_handle());
	if (ctx == NULL) {
		context_release(from);
		return -ENOMEM;
	}
	ctx->type = from->type;
	ctx->flags = from->flags;
	ctx->ops = from->ops;
	r = profile_copy(&from->profile, &ctx->profile);
	if (r == 0)
		r = ctx->ops->dup(ctx, from);
	context_release(from);
	if (r < 0) {
		context_free(ctx);
		return r;
	}
	return publish(ctx);
}

int pmDupContext(void)
{
	int from = current_handle;
	int r = context_dup();

	trace_context("pmDupContext", from, NULL, r);
	return r;
}

int pmUseContext(int handle)
{
	struct context *ctx = find_and_ref(handle);

	trace_context("pmUseContext", handle, NULL, ctx == NULL ? PM_ERR_NOCONTEXT : 0);
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	unref(ctx);
	current_handle = handle;
	return 0;
}

int pmWhichContext(void)
{
	return current_handle;
}

int pmDestroyContext(int handle)
{
	struct context *ctx;

	pthread_mutex_lock(&table.lock);
	ctx = context_find(handle);
	if (ctx != NULL)
		hash_del(&table.by_handle, hash_u64((uint64_t)handle), ctx);
	pthread_mutex_unlock(&table.lock);
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	/* The table's reference; a caller that is using it right now has another. */
	unref(ctx);
	if (current_handle == handle)
		current_handle = PM_ERR_NOCONTEXT;
	trace_context("pmDestroyContext", handle, NULL, 0);
	return 0;
}

static int reconnect_context(int handle)
{
	struct context *ctx = context_hold(handle);
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = ctx->ops->reconnect(ctx);
	if (r >= 0)
		derive_reset(ctx);
	context_release(ctx);
	return r < 0 ? r : handle;
}

int pmReconnectContext(int handle)
{
	int r = reconnect_context(handle);

	trace_context("pmReconnectContext", handle, NULL, r);
	return r;
}
