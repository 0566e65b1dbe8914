/*
 * typelist - list the event types of a stream or log (docs/spec/posix-trace.md 10.11): first the
 * predefined types, then the named ones in order of id. Each stream has one cursor.
 */
#include <errno.h>

#include <trace.h>

#include "libtrace/family.h"
#include "libtrace/layout.h"
#include "libtrace/log_reader.h"
#include "libtrace/stream.h"

/* The type that follows `last`: false at the end. */
static bool type_after(const struct stream *stream, trace_event_id_t last, trace_event_id_t *ret)
{
	const char *name;

	if (stream->kind == STREAM_RECORDED)
		return log_reader_type(stream->log, last, ret, &name);
	if (last + 1 >= family_end(stream->family) && last >= POSIX_TRACE_UNNAMED_USEREVENT)
		return false;
	*ret = last + 1;
	return true;
}

int posix_trace_eventtypelist_getnext_id(trace_id_t trid, trace_event_id_t *restrict id,
					 int *restrict unavailable)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	*unavailable = 1;
	if (stream == NULL)
		return EINVAL;
	stream_lock(stream);
	if (type_after(stream, stream->list_last, id)) {
		stream->list_last = *id;
		*unavailable = 0;
	}
	stream_unlock(stream);
	stream_put(stream);
	return 0;
}

int posix_trace_eventtypelist_rewind(trace_id_t trid)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	if (stream == NULL)
		return EINVAL;
	stream_lock(stream);
	stream->list_last = 0;
	stream_unlock(stream);
	stream_put(stream);
	return 0;
}
