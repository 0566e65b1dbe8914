/*
 * stream_status - the interface on top of status.h: posix_trace_get_status(), ..._get_attr(), and
 * ..._get_counts_np(), for streams and logs.
 */
#include <errno.h>

#include <trace_np.h>

#include "libtrace/log_reader.h"
#include "libtrace/registry.h"
#include "libtrace/status.h"
#include "libtrace/stream.h"

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
	*attr = stream->kind == STREAM_RECORDED ? *log_reader_attr(stream->log) :
						  stream->ctl->attr;
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
