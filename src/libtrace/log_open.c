/* log_open - posix_trace_open(), ..._close(), ..._rewind(): the interface on top of log_reader.h.
 * */
#include <errno.h>
#include <pthread.h>

#include <trace.h>

#include "libtrace/log_reader.h"
#include "libtrace/stream.h"

static int open_log(int fd, trace_id_t *ret)
{
	struct log_reader *log;
	struct stream *stream;
	int r = log_reader_open(fd, &log);

	if (r < 0)
		return r;
	stream = stream_new(STREAM_RECORDED);
	if (stream != NULL) {
		stream->log = log;
		r = stream_register(stream, ret);
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
	r = open_log(fd, trid);
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
