/*
 * stream_log - see stream_log.h; and posix_trace_open(), ..._close(), ..._rewind(), on top of
 * log_reader.h.
 */
#include "libtrace/stream_log.h"

#include <errno.h>
#include <pthread.h>

#include <trace.h>

#include "libtrace/drain.h"
#include "libtrace/log_reader.h"
#include "libtrace/log_types.h"
#include "libtrace/log_writer.h"
#include "libtrace/registry.h"
#include "libtrace/stream.h"

/* ---- streams with a log ---- */

int stream_log_next(struct stream *stream, struct event *ret_event)
{
	uint64_t now;
	int r = log_writer_peek(stream->writer, &stream->log_position, ret_event);

	if (r != 0)
		return r;
	now = segment_tick(&stream->seg, (enum clock_kind)stream->ctl->id.clock_kind);
	(void)drain(&stream->reader, stream->writer, now);
	stream->reader.restarted = false;
	if (stream->reader.halted) {
		registry_set_running(stream->ctl->id.stream_id, stream->uid, false);
		stream->reader.halted = false;
	}
	return log_writer_peek(stream->writer, &stream->log_position, ret_event);
}

int stream_log_clear(struct stream *stream)
{
	struct control *ctl = stream->ctl;

	atomic_store(&ctl->log_full, 0);
	atomic_store(&ctl->log_overrun, 0);
	atomic_store(&ctl->flush_error, 0);
	atomic_store(&ctl->lost_log, 0);
	stream->log_position = 0;
	return log_writer_clear(stream->writer);
}

/* Ends the thread and closes the log's writer; completes nothing. */
void stream_log_close(struct stream *stream)
{
	flusher_stop(stream);
	log_writer_close(stream->writer);
	stream->writer = NULL;
}

int stream_log_shutdown(struct stream *stream)
{
	int r;

	flusher_stop(stream);
	r = drain_end(&stream->reader, stream->writer);
	stream_log_close(stream);
	return r;
}

int stream_log_open(struct stream *stream, int fd)
{
	struct log_types types = log_types_family(stream->family);
	uint8_t *block = control_block(stream->ctl, &stream->seg.g);
	int r = log_writer_open(fd, stream->ctl, block, &types, &stream->writer);

	if (r == 0)
		r = flusher_start(stream);
	if (r == -EMFILE || r == -ENFILE)
		return -ENOMEM;
	return r;
}

int posix_trace_flush(trace_id_t trid)
{
	struct run_caller caller = run_called(__builtin_return_address(0));
	struct stream *stream = stream_get(trid, STREAM_LOGGED);
	int r;

	if (stream == NULL)
		return EINVAL;
	stream_lock(stream);
	r = flusher_flush(stream, &caller);
	stream_wake_all(&stream->wake);
	stream_unlock(stream);
	stream_put(stream);
	return -r;
}

/* ---- opened logs ---- */

static int open_recorded(int fd, trace_id_t *ret_trid)
{
	struct log_reader *log;
	struct stream *stream;
	int r = log_reader_open(fd, &log);

	if (r < 0)
		return r;
	stream = stream_new(STREAM_RECORDED);
	if (stream != NULL) {
		stream->log = log;
		r = stream_register(stream, ret_trid);
		if (r == 0)
			return 0;
		stream_free(stream);
	}
	log_reader_close(log);
	return -ENOMEM;
}

int posix_trace_open(int fd, trace_id_t *trid)
{
	int cancel, r;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	r = open_recorded(fd, trid);
	pthread_setcancelstate(cancel, NULL);
	return -r;
}

int posix_trace_close(trace_id_t trid)
{
	struct stream *stream;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	stream = stream_unregister(trid, STREAM_RECORDED);
	if (stream != NULL) {
		log_reader_close(stream->log);
		stream_free(stream);
	}
	pthread_setcancelstate(cancel, NULL);
	return stream != NULL ? 0 : EINVAL;
}

int posix_trace_rewind(trace_id_t trid)
{
	struct stream *stream = stream_get(trid, STREAM_RECORDED);

	if (stream == NULL)
		return EINVAL;
	stream_lock(stream);
	log_reader_rewind(stream->log);
	stream_unlock(stream);
	stream_put(stream);
	return 0;
}
