/* replay - position and mode of the current context, and what archives alone can answer. */
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libpcp/context.h"

enum { MODE_MASK = 0xffff, NSEC_PER_USEC = 1000, NSEC_PER_SEC = 1000000000 };

int pmSetModeHighRes(int mode, const struct timespec *when, const struct timespec *delta)
{
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = ctx->ops->set_mode(ctx, mode & MODE_MASK, when, delta);
	context_release(ctx);
	return r;
}

/* Nanoseconds in one unit of delta; milliseconds if mode names none. */
static int64_t delta_unit_ns(int mode)
{
	static const int64_t units[] = {
	    [PM_TIME_NSEC] = 1,
	    [PM_TIME_USEC] = NSEC_PER_USEC,
	    [PM_TIME_MSEC] = 1000000,
	    [PM_TIME_SEC] = NSEC_PER_SEC,
	    [PM_TIME_MIN] = 60 * (int64_t)NSEC_PER_SEC,
	    [PM_TIME_HOUR] = 3600 * (int64_t)NSEC_PER_SEC,
	};
	int unit = PM_XTB_GET(mode);

	return unit >= PM_TIME_NSEC && unit <= PM_TIME_HOUR ? units[unit] : units[PM_TIME_MSEC];
}

int pmSetMode(int mode, const struct timeval *when, int delta)
{
	int64_t delta_ns = delta * delta_unit_ns(mode);
	struct timespec step = {delta_ns / NSEC_PER_SEC, delta_ns % NSEC_PER_SEC};
	struct timespec start;

	if (when == NULL)
		return pmSetModeHighRes(mode, NULL, &step);
	start.tv_sec = when->tv_sec;
	start.tv_nsec = when->tv_usec * NSEC_PER_USEC;
	return pmSetModeHighRes(mode, &start, &step);
}

/* No type of context that can be opened has these yet. */
static int not_archive(void)
{
	struct context *ctx = context_hold_current();

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	context_release(ctx);
	return PM_ERR_NOTARCHIVE;
}

int pmFetchArchive(pmResult **result)
{
	return not_archive();
}

int pmFetchHighResArchive(pmHighResResult **result)
{
	return not_archive();
}

int pmGetArchiveLabel(pmLogLabel *label)
{
	return not_archive();
}

int pmGetHighResArchiveLabel(pmHighResLogLabel *label)
{
	return not_archive();
}

int pmGetArchiveEnd(struct timeval *end)
{
	return not_archive();
}

int pmGetHighResArchiveEnd(struct timespec *end)
{
	return not_archive();
}

int pmGetInDomArchive(pmInDom indom, int **instlist, char ***namelist)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM : not_archive();
}

int pmLookupInDomArchive(pmInDom indom, const char *name)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM : not_archive();
}

int pmNameInDomArchive(pmInDom indom, int inst, char **name)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM : not_archive();
}
