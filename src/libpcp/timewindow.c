/*
 * timewindow - the options -S, -T, -A and -O: docs/spec/pmapi.md 15.3.
 */
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libpcp/parse_error.h"
#include "libpcp/timetext.h"

#define NO_ALIGNMENT "alignment specified by -A switch could not be applied"

#define NSEC_PER_SEC 1000000000

static bool before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static __int128 in_ns(const struct timespec *ts)
{
	return (__int128)ts->tv_sec * NSEC_PER_SEC + ts->tv_nsec;
}

/* The next multiple of step since the epoch, or that many steps after it. */
static struct timespec round_up(const struct timespec *t, const struct timespec *step, int steps)
{
	__int128 width = in_ns(step);
	__int128 ns = (in_ns(t) + width - 1) / width * width + steps * width;

	return (struct timespec){.tv_sec = (time_t)(ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(ns % NSEC_PER_SEC)};
}

/* Alignment: 0 and *step, or -1 with *errmsg. */
static int parse_align(const char *align, struct timespec *step, char **errmsg)
{
	if (pmParseHighResInterval(align, step, errmsg) < 0)
		return -1;
	if (step->tv_sec != 0 || step->tv_nsec != 0)
		return 0;
	*errmsg = parse_error(align, align, NO_ALIGNMENT);
	return -1;
}

/* Within [start, end] *t moves to a multiple of step: false if there is none. */
static bool align_start(struct timespec *t, const struct timespec *step,
			const struct timespec *start, const struct timespec *end)
{
	struct timespec aligned = round_up(t, step, 0);

	if (before(&aligned, start) || before(end, &aligned))
		return false;
	*t = aligned;
	return true;
}

/* The same for the offset, which may step back. */
static bool align_offset(struct timespec *t, const struct timespec *step,
			 const struct timespec *start, const struct timespec *end)
{
	struct timespec aligned = round_up(t, step, 0);

	if (before(end, &aligned))
		aligned = round_up(t, step, -1);
	if (before(&aligned, start) || before(end, &aligned))
		return false;
	*t = aligned;
	return true;
}

struct window {
	struct timespec start;
	struct timespec end;
	struct timespec offset;
};

/* The fields of w are in: what there is; out: what is wanted. */
static int parse_window(const char *start, const char *end, const char *align, const char *offset,
			struct window *w, char **errmsg)
{
	struct timespec log_start = w->start, log_end = w->end, step;
	bool aligned = true;

	if (start != NULL && timetext_parse(start, &w->start, &w->end, &w->start, errmsg) < 0)
		return -1;
	if (before(&w->start, &log_start))
		w->start = log_start;
	if (align != NULL) {
		if (parse_align(align, &step, errmsg) < 0)
			return -1;
		aligned = align_start(&w->start, &step, &log_start, &log_end);
	}
	if (end != NULL && timetext_parse(end, &w->start, &w->end, &w->end, errmsg) < 0)
		return -1;
	if (before(&log_end, &w->end))
		w->end = log_end;
	w->offset = w->start;
	if (offset != NULL) {
		if (timetext_parse(offset, &w->start, &w->end, &w->offset, errmsg) < 0)
			return -1;
		if (before(&w->offset, &w->start))
			w->offset = w->start;
		else if (before(&w->end, &w->offset))
			w->offset = w->end;
		if (align != NULL)
			aligned &= align_offset(&w->offset, &step, &w->start, &w->end);
	}
	if (aligned)
		return 1;
	*errmsg = parse_error(align, align, NO_ALIGNMENT);
	return 0;
}

int pmParseHighResTimeWindow(const char *start, const char *end, const char *align,
			     const char *offset, const struct timespec *log_start,
			     const struct timespec *log_end, struct timespec *ret_start,
			     struct timespec *ret_end, struct timespec *ret_offset, char **errmsg)
{
	struct window w = {.start = *log_start, .end = *log_end};
	int r = parse_window(start, end, align, offset, &w, errmsg);

	if (r < 0)
		return r;
	*ret_start = w.start;
	*ret_end = w.end;
	*ret_offset = w.offset;
	return r;
}

static struct timespec to_timespec(const struct timeval *tv)
{
	return (struct timespec){.tv_sec = tv->tv_sec, .tv_nsec = tv->tv_usec * 1000};
}

static struct timeval to_timeval(const struct timespec *ts)
{
	return (struct timeval){.tv_sec = ts->tv_sec, .tv_usec = ts->tv_nsec / 1000};
}

int pmParseTimeWindow(const char *start, const char *end, const char *align, const char *offset,
		      const struct timeval *log_start, const struct timeval *log_end,
		      struct timeval *ret_start, struct timeval *ret_end,
		      struct timeval *ret_offset, char **errmsg)
{
	struct window w = {.start = to_timespec(log_start), .end = to_timespec(log_end)};
	int r = parse_window(start, end, align, offset, &w, errmsg);

	if (r < 0)
		return r;
	*ret_start = to_timeval(&w.start);
	*ret_end = to_timeval(&w.end);
	*ret_offset = to_timeval(&w.offset);
	return r;
}
