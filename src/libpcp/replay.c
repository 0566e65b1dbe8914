/* replay - position and mode of the current context; records, label and end of an archive. */
#include <string.h>

#include <pcp/pmapi.h>

#include "libpcp/archive_ops.h"
#include "libpcp/context.h"
#include "libpcp/results.h"
#include "libpcp/trace.h"

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

/* The whole of the next record. */
static int fetch_record(pmHighResResult **ret_result)
{
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_fetch_record(ctx, ret_result);
	context_release(ctx);
	trace_call(r, "pmFetchArchive()");
	if (r >= 0)
		trace_result(*ret_result);
	return r;
}

int pmFetchArchive(pmResult **result)
{
	pmHighResResult *highres;
	int r = fetch_record(&highres);

	if (r >= 0)
		*result = results_to_usec(highres);
	return r;
}

int pmFetchHighResArchive(pmHighResResult **result)
{
	return fetch_record(result);
}

int pmGetHighResArchiveLabel(pmHighResLogLabel *label)
{
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_label_of(ctx, label);
	context_release(ctx);
	trace_call(r, "pmGetArchiveLabel()");
	return r;
}

int pmGetArchiveLabel(pmLogLabel *label)
{
	pmHighResLogLabel highres;
	int r = pmGetHighResArchiveLabel(&highres);

	if (r < 0)
		return r;
	memset(label, 0, sizeof(*label));
	label->ll_magic = highres.magic;
	label->ll_pid = highres.pid;
	label->ll_start.tv_sec = highres.start.tv_sec;
	label->ll_start.tv_usec = highres.start.tv_nsec / NSEC_PER_USEC;
	memcpy(label->ll_hostname, highres.hostname, sizeof(label->ll_hostname) - 1);
	memcpy(label->ll_tz, highres.timezone, sizeof(label->ll_tz) - 1);
	return r;
}

int pmGetHighResArchiveEnd(struct timespec *end)
{
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_end_of(ctx, end);
	context_release(ctx);
	trace_call(r, "pmGetArchiveEnd()");
	return r;
}

int pmGetArchiveEnd(struct timeval *end)
{
	struct timespec highres;
	int r = pmGetHighResArchiveEnd(&highres);

	if (r < 0)
		return r;
	end->tv_sec = highres.tv_sec;
	end->tv_usec = highres.tv_nsec / NSEC_PER_USEC;
	return r;
}
