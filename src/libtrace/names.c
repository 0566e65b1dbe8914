/*
 * names - event types by name: in the traced process; of a stream or an opened log, for its
 * controller or analyzer; and their list (docs/spec/posix-trace.md 7, 10.9 to 10.11). A stream has
 * the family of its target, a log a table of its own.
 */
#include <errno.h>
#include <string.h>

#include <trace.h>

#include "libtrace/family.h"
#include "libtrace/layout.h"
#include "libtrace/log_reader.h"
#include "libtrace/stream.h"

/* ---- in the traced process ---- */

int posix_trace_eventid_open(const char *restrict name, trace_event_id_t *restrict id)
{
	struct family *family = family_self();

	return family == NULL ? ENOMEM : -family_id_of(family, name, id);
}

int posix_trace_eventid_describe_np(trace_event_id_t id, const struct posix_trace_field_np *fields,
				    size_t count)
{
	struct family *family = family_self();

	if (count > POSIX_TRACE_FIELDS_MAX_NP)
		return EINVAL;
	return family == NULL ? ENOMEM : -family_describe(family, id, fields, (uint32_t)count);
}

/* ---- of a stream or log ---- */

int posix_trace_trid_eventid_open(trace_id_t trid, const char *restrict name,
				  trace_event_id_t *restrict id)
{
	struct stream *stream = stream_get(trid, STREAM_LIVE);
	int r;

	if (stream == NULL)
		return EINVAL;
	r = family_id_of(stream->family, name, id);
	stream_put(stream);
	return -r;
}

int posix_trace_eventid_equal(trace_id_t trid, trace_event_id_t a, trace_event_id_t b)
{
	return a == b; /* an id never has two names, nor a name two ids */
}

/* The name of an id in a log: the type that follows the previous id. */
static int logged_name(const struct log_reader *log, trace_event_id_t id, char *name)
{
	trace_event_id_t found;
	const char *text;

	if (id == 0 || !log_reader_type(log, id - 1, &found, &text) || found != id)
		return -EINVAL;
	strncpy(name, text, TRACE_EVENT_NAME_MAX);
	name[TRACE_EVENT_NAME_MAX] = '\0';
	return 0;
}

int posix_trace_eventid_get_name(trace_id_t trid, trace_event_id_t id, char *name)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);
	int r;

	if (stream == NULL)
		return EINVAL;
	r = stream->kind == STREAM_RECORDED ? logged_name(stream->log, id, name)
					    : family_name_of(stream->family, id, name);
	stream_put(stream);
	return -r;
}

static int logged_fields(const struct log_reader *log, trace_event_id_t id,
			 struct posix_trace_field_np *fields, size_t max, size_t *count)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	return logged_name(log, id, name) < 0 ? -EINVAL
					      : log_reader_fields(log, id, fields, max, count);
}

static int live_fields(struct family *family, trace_event_id_t id,
		       struct posix_trace_field_np *fields, size_t max, size_t *count)
{
	uint32_t n;
	int r =
	    family_fields(family, id, fields, max < UINT32_MAX ? (uint32_t)max : UINT32_MAX, &n);

	if (r == 0)
		*count = n;
	return r;
}

int posix_trace_eventid_get_fields_np(trace_id_t trid, trace_event_id_t id,
				      struct posix_trace_field_np *fields, size_t max,
				      size_t *count)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);
	int r;

	if (stream == NULL)
		return EINVAL;
	r = stream->kind == STREAM_RECORDED ? logged_fields(stream->log, id, fields, max, count)
					    : live_fields(stream->family, id, fields, max, count);
	stream_put(stream);
	return -r;
}

/* ---- the list of types ---- */

/* The type that follows `last`: false at the end. */
static bool type_after(const struct stream *stream, trace_event_id_t last, trace_event_id_t *ret_id)
{
	const char *name;

	if (stream->kind == STREAM_RECORDED)
		return log_reader_type(stream->log, last, ret_id, &name);
	if (last + 1 >= family_end(stream->family) && last >= POSIX_TRACE_UNNAMED_USEREVENT)
		return false;
	*ret_id = last + 1;
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
