/*
 * stream_control - start, stop, clear, filter, status, attributes and counts: the interface on top
 * of run.h and status.h, which also sets the gates of the traced processes and wakes readers.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <trace_np.h>

#include "libtrace/log_reader.h"
#include "libtrace/registry.h"
#include "libtrace/run.h"
#include "libtrace/status.h"
#include "libtrace/stream.h"
#include "libtrace/stream_log.h"

/* Wakes readers of this process, and sleepers on the futex word. */
static void wake_sleepers(struct stream *stream)
{
	_Atomic uint32_t *word = &stream->seg.state->ftx;

	stream_wake_all(&stream->wake);
	atomic_fetch_add(word, 1);
	(void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void set_gates(struct stream *stream, bool running)
{
	registry_set_running(stream->ctl->id.stream_id, stream->uid, running);
}

static struct stream *get_locked(trace_id_t trid)
{
	struct stream *stream = stream_get(trid, STREAM_LIVE);

	if (stream != NULL)
		stream_lock(stream);
	return stream;
}

static void put_locked(struct stream *stream)
{
	stream_unlock(stream);
	stream_put(stream);
}

int posix_trace_start(trace_id_t trid)
{
	struct run_caller caller = run_called(__builtin_return_address(0));
	struct stream *stream = get_locked(trid);

	if (stream == NULL)
		return EINVAL;
	if (run_start(&stream->seg, stream->ctl, &caller))
		set_gates(stream, true);
	wake_sleepers(stream);
	put_locked(stream);
	return 0;
}

int posix_trace_stop(trace_id_t trid)
{
	struct run_caller caller = run_called(__builtin_return_address(0));
	struct stream *stream = get_locked(trid);

	if (stream == NULL)
		return EINVAL;
	if (run_stop(&stream->seg, stream->ctl, &caller))
		set_gates(stream, false);
	wake_sleepers(stream);
	put_locked(stream);
	return 0;
}

int posix_trace_clear(trace_id_t trid)
{
	struct stream *stream = get_locked(trid);
	uint64_t tick;
	bool halted;
	int r = 0;

	if (stream == NULL)
		return EINVAL;
	tick = run_clear(&stream->seg, stream->ctl, &halted);
	reader_clear(&stream->reader, tick);
	stream->list_last = 0;
	if (halted)
		set_gates(stream, false);
	if (stream->kind == STREAM_LOGGED)
		r = stream_log_clear(stream);
	put_locked(stream);
	return -r;
}

int posix_trace_get_filter(trace_id_t trid, trace_event_set_t *set)
{
	struct stream *stream = get_locked(trid);

	if (stream == NULL)
		return EINVAL;
	*set = stream->ctl->filter;
	put_locked(stream);
	return 0;
}

/* 0, or -EINVAL: unknown operation. */
static int combine(const trace_event_set_t *old, const trace_event_set_t *set, int how,
		   trace_event_set_t *ret_set)
{
	for (int i = 0; i < LAYOUT_FILTER_WORDS; i++) {
		if (how == POSIX_TRACE_SET_EVENTSET)
			ret_set->__bits[i] = set->__bits[i];
		else if (how == POSIX_TRACE_ADD_EVENTSET)
			ret_set->__bits[i] = old->__bits[i] | set->__bits[i];
		else if (how == POSIX_TRACE_SUB_EVENTSET)
			ret_set->__bits[i] = old->__bits[i] & ~set->__bits[i];
		else
			return -EINVAL;
	}
	return 0;
}

int posix_trace_set_filter(trace_id_t trid, const trace_event_set_t *set, int how)
{
	struct run_caller caller = run_called(__builtin_return_address(0));
	struct stream *stream = get_locked(trid);
	trace_event_set_t next;
	int r;

	if (stream == NULL)
		return EINVAL;
	r = combine(&stream->ctl->filter, set, how, &next);
	if (r == 0) {
		run_filter(&stream->seg, stream->ctl, &next, &caller);
		wake_sleepers(stream);
	}
	put_locked(stream);
	return -r;
}

/* ---- status ---- */

int posix_trace_get_status(trace_id_t trid, struct posix_trace_status_info *status)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	if (stream == NULL)
		return EINVAL;
	stream_lock(stream);
	if (stream->kind == STREAM_RECORDED)
		*status = *log_reader_status(stream->log);
	else
		status_read(&stream->reader, true, status);
	stream_unlock(stream);
	stream_put(stream);
	return 0;
}

int posix_trace_get_attr(trace_id_t trid, trace_attr_t *attr)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	if (stream == NULL)
		return EINVAL;
	*attr = stream->kind == STREAM_RECORDED ? *log_reader_attr(stream->log) : stream->ctl->attr;
	stream_put(stream);
	return 0;
}

int posix_trace_get_counts_np(trace_id_t trid, struct posix_trace_counts_np *counts)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	if (stream == NULL)
		return EINVAL;
	stream_lock(stream);
	if (stream->kind == STREAM_RECORDED) {
		*counts = *log_reader_counts(stream->log);
	} else {
		status_counts(&stream->reader, counts);
		counts->lost_attach += registry_missed(stream->ctl->id.stream_id, stream->uid);
	}
	stream_unlock(stream);
	stream_put(stream);
	return 0;
}
