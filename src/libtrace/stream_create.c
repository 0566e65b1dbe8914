/*
 * stream_create - posix_trace_create() and posix_trace_shutdown(), and the end of the process, which shuts
 * down the streams that it has created (docs/spec/posix-trace.md 10.2, 10.5, 11).
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include <trace.h>

#include "libtrace/attach.h"
#include "libtrace/attr.h"
#include "libtrace/registry.h"
#include "libtrace/run.h"
#include "libtrace/stream.h"
#include "libtrace/stream_make.h"
#include "libtrace/withlog.h"

static int create(pid_t pid, const trace_attr_t *attr, trace_id_t *ret)
{
	struct stream *stream;
	trace_attr_t resolved;
	int r;

	r = attr_resolve(attr, false, &resolved);
	if (r < 0)
		return r;
	attach_refresh();
	r = stream_make(pid, &resolved, STREAM_ACTIVE, &stream);
	if (r < 0)
		return r;
	r = stream_publish(stream, ret);
	if (r < 0)
		stream_unmake(stream);
	return r;
}

int posix_trace_create(pid_t pid, const trace_attr_t *restrict attr, trace_id_t *restrict trid)
{
	int cancel, r;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	r = create(pid, attr, trid);
	pthread_setcancelstate(cancel, NULL);
	return -r;
}

static int shut_down(trace_id_t trid, const struct run_caller *caller)
{
	struct stream *stream = stream_unregister(trid, STREAM_LIVE);
	int r = 0;

	if (stream == NULL)
		return -EINVAL;
	run_end(&stream->seg, stream->ctl, caller);
	registry_set_running(stream->ctl->id.stream_id, stream->uid, false);
	if (stream->kind == STREAM_LOGGED)
		r = stream_log_shutdown(stream);
	stream_unmake(stream);
	return r;
}

int posix_trace_shutdown(trace_id_t trid)
{
	struct run_caller caller = run_called(__builtin_return_address(0));
	int cancel, r;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	r = shut_down(trid, &caller);
	pthread_setcancelstate(cancel, NULL);
	return -r;
}

static void shut_down_at_exit(trace_id_t trid)
{
	(void)shut_down(trid, NULL);
}

__attribute__((destructor)) static void shut_down_all(void)
{
	stream_each(STREAM_LIVE, shut_down_at_exit);
}
